/**
 * Whether a search is to end because its targets cannot all be met and the best compromise is found: no run came noticeably nearer for a
 * while, the models expect nothing better anywhere, and hold nothing better possible. The constants are chosen on systems whose least
 * worst miss is known, and on the collection, where every target can be met (bench/badly-posed/out-of-reach.ts).
 */

import type { Standstill, StopRule } from '../interface/problem.ts';
import type { Work } from '../numerics/work.ts';
import type { Encoding } from '../space/encoding.ts';
import {
  areModelsExact,
  type CaseMisses,
  isSought,
  leastExpected,
  mayMove,
  missesOfCases,
  negligibleGain,
  OPTIMISM,
} from './compromise.ts';
import { firstRow } from './progress.ts';
import type { Problem } from './scope-search.ts';

/**
 * Suggestions in a row that came no nearer before any evidence counts, and how many more for every input. Between integers minima are many:
 * with one for each, two of twelve searches for four tooth counts ended that were solved 2 and 19 runs later.
 */
const QUIET = 5;
const QUIET_PER_INPUT = { continuous: 1, discrete: 6 };

/** An end with the case at the best compromise. */
export interface OutOfReach {
  readonly standstill: Standstill;
  /** Number of the case. */
  readonly best: number;
}

/** Null while the search goes on. While inputs are pending, an end means to wait for what they show: it is asked again then. */
export function outOfReach(problem: Problem, { improvementBelow: share }: StopRule, work: Work): OutOfReach | null {
  const { encoding } = problem;
  // Models of one category tell little about another: they ended a search for three materials that was solved eight runs later.
  const hasCategories = encoding.p > encoding.n;
  if (hasCategories || !isSought(problem)) return null;
  const misses = missesOfCases(problem);
  const { best, worst } = misses;
  if (best < 0 || worst[best] === 0) return null;
  const quiet = quietSince(problem, misses, share);
  if (quiet < leastQuiet(encoding)) return null;
  const surrogate = problem.fitGlobally({ ...work });
  if (!areModelsExact(surrogate) || mayMove(problem, surrogate, best)) return null;
  const gains = [0, OPTIMISM].map((optimism) => {
    const least = leastExpected(problem, misses, { optimism }, { ...work });
    return least !== null && least.worst > 0 ? worst[best]! - least.worst : Number.POSITIVE_INFINITY;
  });
  const negligible = negligibleGain(worst[best]!, share);
  if (gains.some((gain) => gain > negligible)) return null;
  return { standstill: { quiet, expectedGain: Math.max(0, ...gains) / (1 + worst[best]!) }, best };
}

function leastQuiet({ movable, discrete }: Encoding): number {
  return movable.reduce(
    (sum, one, v) => sum + one * (discrete[v] === 1 ? QUIET_PER_INPUT.discrete : QUIET_PER_INPUT.continuous),
    QUIET,
  );
}

/** Suggestions since the worst miss last fell noticeably. */
function quietSince({ request, cases }: Problem, { worst }: CaseMisses, share: number): number {
  let least = Number.POSITIVE_INFINITY;
  let last = firstRow(request) - 1;
  cases.rows.forEach((row, i) => {
    if (cases.isAdmissible[i] === 0 || worst[i]! > least - negligibleGain(worst[i]!, share)) return;
    least = worst[i]!;
    last = Math.max(last, row);
  });
  return request.history.count - 1 - last;
}
