/** How an objective that has ended came out, in a sentence. */
import { StopReason } from '../../clients/typescript/src/index.ts';
import { type Head, seeksFront } from './columns.ts';
import { judgedCount } from './distances.ts';

/** @param hasInput  whether the input of the best run is known, which then follows */
export function verdictOf(head: Head, hasInput: boolean): string {
  const { stopReason, optimalIteration, bestIteration, bestCaseNumber, maximumAttempts } = head;
  if (stopReason === StopReason.SATISFIED) {
    return `${judgedCount(head) < head.objectives.length ? 'The best fit is' : 'Met at'} run ${optimalIteration}.`;
  }
  const ending = stopReason === StopReason.EXHAUSTED ? `All ${maximumAttempts} suggested inputs are used.` : 'Stopped.';
  if (seeksFront(head) && optimalIteration !== null) return `${ending} The best compromise is run ${optimalIteration}:`;
  const best = bestIteration !== null ? `run ${bestIteration}` : `case ${bestCaseNumber}`;
  return hasInput ? `${ending} The best so far is ${best}:` : ending;
}
