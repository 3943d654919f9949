/** The outcome of an ended objective: how it ended and why, and the input that came of it. Its margins are in the targets below. */
import type { Head } from '../../../../presentation/columns.ts';
import { verdictOf } from '../../../../presentation/verdict.ts';
import { InputValues } from './input-values.tsx';
import { SaveWorkbook } from './save-workbook.tsx';

export function Result({ head }: { readonly head: Head }) {
  const { endReason, bestInput: input } = head;
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
