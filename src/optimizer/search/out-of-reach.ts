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
  hiddenFrom,
  isSought,
  leastExpected,
  missesOfCases,
  negligibleGain,
  OPTIMISM,
} from './compromise.ts';
import { firstRow } from './progress.ts';
import type { Problem } from './scope-search.ts';

/** Number of suggestions in a row that come no nearer: a base, and so many more for every input that may vary. */
interface Patience {
  readonly base: number;
  readonly continuous: number;
  readonly discrete: number;
}

/**
 * Before the models are asked. Between integers minima are many: with one for each, two of twelve searches for four tooth counts ended that
 * were solved 2 and 19 runs later.
 */
const QUIET: Patience = { base: 5, continuous: 1, discrete: 6 };
/** Before a search ends whose models can tell nothing: outputs with kinks, cut off or constant, and choices. */
const LONG: Patience = { base: 25, continuous: 5, discrete: 10 };
/** So many times as long where a missed output is cut off: few of the runs tell anything of it. */
const IF_CUT_OFF = 3;

/** An end with the case at the best compromise. */
export interface OutOfReach {
  readonly standstill: Standstill;
  /** Number of the case. */
  readonly best: number;
}

/** Null while the search goes on. While inputs are pending, an end means to wait for what they show: it is asked again then. */
export function outOfReach(problem: Problem, rule: StopRule, work: Work): OutOfReach | null {
  const { encoding } = problem;
  if (!isSought(problem)) return null;
  const misses = missesOfCases(problem);
  const { best, worst } = misses;
  if (best < 0 || worst[best] === 0) return null;
  const { quiet, answered } = quietSince(problem, misses, rule.improvementBelow);
  if (quiet < allowed(QUIET, encoding)) return null;
  const surrogate = problem.fitGlobally({ ...work });
  const hidden = hiddenFrom(problem, surrogate, best);
  // Models of one category tell little about another: they ended a search for three materials that was solved eight runs later.
  const canTell = hidden === null && encoding.p === encoding.n && areModelsExact(surrogate);
  const gain = canTell ? gainLeft(problem, misses, rule.improvementBelow, work) : null;
  const long = (hidden === 'cut-off' ? IF_CUT_OFF : 1) * allowed(LONG, encoding);
  return gain === null && answered < long ? null : { standstill: { quiet, expectedGain: gain }, best };
}

/** The largest reduction of the worst miss that the models expect or hold possible, as a share; null where it is worth further runs. */
function gainLeft(problem: Problem, misses: CaseMisses, share: number, work: Work): number | null {
  const { best, worst } = misses;
  const gains = [0, OPTIMISM].map((optimism) => {
    const least = leastExpected(problem, misses, { optimism }, { ...work });
    return least !== null && least.worst > 0 ? worst[best]! - least.worst : Number.POSITIVE_INFINITY;
  });
  const negligible = negligibleGain(worst[best]!, share);
  return gains.some((gain) => gain > negligible) ? null : Math.max(0, ...gains) / (1 + worst[best]!);
}

/** Number of suggestions in a row that may come no nearer. */
function allowed({ base, continuous, discrete: perDiscrete }: Patience, { movable, discrete }: Encoding): number {
  return movable.reduce((sum, one, v) => sum + one * (discrete[v] === 1 ? perDiscrete : continuous), base);
}

/** Suggestions since the worst miss last fell noticeably, and how many of them have an output. */
function quietSince({ request, cases }: Problem, { worst }: CaseMisses, share: number) {
  let least = Number.POSITIVE_INFINITY;
  let last = firstRow(request) - 1;
  cases.rows.forEach((row, i) => {
    if (cases.isAdmissible[i] === 0 || worst[i]! > least - negligibleGain(worst[i]!, share)) return;
    least = worst[i]!;
    last = Math.max(last, row);
  });
  return { quiet: request.history.count - 1 - last, answered: cases.rows.filter((row) => row > last).length };
}
