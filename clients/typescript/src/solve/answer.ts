/** The answer of a search, as the service says what it is, among the runs of this machine. */
import { isDeepStrictEqual } from 'node:util';
import type { Run as JournalRun } from '../evaluator/journal.ts';
import { numberOf } from '../evaluator/run-name.ts';
import type { SearchAnswer } from '../generated/schemas.ts';

/** The first run at the input of the answer. If another machine made it, the service alone knows it. */
export function runOfAnswer(
  answer: SearchAnswer,
  runs: readonly JournalRun[],
  nameOf: (run: JournalRun) => string,
): { readonly name: string; readonly number: number | null } {
  const own = runs.find((run) => isRunOf(run, answer));
  if (own !== undefined) return { name: nameOf(own), number: numberOf(own) };
  return { name: answer.name, number: answer.caseNumber ?? answer.iteration };
}

function isRunOf(run: JournalRun, { caseNumber, inverseId, iteration, input }: SearchAnswer): boolean {
  if (caseNumber !== null) return run.kind === 'case' && run.caseNumber === caseNumber;
  // A search begins with a copy: of the start, or of a run that was made before it.
  return run.inverseId === inverseId || (iteration === 1 && isDeepStrictEqual(run.input, input));
}

/** Whether the answer meets the goals as the search asks it: an input that was not declared does not, whatever its mean. */
export function isMet({ kind, worstMiss }: Pick<SearchAnswer, 'kind' | 'worstMiss'>): boolean {
  return kind === 'declared' || (kind !== 'likeliest' && worstMiss === 0);
}
