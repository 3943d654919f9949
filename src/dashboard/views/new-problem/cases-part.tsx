/** The second part: the runs to begin with, designed by the service or the user's own. */
import { useState } from 'preact/hooks';
import { short, titled } from '../../../presentation/formats.ts';
import { copyText } from '../../parts/clipboard.ts';
import { saveCsv, toTabs } from '../../parts/export.ts';
import { type Rows, splitPaste } from '../../parts/paste.ts';
import { SignQuestion, useTableReading } from '../../parts/sign-question.tsx';
import { type Draft, namesOfRows } from './draft.ts';
import { CellText, FaultBlock, fieldId, TextField } from './fields.tsx';
import { OwnDataTable } from './own-data-table.tsx';
import { Pager } from './pager.tsx';
import { failedRows } from './requests.ts';
import { fillFrom, inputText, pasteResults, pointsTable } from './results-table.ts';
import { arePointsCurrent } from './start.ts';
import { change, draft } from './store.ts';
import { TakeTable } from './take-table.tsx';

interface CasesPartProps {
  readonly isBusy: boolean;
  design(): void;
}

export function CasesPart({ isBusy, design }: CasesPartProps) {
  const { data, workbook } = draft.value;
  if (workbook !== null) {
    return (
      <>
        <p>The service calculates the first runs itself, at points that it chooses, once you start the search.</p>
        <CaseCount />
      </>
    );
  }
  const choose = (chosen: Draft['data']) => change({ data: chosen }, 'results', 'own', 'columns', 'caseCount');
  return (
    <>
      <fieldset class="sources">
        <legend>Where do the first runs come from?</legend>
        <label>
          <input type="radio" name="data" checked={data === 'designed'} onChange={() => choose('designed')} />
          Points chosen by Backsolve
        </label>
        <label>
          <input type="radio" name="data" checked={data === 'own'} onChange={() => choose('own')} />
          Runs I have already made
        </label>
      </fieldset>
      {data === 'own' ? <OwnDataTable /> : <Designed isBusy={isBusy} design={design} />}
    </>
  );
}

/** As the service counts them where nothing is stated; see docs/projects.md. */
function usualCount({ inputs, outputs }: Draft): number {
  return Math.min(Math.ceil(inputs.length / 2) + 1, 8, outputs.length + 2);
}

function CaseCount() {
  return (
    <div class="field-row">
      <TextField
        path="caseCount"
        label="How many points"
        value={draft.value.caseCount}
        isNumber
        placeholder={String(usualCount(draft.value))}
        onInput={(value) => change({ caseCount: value }, 'caseCount')}
        hint="A few are enough: later suggestions are worth more."
      />
    </div>
  );
}

function Designed({ isBusy, design }: CasesPartProps) {
  const { project, recipe } = draft.value;
  const points = project?.points ?? null;
  const isCurrent = points !== null && arePointsCurrent(draft.value);
  return (
    <>
      <CaseCount />
      {points !== null && !isCurrent && (
        <p class="notice warning" role="status">
          The inputs or outputs have changed since these points were designed. Results of unchanged points are kept.
        </p>
      )}
      {!isCurrent && (
        <button type="button" class="primary" disabled={isBusy} onClick={design}>
          {points === null ? 'Design the points' : 'Design the points again'}
        </button>
      )}
      <FaultBlock path="results" />
      {points !== null && (
        <>
          {recipe !== '' && (
            <p class="notice">
              Calculate for each row: <strong>{recipe}</strong>.
            </p>
          )}
          <PointsTable points={points} />
        </>
      )}
    </>
  );
}

const ROWS = 25;
const COLUMNS = 30;

type Points = readonly (readonly number[])[];

