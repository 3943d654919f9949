/**
 * The best value of one output to minimize or maximize within all limits, where its aspiration is out of reach. It is sought as a
 * compromise is, as a least worst miss: of the best value so far, in shares of the scale of the output, and of the limits, in units so
 * small that the search stays just within them.
 */
import { type Interval, improvementSign, lossScales, meetsLimits } from '../goal/targets.ts';
import type { Work } from '../numerics/work.ts';
import { movableCount } from '../space/encoding.ts';
import {
  type CaseMisses,
  type Expected,
  isOneRunSought,
  leastExpected,
  OPTIMISM,
  type Otherwise,
  unlessKnown,
} from './compromise.ts';
import { bestFeasible } from './directed-outputs.ts';
import type { Found } from './maximize-acquisition.ts';
import { progressOf, scalesAround } from './progress.ts';
import type { Problem } from './scope-search.ts';

/** Unit of a miss of a limit: a share of what the output varies by, and of the width of its interval. */
const LIMIT_SHARE = 1e-3;
const WIDTH_SHARE = 0.05;
/** Miss of a case outside of the limits. */
const OUTSIDE = 1e6;
/** Suggestions without an improvement before the best value is sought so. */
const FIRST_QUIET = 5;
/** Least improvement that is worth a run, expected and held possible: shares of the scale. */
const WORTHWHILE = { expected: 0.001, possible: 0.005 };
/** An improvement that starts the count again. */
const IMPROVED = 0.005;

/** An improvement sought from the best case on. */
export interface Improvement {
  /** Suggestions since the best value last improved. */
  readonly quiet: number;
  readonly misses: CaseMisses;
  readonly measure: NonNullable<Otherwise['measure']>;
  /** From the best value to the aspiration, in shares of the scale. */
  readonly wanted: number;
}

/** null unless exactly one output is directed and a case meets all limits. @param share see `progressOf` */
export function improvementSought(problem: Problem, share = IMPROVED): Improvement | null {
  const { encoding, cases } = problem;
  const { intervals, Y, N } = cases;
  const directed = intervals.flatMap((one, j) => (one.directed && Number.isFinite(one.center) ? [j] : []));
  if (directed.length !== 1 || !isOneRunSought(problem) || N < movableCount(encoding) + 2) return null;
  const best = bestFeasible(cases, intervals);
  if (best < 0) return null;
  const m = intervals.length;
  const j = directed[0]!;
  const sign = improvementSign(intervals[j]!);
  const scales = scalesAround(problem, best);
  const value = Y[best * m + j]!;
  const { quiet } = progressOf(problem, share, scales);
  const worst = Float64Array.from({ length: N }, (_, i) =>
    meetsLimits(intervals, Y, i * m) ? (sign * (Y[i * m + j]! - value)) / scales[j]! : OUTSIDE,
  );
  const units = unitsOf(intervals, Y, N);
  units[j] = scales[j]!;
  const end = sign > 0 ? { upper: value } : { lower: value };
  const measure = { intervals: intervals.with(j, { ...intervals[j]!, ...end }), units };
  const { center } = intervals[j]!;
  return {
    quiet,
    misses: { measure: { ...measure, worstOf: () => 0 }, worst, best },
    measure,
    wanted: (sign * (value - center)) / scales[j]!,
  };
}

function unitsOf(intervals: readonly Interval[], Y: Float64Array, N: number): Float64Array {
  const scales = lossScales(intervals, Y, N);
  return Float64Array.from(intervals, ({ lower, upper }, j) => {
    const width = upper - lower;
    const unit = LIMIT_SHARE * scales[j]!;
    return Math.max(Number.MIN_VALUE, Number.isFinite(width) && width > 0 ? Math.min(unit, WIDTH_SHARE * width) : unit);
  });
}

/** The input with the best value that the models expect, with so many standard deviations taken off; null for none. */
export function bestAttainable(
  problem: Problem,
  { misses, measure }: Improvement,
  otherwise: Omit<Otherwise, 'measure'>,
  work: Work,
): (Expected & { readonly gain: number }) | null {
  const expected = leastExpected(problem, misses, { ...otherwise, measure }, work);
  return expected && { ...expected, gain: -expected.worst };
}

/**
 * The input with the best value that the models expect or, every other time, hold possible, once the best value stands still and they
 * hold the aspiration out of reach; null where it promises nothing.
 *
 * @param likeliest features of the input most likely to reach the aspiration; null for none
 */
export function nextImprovement(problem: Problem, likeliest: Float64Array | null): Found | null {
  const { request, pending } = problem;
  const sought = improvementSought(problem);
  if (sought === null || sought.quiet < FIRST_QUIET) return null;
  const work: Work = { spent: 0, limit: request.workLimit };
  const possible = bestAttainable(problem, sought, { optimism: OPTIMISM, enough: -sought.wanted, likeliest }, work);
  if (possible === null || possible.gain >= sought.wanted) return null;
  const expected = bestAttainable(problem, sought, {}, work);
  if (expected !== null && expected.gain >= WORTHWHILE.expected) return unlessKnown(problem, expected);
  if (((sought.quiet >> 1) + pending.count) % 2 === 1) return null;
  return possible.gain >= WORTHWHILE.possible ? unlessKnown(problem, possible) : null;
}
