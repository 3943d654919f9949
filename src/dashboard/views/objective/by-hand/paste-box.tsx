import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { short, titled } from '../../../../presentation/formats.ts';
import type { DecimalSign } from '../../../parts/decimal-sign.ts';
import { readValues } from '../../../parts/paste.ts';
import { readNumber } from '../../../parts/read-number.ts';
import { SignQuestion } from '../../../parts/sign-question.tsx';
import { TableHead } from '../../../parts/table-head.tsx';

/** Rows of the preview. */
const MAXIMUM_ROWS = 40;

interface PasteBoxProps {
  readonly names: readonly string[];
  readonly units: readonly string[] | null;
  readonly initial: string;
  onTake(texts: readonly string[]): void;
  onCancel(): void;
}

/** Takes all outputs together, and shows how it reads them before they go into the form. */
export function PasteBox({ names, units, initial, onTake, onCancel }: PasteBoxProps) {
  const [text, setText] = useState(initial);
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const [sign, setSign] = useState<DecimalSign | undefined>(undefined);
  const { cells, fault, question } = readValues(text, names, sign);
  const isEmpty = text.trim() === '';
  return (
    <div class="paste-box">
      <label for={id}>Paste the outputs</label>
      <p class="hint" id={`${id}-hint`}>
        A row or a column of a spreadsheet, or values separated by tabs, semicolons or lines. Decimal commas are
        understood.
      </p>
      <textarea
        ref={area}
        id={id}
        rows={3}
        value={text}
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setSign(undefined);
        }}
      />
      {!isEmpty && fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {question !== undefined && <SignQuestion question={question} onAnswer={setSign} />}
      {cells !== undefined && (
        <table class="paste-preview">
          <caption class="visually-hidden">How the outputs are read</caption>
          <TableHead titles={['Output', 'Read as']} numbers={['Read as']} />
          <tbody>
            {chooseRows(cells).map((j) => (
              <tr key={names[j]}>
                <th scope="row">{titled(names[j]!, units?.[j])}</th>
                <PreviewCell text={cells[j]!} />
              </tr>
            ))}
          </tbody>
          {cells.length > MAXIMUM_ROWS && (
            <tfoot>
              <tr>
                <td colSpan={2}>{cells.length} outputs in all.</td>
              </tr>
            </tfoot>
          )}
        </table>
      )}
      <p class="dialog-buttons">
        <button type="button" disabled={cells === undefined} onClick={() => cells && onTake(cells)}>
          Fill these in
        </button>
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </div>
  );
}

/** Those with a fault first, if there are too many. */
function chooseRows(cells: readonly string[]): readonly number[] {
  const rows = [...cells.keys()];
  if (rows.length <= MAXIMUM_ROWS) return rows;
  const isFaulty = (j: number) => readNumber(cells[j]!).fault !== undefined;
  return [...rows.filter(isFaulty), ...rows.filter((j) => !isFaulty(j))].slice(0, MAXIMUM_ROWS);
}

function PreviewCell({ text }: { readonly text: string }) {
  const { value, fault } = readNumber(text);
  if (fault !== undefined) return <td class="fault">{fault}</td>;
  return (
    <td class="number" title={String(value)}>
      {short(value)}
    </td>
  );
}
