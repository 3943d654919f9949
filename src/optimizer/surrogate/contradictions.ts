/**
 * Cases that everything else contradicts: a slip of the pen, a misplaced decimal point, a placeholder such as 1e300. One such
 * value bends the model of its output everywhere and swamps its scale, so the case is left out of all that a suggestion
 * learns from. Nothing is remembered: further cases may show that the value was right.
 *
 * A run in which several outputs are absurd together is no slip but an event, such as a reactor that runs away: it stays.
 *
 * A case is a suspect when one of its outputs lies far outside the range of all others. It is contradicted when the model of
 * the others misses the value by many spreads, see `spreadsAt`. How many follows from the ordinary plays of the
 * collection, where steep but true responses and poles occur: thirty where the others are many and their model is sure of
 * the value, else so many that only absurd values remain.
 */
import { type Cases, collectCases } from '../goal/cases.ts';
import type { Work } from '../numerics/work.ts';
import type { Goal, SuggestRequest } from '../problem.ts';
import { movableCount } from '../space/encoding.ts';
import type { SearchSpace } from '../space/search-space.ts';
import { spreadsAt } from './expected-range.ts';
import { Predictor } from './predictor.ts';
import { fitScope, globalScope } from './scope.ts';

/** Least distance of a suspect from the other values, in their ranges. */
const LEAST_GAP = 4;
/**
 * The spreads asked for. With k other cases beyond half the number of inputs n, `sure` where k is at least 9 and at least n
 * and a spread is at most the standard deviation of the others; else `absurd`, times (9 / k)^7 for fewer cases. The
 * largest distances in the ordinary plays of the collection are 15 and 2,600.
 */
const ASKED = { sure: 30, absurd: 1e4, enough: 9, power: 7, largestSpread: 1 };
/** A value so many times the largest of the others and of the target is absurd at once; a logarithm would make it plausible. */
const ABSURD_RATIO = 1e30;
/** A gap in ranges of the others below this share of the spreads asked for is not worth a fit. */
const GAP_PER_SPREAD = 1 / 20;
/** Most cases left out, and most suspects examined for each. */
const MOST = { leftOut: 3, examined: 3 };

/** A value that lies far outside the range of all others. */
interface Suspect {
  /** Number of the case. */
  readonly index: number;
  readonly output: number;
  /** What speaks against the value, in units of what is asked for: contradicted from 1. */
  readonly evidence: number;
}

/** The cases of a request without those that all others contradict. */
export function withoutContradicted(request: SuggestRequest, space: SearchSpace, cases: Cases): Cases {
  let rest = cases;
  const leftOut = new Set<number>();
  while (leftOut.size < MOST.leftOut) {
    const all = suspectsIn(request, space, rest).filter(({ evidence }) => evidence >= 1);
    const contradicted = all.find(({ index, output }) =>
      all.every((one) => one.index !== index || one.output === output),
    );
    if (!contradicted) break;
    leftOut.add(rest.rows[contradicted.index]!);
    rest = collectCases(request, space.encoding, space.conditions, leftOut);
  }
  return rest;
}

/** The most distant suspects, at most three, the farthest first. Fits one model for each. */
export function suspectsIn(request: SuggestRequest, space: SearchSpace, cases: Cases): Suspect[] {
  const n = movableCount(space.encoding);
  const k = cases.N - 1 - n / 2;
  const least = Math.max(LEAST_GAP, GAP_PER_SPREAD * spreadsAsked(k, n, 0));
  return cases.intervals
    .flatMap((_, output) => outermost(cases, output))
    .filter(({ index, output, gap }) => gap >= least || isAbsurd(cases, index, output))
    .sort((a, b) => b.gap - a.gap || a.index - b.index || a.output - b.output)
    .slice(0, MOST.examined)
    .map(({ index, output }) => {
      if (isAbsurd(cases, index, output)) return { index, output, evidence: Number.POSITIVE_INFINITY };
      const { distance, spread } = compare(request, space, cases, index, output);
      return { index, output, evidence: distance / spreadsAsked(k, n, spread) };
    });
}

