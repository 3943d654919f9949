/** A workbook of formulas as the black box: takes the file, and lets its cells be chosen as inputs and outputs. */
import { useEffect, useState } from 'preact/hooks';
import type { SurveyedWorkbook } from '../../../../clients/typescript/src/index.ts';
import { counted, short } from '../../../presentation/formats.ts';
import { FileBox } from '../../parts/file-box.tsx';
import { explain, service } from '../../shell/service.ts';
import { takeCell, withoutCell, withoutWorkbook } from './cells.ts';
import { FaultBlock } from './fields.tsx';
import { change, draft } from './store.ts';

type Cell = SurveyedWorkbook['inputs'][number];
type Side = 'inputs' | 'outputs';

/** From so many the names of cells are searched. */
const MANY = 12;

export function WorkbookBox() {
  const chosen = draft.value.workbook;
  /** The largest file; null: none is taken; undefined: not known yet. */
  const [most, setMost] = useState<number | null | undefined>(undefined);
  const [book, setBook] = useState<SurveyedWorkbook | undefined>(undefined);
  const [said, say] = useState('');
  useEffect(() => {
    service.call('getAccount').then(
      ({ body }) => setMost(body.workbooks?.bytes ?? null),
      (error: unknown) => say(explain(error)),
    );
  }, []);
  useEffect(() => {
    if (chosen === null || chosen.id === book?.id) return;
    service
      .call('getWorkbook', { path: { workbook_id: chosen.id } })
      .then(({ body }) => setBook(body))
      .catch((error: unknown) => say(explain(error)));
  }, [chosen?.id]);
  if (most === null && chosen === null) {
    return (
      <p class="hint">
        The operator of this service does not let it calculate spreadsheets;{' '}
        <a href="/docs/guides/coming-from-excel">backsolve run</a> calculates yours on your own machine.
      </p>
    );
  }
  const upload = async (file: File) => {
    if (most != null && file.size > most) return `${file.name} is larger than ${short(most / 2 ** 20)} MB.`;
    say('Reading the workbook…');
    try {
      const body = { name: file.name.slice(-200), content: toBase64(new Uint8Array(await file.arrayBuffer())) };
      const { body: made } = await service.call('createWorkbook', { body });
      setBook(made);
      change({ ...withoutWorkbook(draft.value), workbook: { id: made.id, name: made.name }, data: 'designed' });
      return `${made.name} has ${counted(made.inputs.length, 'cell')} with a number and ${counted(made.outputs.length, 'formula')}.`;
    } catch (error) {
      return explain(error);
    }
  };
  return (
    <details class="workbook" open={chosen !== null}>
      <summary>A spreadsheet calculates the outputs (optional)</summary>
      <FileBox label="Workbook" said={said} onSay={say} onFile={upload} accept=".xlsx" choose="Choose an .xlsx file">
        <p class="hint">
          The service then makes all runs itself. Formulas only: macros are never run, and no other file is read. Save a
          copy of an .ods file as .xlsx.
        </p>
      </FileBox>
      <FaultBlock path="workbook" />
      {chosen !== null && (
        <>
          <p>
            <bdi>{chosen.name}</bdi>{' '}
            <button
              type="button"
              onClick={() => {
                say('');
                change(withoutWorkbook(draft.value), 'inputs', 'outputs');
              }}
            >
              Remove the workbook
            </button>
          </p>
          {book?.id === chosen.id && (
            <div class="field-row">
              <Cells side="inputs" title="Inputs: cells with a number" cells={book.inputs} />
              <Cells side="outputs" title="Outputs: cells with a formula" cells={book.outputs} />
            </div>
          )}
        </>
      )}
    </details>
  );
}

interface CellsProps {
  readonly side: Side;
  readonly title: string;
  readonly cells: readonly Cell[];
}

function Cells({ side, title, cells }: CellsProps) {
  const [text, setText] = useState('');
  const rows = draft.value[side];
  const isUsed = (cell: string) => rows.some((row) => row.cell === cell);
  const wanted = text.trim().toLowerCase();
  const shown = cells.filter(
    (one) => isUsed(one.cell) || `${one.cell} ${one.name} ${one.label}`.toLowerCase().includes(wanted),
  );
  const toggle = (one: Pick<Cell, 'cell' | 'name' | 'label'>) =>
    change(isUsed(one.cell) ? withoutCell(draft.value, side, one.cell) : takeCell(draft.value, side, one), side);
  return (
    <fieldset class="cells">
      <legend>{title}</legend>
      {(cells.length > MANY || shown.length === 0) && (
        <p class="field-row">
          <input
            type="search"
            aria-label={`Find a cell for ${side}`}
            placeholder="Find, or Sheet1!B3"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          {/\d/.test(text) && !isUsed(text.trim()) && (
            <button type="button" onClick={() => toggle({ cell: text.trim(), name: null, label: null })}>
              Add {text.trim()}
            </button>
          )}
        </p>
      )}
      <ul>
        {shown.map((one) => (
          <li key={one.cell}>
            <label class="choice">
              <input type="checkbox" checked={isUsed(one.cell)} onChange={() => toggle(one)} />{' '}
              <bdi>{one.name ?? one.label}</bdi>{' '}
              <span class="hint">
                <bdi>{one.cell}</bdi>
                {one.value !== null && `, now ${short(one.value)}`}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

/** In pieces: a call takes some thousand arguments. */
function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8_192) text += String.fromCharCode(...bytes.subarray(i, i + 8_192));
  return btoa(text);
}