function PointsTable({ points }: { readonly points: Points }) {
  const current = draft.value;
  const { inputs, outputs, results, name } = current;
  const [firstRow, setFirstRow] = useState(0);
  const [firstOutput, setFirstOutput] = useState(0);
  const [said, setSaid] = useState('');
  const reading = useTableReading(setSaid);
  const table = pointsTable(current);
  const takeAll = (rows: Rows) => {
    const { results: pasted, fault } = pasteResults(rows, draft.value);
    if (fault !== undefined) return fault;
    change({ results: pasted }, 'results');
    return 'The outputs are in the table.';
  };
  const onPaste = (event: ClipboardEvent, row: number, column: number) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const width = outputs.length - column;
    const cells = splitPaste(text, width);
    if (cells.length < 2 && (cells[0]?.length ?? 0) < 2) return;
    event.preventDefault();
    const takeFrom = (rows: Rows) => {
      fill({ row, column }, rows, 'results');
      return '';
    };
    setSaid(reading.read({ text, width, take: row === 0 && column === 0 ? takeAll : takeFrom }));
  };
  const copy = async () => {
    const isCopied = await copyText(toTabs(table.header, table.rows));
    setSaid(isCopied ? `${points.length} rows copied.` : 'The browser does not allow copying; save the CSV instead.');
  };
  const failed = failedRows(points.map((_, r) => results[r] ?? []));
  // Many inputs would push the outputs out of sight, so these come first.
  const isOutputFirst = inputs.length > 6;
  const outputNames = namesOfRows(outputs, 'y');
  const shownOutputs = outputs.slice(firstOutput, firstOutput + COLUMNS).map((_, k) => firstOutput + k);
  const shownRows = points.slice(firstRow, firstRow + ROWS).map((_, k) => firstRow + k);
  return (
    <>
      <p>
        Run each point and enter its outputs. A blank row counts as a failed run
        {failed.length > 0 && `; now ${failed.length} of ${points.length} ${failed.length === 1 ? 'is' : 'are'} blank`}.
      </p>
      <div class="actions">
        <button type="button" onClick={() => void copy()}>
          Copy for a spreadsheet
        </button>
        <button type="button" onClick={() => saveCsv(`${name || 'points'} cases`, table.header, table.rows)}>
          Save CSV
        </button>
        <Pager what="Rows" count={points.length} size={ROWS} from={firstRow} onFrom={setFirstRow} />
        <Pager what="Outputs" count={outputs.length} size={COLUMNS} from={firstOutput} onFrom={setFirstOutput} />
      </div>
      <div class="scroll-box">
        <table class="cases">
          <thead>
            <PointHeads outputs={shownOutputs} outputNames={outputNames} isOutputFirst={isOutputFirst} />
          </thead>
          <tbody>
            {shownRows.map((r) => (
              <PointRow
                key={r}
                r={r}
                point={points[r]!}
                outputs={shownOutputs}
                outputNames={outputNames}
                isOutputFirst={isOutputFirst}
                onPaste={(event, j) => onPaste(event, r, j)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {reading.question && <SignQuestion question={reading.question} onAnswer={reading.answer} />}
      <p role="status" class="said">
        {said}
      </p>
      <TakeTable
        label="Outputs from a spreadsheet"
        hint="The whole table with its header, or only the columns of the outputs, in the order of the cases."
        width={outputs.length}
        onRows={takeAll}
      />
    </>
  );
}

/** Puts cells into the results, from one of them to the right and down. @param path  the field whose fault is gone */
function fill(from: { row: number; column: number }, cells: readonly (readonly string[])[], path: string): void {
  const { outputs, results, project } = draft.value;
  const size = { rows: project?.points?.length ?? 0, columns: outputs.length };
  change({ results: fillFrom(results, size, from, cells) }, path);
}

interface ColumnsProps {
  /** Those in view. */
  readonly outputs: readonly number[];
  /** Names of all outputs. */
  readonly outputNames: readonly string[];
  readonly isOutputFirst: boolean;
}

function PointHeads({ outputs: shown, outputNames, isOutputFirst }: ColumnsProps) {
  const { inputs, outputs } = draft.value;
  const inputHeads = namesOfRows(inputs, 'x').map((name, i) => (
    <th key={`x${inputs[i]!.key}`} scope="col" class="number">
      {titled(name, inputs[i]!.unit)}
    </th>
  ));
  const outputHeads = shown.map((j) => (
    <th key={`y${outputs[j]!.key}`} scope="col" class="number">
      {titled(outputNames[j]!, outputs[j]!.unit)}
    </th>
  ));
  return (
    <tr>
      <th scope="col">Case</th>
      {isOutputFirst ? [...outputHeads, ...inputHeads] : [...inputHeads, ...outputHeads]}
    </tr>
  );
}

interface PointRowProps extends ColumnsProps {
  readonly r: number;
  readonly point: readonly number[];
  onPaste(event: ClipboardEvent, j: number): void;
}

function PointRow({ r, point, outputs: shown, outputNames, isOutputFirst, onPaste }: PointRowProps) {
  const { inputs, outputs, results } = draft.value;
  const inputCells = point.map((value, i) => (
    <td key={`x${inputs[i]?.key ?? i}`} class="number" title={String(value)}>
      {pointText(draft.value, i, value)}
    </td>
  ));
  const outputCells = shown.map((j) => (
    <td key={`y${outputs[j]!.key}`} class="output" onPaste={(event) => onPaste(event, j)}>
      <CellText
        path={`results/${r}/${j}`}
        label={`${outputNames[j]} of case ${r + 1}`}
        value={results[r]?.[j] ?? ''}
        isNumber
        onInput={(value) => fill({ row: r, column: j }, [[value]], `results/${r}/${j}`)}
      />
    </td>
  ));
  return (
    <tr id={fieldId(`results/${r}`)}>
      <th scope="row">{r + 1}</th>
      {isOutputFirst ? [...outputCells, ...inputCells] : [...inputCells, ...outputCells]}
    </tr>
  );
}

function pointText({ inputs }: Draft, i: number, value: number): string {
  const input = inputs[i];
  if (input === undefined) return short(value);
  return input.type === 'boolean' || input.type === 'category' ? inputText(input, value) : short(value);
}