function isAbsurd({ N, Y, intervals }: Cases, index: number, output: number): boolean {
  const m = intervals.length;
  let largest = Math.abs(intervals[output]!.center);
  for (let i = 0; i < N; i++) if (i !== index) largest = Math.max(largest, Math.abs(Y[i * m + output]!));
  return largest > 0 && Math.abs(Y[index * m + output]!) / largest >= ABSURD_RATIO;
}

/** The spreads asked for, see `ASKED`. @param spread in standard deviations of the others */
function spreadsAsked(k: number, n: number, spread: number): number {
  const { sure, absurd, enough, power, largestSpread } = ASKED;
  if (k >= Math.max(enough, n) && spread <= largestSpread) return sure;
  return k > 0 ? absurd * Math.max(1, enough / k) ** power : Number.POSITIVE_INFINITY;
}

interface Outermost {
  readonly index: number;
  readonly output: number;
  /** Distance from the nearest other value in units of the range of the others, where these differ; NaN if none differs. */
  readonly gap: number;
}

/** The cases with the smallest and the largest value of an output. */
function outermost({ N, Y, intervals }: Cases, output: number): Outermost[] {
  const value = (i: number) => Y[i * intervals.length + output]!;
  // The cases with the smallest, the second smallest, the second largest and the largest value.
  let [a, b, c, d] = [-1, -1, -1, -1];
  for (let i = 0; i < N; i++) {
    if (a < 0 || value(i) < value(a)) [a, b] = [i, a];
    else if (b < 0 || value(i) < value(b)) b = i;
    if (d < 0 || value(i) > value(d)) [c, d] = [d, i];
    else if (c < 0 || value(i) > value(c)) c = i;
  }
  if (N < 3) return [];
  const low = Math.min(Number.MAX_VALUE, (value(b) - value(a)) / (value(d) - value(b)));
  const high = Math.min(Number.MAX_VALUE, (value(d) - value(c)) / (value(c) - value(a)));
  return [
    { index: a, output, gap: low },
    { index: d, output, gap: high },
  ];
}

/** Of one output alone no front is sought. */
const NO_GOAL: Goal = { targets: [], l1: null };

/**
 * Compares the value of a case with what the other cases say: its distance from their prediction in spreads, and the spread
 * in standard deviations of their values.
 */
function compare(
  request: SuggestRequest,
  space: SearchSpace,
  cases: Cases,
  index: number,
  output: number,
): { readonly distance: number; readonly spread: number } {
  const { encoding, conditions } = space;
  const m = cases.intervals.length;
  const y = cases.Y[index * m + output]!;
  const others = collectCases(request, encoding, conditions, omitted(request, cases, index));
  const column = others.Y.filter((_, i) => i % m === output);
  const single: Cases = {
    ...others,
    Y: column,
    intervals: [others.intervals[output]!],
    noise: others.noise && [others.noise[output]!],
  };
  const work: Work = { spent: 0, limit: request.workLimit };
  const surrogate = fitScope(encoding, single, globalScope(space, single, NO_GOAL), single.stall, work);
  const { fitted } = surrogate.outputs[0]!;
  if (!fitted) return { distance: 0, spread: 0 };
  const predictor = new Predictor(surrogate, work);
  predictor.predict(cases.U.subarray(index * encoding.p, (index + 1) * encoding.p));
  const spread = spreadsAt(surrogate, predictor)[0]!;
  const distance = Math.abs(fitted.warp.toZ(y) - predictor.mean[0]!) / spread;
  if (Number.isFinite(distance)) return { distance, spread };
  // A logarithm refuses zero and negative values; they are judged by the range of the others.
  const low = column.reduce((least, value) => Math.min(least, value));
  const high = column.reduce((most, value) => Math.max(most, value));
  return { distance: Math.max(low - y, y - high) / (high - low), spread: Number.POSITIVE_INFINITY };
}

/** The rows of a history that are not among the cases, and that of case `index`. */
function omitted(request: SuggestRequest, cases: Cases, index: number): Set<number> {
  const kept = new Set(cases.rows);
  kept.delete(cases.rows[index]!);
  return new Set(Array.from({ length: request.history.count }, (_, row) => row).filter((row) => !kept.has(row)));
}
