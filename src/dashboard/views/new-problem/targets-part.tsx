/** The third part: what the outputs should be, and how long to search. */

import { GOAL_TYPES, isAspiration } from '../../../../clients/typescript/src/generated/goal-types.ts';
import { counted, type Ends, titled, wanted, withUnit } from '../../../presentation/formats.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { type Draft, namesOfRows, type OutputDraft } from './draft.ts';
import { CellChoice, CellText, FaultBlock, TextField } from './fields.tsx';
import { takeMeasured } from './fits.ts';
import { intervalsOf } from './intervals.ts';
import { MoreOptions } from './more-options.tsx';
import { readOwn, readResults } from './requests.ts';
import { change, draft, faults } from './store.ts';
import { TakeTable } from './take-table.tsx';
import { TargetStrip } from './target-strip.tsx';
import { GOAL_CHOICES } from './words.ts';

export function TargetsPart() {
  const current = draft.value;
  const { outputs, desiredL1Norm, parallelism, maximumAttempts, recipe } = current;
  const known = knownOutputs(current);
  const names = namesOfRows(outputs, 'y');
  const intervals = intervalsOf(outputs, desiredL1Norm);
  return (
    <>
      {recipe !== '' && <p class="notice">The example wants a stiffness of 90 N/mm and at most 60 g.</p>}
      <FaultBlock path="targets" />
      <div class="scroll-box">
        <table class="definitions targets">
          <TableHead titles={['Output', 'Wanted', 'Target', 'From', 'To', 'Satisfied by']} />
          <tbody>
            {outputs.map((output, j) => (
              <TargetRow
                key={output.key}
                output={output}
                j={j}
                name={names[j]!}
                interval={intervals[j]}
                values={known.map((row) => row[j]!)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {outputs.some(({ type }) => type === 'fit') && <MeasuredValues outputs={outputs} />}
      {outputs.some(({ type }) => type === 'exact') && (
        <TextField
          path="desiredL1Norm"
          label="Sum of all differences at most"
          value={desiredL1Norm}
          isNumber
          onInput={(value) => change({ desiredL1Norm: value }, 'desiredL1Norm')}
          hint="Exact outputs are judged together. 0 allows a millionth of the targets."
        />
      )}
      <h2>The search</h2>
      <p>
        {known.length === 0
          ? `It starts from the best of the first runs${current.workbook === null ? '. Enter their outputs first.' : ', which the service calculates.'}`
          : `It starts from the best of ${counted(known.length, 'run')}.`}
      </p>
      <div class="field-row">
        <TextField
          path="maximumAttempts"
          label="Runs at most"
          value={maximumAttempts}
          isNumber
          onInput={(value) => change({ maximumAttempts: value }, 'maximumAttempts')}
        />
        {current.workbook === null && (
          <TextField
            path="parallelism"
            label="Parallel runs"
            value={parallelism}
            isNumber
            onInput={(value) => change({ parallelism: value }, 'parallelism')}
            hint="1 needs the fewest runs; more save time."
          />
        )}
      </div>
      <MoreOptions draft={current} faults={faults.value} onChange={change} />
    </>
  );
}

interface RowProps {
  readonly output: OutputDraft;
  readonly j: number;
  readonly name: string;
}

function setOutput(j: number, changed: Partial<OutputDraft>, field: string): void {
  const { outputs } = draft.value;
  change({ outputs: outputs.with(j, { ...outputs[j]!, ...changed }) }, pathOf(j, field), 'targets');
}

function pathOf(j: number, field: string): string {
  return `outputs/${j}/${field}`;
}

interface TargetRowProps extends RowProps {
  /** undefined while a number is missing, and for a fit. */
  readonly interval: Ends | undefined;
  /** The output of each run that is there already. */
  readonly values: readonly number[];
}

function TargetRow({ output, j, name, interval, values }: TargetRowProps) {
  const { type, target, unit } = output;
  return (
    <tr>
      <th scope="row">{titled(name, unit)}</th>
      <td>
        <CellChoice
          path={pathOf(j, 'type')}
          label={`What is wanted of ${name}`}
          value={type}
          options={GOAL_CHOICES}
          onChange={(value) => setOutput(j, { type: value }, 'type')}
        />
      </td>
      <td>
        <CellText
          path={pathOf(j, 'target')}
          label={`Target of ${name}`}
          value={target}
          isNumber
          onInput={(value) => setOutput(j, { target: value }, 'target')}
        />
      </td>
      <ToleranceCells output={output} j={j} name={name} />
      <td>
        {interval ? (
          <span class="interval">
            <span>{withUnit(wanted(interval), unit)}</span>
            <TargetStrip name={name} ends={interval} values={values} />
          </span>
        ) : (
          <span class="hint">–</span>
        )}
      </td>
    </tr>
  );
}

/** The bounds around a target, or the standard error of a measured value. */
function ToleranceCells({ output, j, name }: RowProps) {
  const { type, unit } = output;
  const { offsets } = GOAL_TYPES[type];
  if (offsets !== null) {
    return (['from', 'to'] as const).map((end) => (
      <td key={end}>
        <span class="with-unit">
          <CellText
            path={pathOf(j, end)}
            label={`${end === 'from' ? 'From' : 'To'}, ${offsets.asked} of ${name}`}
            value={output[end]}
            isNumber
            onInput={(value) => setOutput(j, { [end]: value }, end)}
          />
          {offsets.suffix.trim() || unit}
        </span>
      </td>
    ));
  }
  if (type === 'fit') {
    return (
      <td colSpan={2}>
        <span class="with-unit">
          <CellText
            path={pathOf(j, 'sigma')}
            label={`Standard error of the measured ${name}`}
            value={output.sigma}
            placeholder="unknown"
            onInput={(value) => setOutput(j, { sigma: value }, 'sigma')}
          />
          {unit}
        </span>
      </td>
    );
  }
  return (
    <td colSpan={2} class="hint">
      {isAspiration(type) &&
        'the target, or anything better; empty: improve without end, and find the front of all such outputs'}
    </td>
  );
}

function MeasuredValues({ outputs }: Pick<Draft, 'outputs'>) {
  return (
    <>
      <TakeTable
        label="Measured values"
        hint="A row per output: its value and, if known, its standard error. Names of outputs may come first; without them the rows belong to the fitted outputs in their order."
        onRows={(rows) => {
          const taken = takeMeasured(rows, outputs);
          change({ outputs: taken.outputs }, 'outputs', 'targets');
          return taken.said;
        }}
      />
      <p class="hint">
        The target of a fitted output is the measured value, empty where there is none. Next to it goes the standard
        error of that value: a number, or a share such as 2 %. Leave all of them out if they are equal and unknown. All
        measured values count together; the other targets are limits.
      </p>
    </>
  );
}

/** Outputs of the runs that are there already; rows with faults do not count. */
function knownOutputs(current: Draft): readonly (readonly number[])[] {
  const { body, faults } = current.data === 'own' ? readOwn(current).results : readResults(current);
  const list = current.data === 'own' ? 'own' : 'results';
  const wrong = new Set(
    Object.keys(faults)
      .filter((path) => path.startsWith(`${list}/`))
      .map((path) => Number(path.split('/')[1])),
  );
  const failed = new Set(body.failedCases ?? []);
  if (faults['columns'] !== undefined) return [];
  return (body.outputCases as readonly (readonly number[])[]).filter((_, r) => !wrong.has(r) && !failed.has(r));
}
