/** The outcome of an ended objective: how it ended and why, and the input that came of it. Its margins are in the targets below. */
import { StopReason } from '../../../../../clients/typescript/src/index.ts';
import { type Columns, type Head, rowOf, seeksFront, vectorAt } from '../../../../shown/columns.ts';
import { verdictOf } from '../../../../shown/verdict.ts';
import { InputValues } from './input-values.tsx';
import { SaveWorkbook } from './save-workbook.tsx';

export function Result({ head, columns }: { readonly head: Head; readonly columns: Columns }) {
  const { stopReason, optimalIteration, endReason } = head;
  const isOptimal = stopReason === StopReason.SATISFIED || seeksFront(head);
  const row = isOptimal && optimalIteration !== null ? rowOf(columns, optimalIteration) : -1;
  const input = row < 0 ? head.bestInput : vectorAt(columns.inputs, row);
  return (
    <>
      <p class="hand-verdict" data-follow tabIndex={-1}>
        {verdictOf(head, input != null)}
      </p>
      {input && <InputValues head={head} input={input} />}
      {input && <SaveWorkbook head={head} input={input} />}
      {endReason !== null && <p class="objective-end">{endReason}</p>}
    </>
  );
}
