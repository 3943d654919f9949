/**
 * Decides when the next input comes from a quadratic trust region: for one number in a curved valley, once the search stalls with as many
 * cases as a quadratic has coefficients. Nothing is remembered: the region is replayed over the cases.
 */

import { type Interval, improvementSign } from '../goal/targets.ts';
import { movableCount } from '../space/encoding.ts';
import type { Problem } from './scope-search.ts';
import { type Numbers, quadraticSize, TrustRegion } from './trust-region.ts';

/**
 * Numbers of inputs for which the region applies. With fewer inputs the Gaussian processes learn a valley from fewer
 * cases, but without a stated aspiration small differences count, which a quadratic tells apart where they no longer
 * do; with more inputs a quadratic takes too many cases.
 */
const INPUTS = { least: 4, leastUnstated: 2, most: 12 };
/**
 * Condition for its start: so many cases without progress, and a case for every coefficient of a quadratic. With fewer
 * than `INPUTS.least` inputs also so many cases per input, as the Gaussian processes come near a minimum in fewer.
 */
const START = { stall: 6, ofFew: { stall: 3, casesPerInput: 10 } };
/** Progress is a fall of the distance from the target below this share, see `stallOf`. */
const PROGRESS = Math.sqrt(0.9);
/** Weight that the gain of a suggestion keeps in the mean gain from one suggestion of its kind to the next. */
const MEMORY = 0.8;
/** A replay begins at most this many cases back, at a multiple of half of it. */
const REPLAYED = 600;

/** The features of the next point of the region; null when this suggestion is not its turn. */
export function trustRegionPoint(problem: Problem): Float64Array | null {
  const numbers = numbersOf(problem);
  const start = numbers === null ? -1 : startOf(numbers, ownFrom(problem));
  return start < 0 ? null : replay(numbers!, start);
}

/** The number to make small; null where something else is asked, or inputs are not free numbers. */
function numbersOf({ request, encoding, cases, conditions, pending }: Problem): Numbers | null {
  const { n, p, lower, upper, discrete, movable, variables } = encoding;
  const { intervals, Y, U, N } = cases;
  const least = request.goal.targets[0]!.isUnstated ? INPUTS.leastUnstated : INPUTS.least;
  if (intervals.length !== 1 || N === 0 || n < least || n > INPUTS.most) return null;
  if (request.noise || request.solutions || conditions !== null || pending.count > 0) return null;
  if (p !== n || movableCount(encoding) < n || discrete.includes(1) || movable.includes(0)) return null;
  if (variables.some(({ fixedAt }) => fixedAt !== undefined)) return null;
  const interval = intervals[0]!;
  const sign = signOf(interval, Y[0]!);
  const target = sign > 0 ? interval.upper : -interval.lower;
  const points: Float64Array[] = [];
  const y: number[] = [];
  for (let i = 0; i < N; i++) {
    const u = U.slice(i * p, (i + 1) * p);
    if (u.some((one, f) => one < lower[f]! || one > upper[f]!)) continue;
    points.push(u);
    y.push(sign * Y[i]!);
  }
  if (!Number.isFinite(target) || y.some((one) => one <= target)) return null;
  return { points, y, lower, upper, target };
}

/** 1 if the number has to fall, -1 if it has to rise. For a target with two sides, the first case tells on which of them the cases are. */
function signOf(interval: Interval, first: number): 1 | -1 {
  if (interval.directed) return improvementSign(interval);
  return first < interval.lower ? -1 : 1;
}

/** Number of cases that were no attempts to reach the target. */
function ownFrom({ cases, request }: Problem): number {
  return cases.rows.filter((row) => row < (request.firstOwn ?? 0)).length;
}

/** The number of cases after which the region starts; -1 when it does not. */
function startOf({ y, target, lower }: Numbers, own: number): number {
  let best = y[0]!;
  let last = Math.max(0, own - 1);
  const n = lower.length;
  const hasFew = n < INPUTS.least;
  const stall = hasFew ? START.ofFew.stall : START.stall;
  const cases = Math.max(quadraticSize(n), hasFew ? START.ofFew.casesPerInput * n : 0);
  for (let i = 0; i < y.length; i++) {
    if (y[i]! - target < PROGRESS * (best - target)) last = Math.max(last, i);
    best = Math.min(best, y[i]!);
    if (i - last < stall || i + 1 < cases) continue;
    const half = REPLAYED / 2;
    return Math.max(i + 1, (Math.floor(y.length / half) - 1) * half);
  }
  return -1;
}

/**
 * The next point after all cases, unless it is time for another way to choose: in turn with it while the region gains no more
 * than others, after n steps of the region when it does. A gain is the fall of the logarithm of the distance from the target.
 */
function replay(numbers: Numbers, start: number): Float64Array | null {
  const { y, target, lower } = numbers;
  const region = new TrustRegion(numbers, start);
  const gains = { region: 0, others: 0 };
  let steps = 0;
  let best = Math.min(...y.slice(0, start));
  let point = region.ask();
  for (const value of y.slice(start)) {
    const gain = Math.log(best - target) - Math.log(Math.min(best, value) - target);
    best = Math.min(best, value);
    const isStep = region.tell();
    const kind = isStep ? 'region' : 'others';
    gains[kind] = MEMORY * gains[kind] + (1 - MEMORY) * gain;
    steps = isStep ? steps + 1 : 0;
    const ended = region.endCount;
    point = region.ask();
    if (region.endCount > ended) gains.region = 0;
  }
  return steps < (gains.region > gains.others ? lower.length : 1) ? point : null;
}
