/** Translates a proposal of the optimizer into an inverse. */
import type { Snapshot } from '../../db/search/suggestions.ts';
import { type Ending, endingOf } from '../../domain/search/ending.ts';
import { checkSuggestion, isAdmissible } from '../../domain/search/objective-limits.ts';
import { findOptimum } from '../../domain/search/optimum.ts';
import { questOf } from '../../domain/search/quest.ts';
import { withoutNegativeZero } from '../../domain/vectors.ts';
import type { History, Proposal } from '../../optimizer/interface/problem.ts';
import { rowOf, runsAt } from './engine-input.ts';

/** Whether nothing more is run: nothing is found, or no attempt is left and the suggestion was to decide how the objective ends. */
export function isNothingNew({ objective }: Snapshot, proposal: Proposal): boolean {
  const { attemptCount, maximumAttempts } = objective;
  return proposal.kind === 'nothing-new' || (!questOf(objective).endsWithRuns && attemptCount >= maximumAttempts);
}

export interface Suggested {
  readonly input: readonly number[];
  /** Whether it has been run before. */
  readonly isRepeat: boolean;
  readonly expected: readonly number[] | null;
  readonly chance: number | null;
  /** The cheaper source that the input is for; null for the fine one. */
  readonly source: string | null;
  /** Set when the optimizer has nothing new: the known output of the repeated best input. */
  readonly output: readonly number[] | null;
  /** Reason why nothing new is suggested; null with a new input. */
  readonly ended: Ending | null;
  /** The iteration that meets the targets most surely as far as a search for a surer input knows; null without one. */
  readonly surestIteration: number | null;
}

/** Fields that a suggestion to be run leaves open. */
const NOTHING_ENDED = { output: null, ended: null };

/**
 * Translates the proposal into an inverse, or returns the text of a fault: nothing outside the space and the limits of
 * the objective ever reaches a client.
 */
export function toSuggested(snapshot: Snapshot, history: History, proposal: Proposal): Suggested | string {
  const { objective, space, iterations } = snapshot;
  // Its own runs are the last rows.
  const iterationAt = (row: number) => iterations[row - (history.count - iterations.length)]!;
  if (proposal.kind === 'candidate' && !isNothingNew(snapshot, proposal)) {
    const input = withoutNegativeZero(Array.from(proposal.input));
    const violations = checkSuggestion(space, objective, input);
    if (violations.length > 0 || !input.every(Number.isFinite)) {
      return `the optimizer proposed an input outside the space: ${JSON.stringify(input)}`;
    }
    const expected = proposal.expected ? Array.from(proposal.expected) : null;
    const isRepeat = proposal.repeatOf !== undefined;
    const surestIteration = proposal.surestIndex === undefined ? null : iterationAt(proposal.surestIndex);
    const source = proposal.source === undefined ? null : snapshot.coarse[proposal.source]!.name;
    return { ...NOTHING_ENDED, input, isRepeat, expected, chance: proposal.chance, source, surestIteration };
  }
  const end = {
    isRepeat: false,
    ended: endingOf(proposal),
    surestIteration: null,
    expected: null,
    chance: null,
    source: null,
  };
  const standing = proposal.standing?.row;
  if (standing !== undefined) {
    const input = rowOf(history.X, standing, space.inputCount);
    return { ...end, input, output: runsAt(history, input).mean };
  }
  const outputs = Array.from({ length: history.count }, (_, row) =>
    history.failed[row] === 1 || !isAdmissible(space, objective, rowOf(history.X, row, space.inputCount))
      ? null
      : rowOf(history.Y, row, objective.objectives.length),
  );
  const isSurest = proposal.kind === 'nothing-new' && proposal.reason === 'robust';
  const best =
    (isSurest ? null : findOptimum(objective, outputs)) ??
    (proposal.kind === 'nothing-new' ? proposal.bestIndex : outputs.findIndex((output) => output !== null));
  const output = outputs[best];
  if (output == null) return 'the optimizer has nothing new and no run succeeded';
  const surestIteration = isSurest ? iterationAt(best) : null;
  return { ...end, input: rowOf(history.X, best, space.inputCount), output, surestIteration };
}
