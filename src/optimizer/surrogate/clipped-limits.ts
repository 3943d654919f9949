/**
 * Limits whose outputs are cut off where they are kept, such as a count of what does not fit, or max(0, g) for a limit g <= 0: wherever such
 * a limit is kept, its output is the end of the limit. A model of these values holds it as likely as not that the limit is broken, wherever
 * it knows that it is kept, and bends at the edge.
 *
 * So the value of a kept case stands for an unknown one at least as far inside: as far as the case is away from those that break the
 * limit, in the slope that these show. Once they are enough for a model, each value becomes what all others let expect, given that it is
 * inside.
 *
 * Source: Tobin 1958, Estimation of relationships for limited dependent variables, Econometrica 26, for censored values.
 */
import type { Cases } from '../goal/cases.ts';
import { type Interval, isLimit } from '../goal/targets.ts';
import type { Goal } from '../interface/problem.ts';
import { addRow, gramOfLower, squareBetweenRows } from '../linalg/dense.ts';
import { LOG_SQRT_TWO_PI, logNormalCdf } from '../numerics/normal.ts';
import type { Work } from '../numerics/work.ts';
import { movableCount } from '../space/encoding.ts';
import type { SearchSpace } from '../space/search-space.ts';
import type { Factorized } from './gaussian-process.ts';
import type { Surrogate } from './model-choice.ts';
import { fitScope, globalScope, type KnownCases } from './scope.ts';

/** So many kept cases, not all at one input, and so many that break the limit show that it is cut off. */
const LEAST = { kept: 2, broken: 2 };
/** So many broken cases beyond the number of inputs are enough for a model. */
const ENOUGH_BEYOND = 2;
/** Models of one output, each of the values that the one before lets expect. */
const ROUNDS = 2;
/** Sweeps over the kept cases with one model, and the change, in standard deviations of the output, that ends them. */
const SWEEPS = { most: 50, end: 1e-3 };

/** Numbers of the cases that keep a limit that is cut off, and of those that break it. */
interface Clipped {
  readonly j: number;
  /** 1 for an upper end, -1 for a lower one. */
  readonly sign: 1 | -1;
  /** The one value of the kept cases. */
  readonly value: number;
  readonly kept: readonly number[];
  readonly broken: readonly number[];
}

/** The cases with values inside of limits that are cut off; the same cases without any. */
export function withMargins(space: SearchSpace, cases: KnownCases, goal: Goal, work: Work): KnownCases {
  const clipped = cases.noise ? [] : cases.intervals.flatMap((one, j) => clippedAt(cases, one, j) ?? []);
  if (clipped.length === 0) return cases;
  const m = cases.intervals.length;
  const { p } = space.encoding;
  const Y = cases.Y.slice();
  const slopes = cases.slopes?.slice() ?? null;
  for (const one of clipped) {
    const column = margined(space, cases, goal, one, work);
    for (const i of one.kept) {
      Y[i * m + one.j] = column[i]!;
      // It is that of the end, which does not vary.
      slopes?.fill(Number.NaN, (i * m + one.j) * p, (i * m + one.j + 1) * p);
    }
  }
  const isClipped = new Set(clipped.map(({ j }) => j));
  const intervals = cases.intervals.map((one, j) => (isClipped.has(j) ? { ...one, isCutOff: true as const } : one));
  return { ...cases, Y, slopes, intervals };
}

function clippedAt({ Y, N, U, intervals }: Cases, interval: Interval, j: number): Clipped | null {
  const { lower, upper } = interval;
  if (!isLimit(interval) || Number.isFinite(lower) === Number.isFinite(upper)) return null;
  const sign = Number.isFinite(upper) ? 1 : -1;
  const end = sign > 0 ? upper : lower;
  const m = intervals.length;
  const kept: number[] = [];
  const broken: number[] = [];
  for (let i = 0; i < N; i++) {
    const beyond = sign * (Y[i * m + j]! - end);
    if (beyond < 0) return null;
    (beyond > 0 ? broken : kept).push(i);
  }
  if (kept.length < LEAST.kept || broken.length < LEAST.broken) return null;
  const p = U.length / N;
  const isRepeat = kept.every((i) => squareBetweenRows(U, p, i, kept[0]!) === 0);
  return isRepeat ? null : { j, sign, value: end, kept, broken };
}

