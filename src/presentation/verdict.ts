/** Says in a sentence how an objective that has ended came out. */
import { StopReason } from '../../clients/typescript/src/index.ts';
import { type Head, seeksFront } from './columns.ts';
import { isFit } from './distances.ts';
import { nameOfBest } from './nearness.ts';

/** @param hasInput  whether the input of the best run is known, which then follows */
export function verdictOf(head: Head, hasInput: boolean): string {
  const { stopReason, optimalIteration, maximumAttempts } = head;
  if (stopReason === StopReason.SATISFIED) {
    return `${isFit(head) ? 'The best fit is' : 'Met at'} ${nameOfBest(head)}.`;
  }
  const ending = stopReason === StopReason.EXHAUSTED ? `All ${maximumAttempts} suggested inputs are used.` : 'Stopped.';
  if (!hasInput) return ending;
  const what = seeksFront(head) && optimalIteration !== null ? 'The best compromise' : 'The best so far';
  return `${ending} ${what} is ${nameOfBest(head)}:`;
}