/** Length N: the output with values inside of the limit for the kept cases. */
function margined(space: SearchSpace, cases: KnownCases, goal: Goal, clipped: Clipped, work: Work): Float64Array {
  const { j, broken } = clipped;
  const m = cases.intervals.length;
  const column = Float64Array.from({ length: cases.N }, (_, i) => cases.Y[i * m + j]!);
  setByDistance(cases, clipped, column);
  if (broken.length < movableCount(space.encoding) + ENOUGH_BEYOND) return column;
  const scope = globalScope(space, cases, goal);
  // Cheaper sources are cut off as well.
  const { coarse: _coarse, scales: _scales, ...fine } = cases;
  const own: Cases = { ...fine, Y: column, intervals: [cases.intervals[j]!], slopes: null };
  for (let round = 0; round < ROUNDS; round++) {
    updateMargins(fitScope(space.encoding, own, scope, 0, work), scope.rows, clipped, column);
  }
  return column;
}

/** As far inside the limit as a case is away from those that break it, in the median of the slopes from these to the kept ones. */
function setByDistance({ U, N }: Cases, { sign, value, kept, broken }: Clipped, column: Float64Array): void {
  const p = U.length / N;
  const nearest = (i: number, others: readonly number[]) =>
    Math.sqrt(others.reduce((least, k) => Math.min(least, squareBetweenRows(U, p, i, k)), Number.POSITIVE_INFINITY));
  const slopes = broken.map((i) => Math.abs(column[i]! - value) / nearest(i, kept)).filter(Number.isFinite);
  const slope = slopes.sort((a, b) => a - b)[slopes.length >> 1] ?? 0;
  for (const i of kept) {
    const inside = value - sign * slope * nearest(i, broken);
    column[i] = Number.isFinite(inside) ? inside : value;
  }
}

/**
 * Replaces the values of the kept cases in a model by what it expects of each from all others, given that it is inside, until these agree
 * (sweeps of Gauss and Seidel). Its hyperparameters stay.
 */
function updateMargins(
  { kernels, outputs }: Surrogate,
  rows: Int32Array,
  { sign, value, kept }: Clipped,
  column: Float64Array,
): void {
  const { fitted } = outputs[0]!;
  if (!fitted) return;
  const { warp, conditioned, sigma } = fitted;
  const Q = precisionOf(kernels[fitted.kernel]!.factorized);
  const N = rows.length;
  const end = warp.toZ(value);
  const z = warp.z.slice();
  const alpha = conditioned.alpha.slice();
  const isKept = new Set(kept);
  const inModel = Array.from(rows.keys()).filter((i) => isKept.has(rows[i]!) && Q[i * N + i]! > 0);
  for (let sweep = 0, most = 1; sweep < SWEEPS.most && most > SWEEPS.end; sweep++) {
    most = 0;
    for (const i of inModel) {
      const precision = Q[i * N + i]!;
      const mean = z[i]! - alpha[i]! / precision;
      const change = end - sign * depthOf(sign * (mean - end), sigma / Math.sqrt(precision)) - z[i]!;
      z[i]! += change;
      addRow(Q, i * N, N, change, alpha);
      most = Math.max(most, Math.abs(change));
    }
  }
  for (const i of inModel) {
    const y = warp.fromZ(z[i]!);
    if (Number.isFinite(y)) column[rows[i]!] = sign * Math.min(sign * y, sign * value);
  }
}

/** N x N: the precision matrix with an estimated mean, K^-1 - (K^-1 1)(K^-1 1)' / (1' K^-1 1). */
function precisionOf({ inverse, ones, total }: Factorized): Float64Array {
  const N = ones.length;
  const Q = new Float64Array(N * N);
  gramOfLower(inverse, N, Q);
  for (let i = 0; i < N; i++) {
    for (let k = 0; k <= i; k++) Q[k * N + i] = Q[i * N + k]! -= (ones[i]! * ones[k]!) / total;
  }
  return Q;
}

/** Mean depth below 0 of a normal variable that is below 0. */
function depthOf(mean: number, sd: number): number {
  const a = -mean / sd;
  const ratio = Math.exp(-0.5 * a * a - LOG_SQRT_TWO_PI - logNormalCdf(a));
  return Math.max(0, sd * ratio - mean);
}
