import type { Conditions } from '../constraints/conditions.ts';
import type { History, Solutions, SuggestRequest } from '../interface/problem.ts';
import { makeDistance } from '../space/distance.ts';
import { type Encoding, encode, slopeOfFeature } from '../space/encoding.ts';
import { meanOf, repeatsIn } from './repeats.ts';
import { type Distrusted, distrustedSlopes } from './slope-trust.ts';
import { type Interval, lossesOf, lossesOnScale, lossScales, meetsLimits, stallOf, toIntervals } from './targets.ts';

/** Added to the loss of a case near a solution found, so that the search for the next one takes it for no centre. */
const NEAR_SOLUTION = 1e6;

/** The usable cases of a history, encoded. */
export interface Cases {
  readonly N: number;
  /** N x p. */
  readonly U: Float64Array;
  /** N x m. */
  readonly Y: Float64Array;
  /** N x m x p: the derivative of each output by each feature, NaN where none is known or trusted; null without any. */
  readonly slopes: Float64Array | null;
  /** Derivatives that were left out of the cases. */
  readonly distrusted: readonly Distrusted[];
  /** Length N: the row of the history of each case. */
  readonly rows: readonly number[];
  /** Length m. */
  readonly intervals: readonly Interval[];
  /** Length N: 1 for a case that satisfies the conditions on the inputs; the others are data and no solutions. */
  readonly isAdmissible: Uint8Array;
  /** Length m: see `ModelRequest`. */
  readonly noise?: readonly (number | null)[] | undefined;
  /** Length N, see `lossesOf`; where runs are noisy, that of the mean of the runs at the same input. */
  readonly loss: Float64Array;
  /** See `stallOf`. */
  readonly stall: number;
  /** Encoded inputs of the failed runs, in rows of p. */
  readonly failedU: Float64Array;
}

/**
 * Separates the runs with finite outputs from the failed ones and encodes both.
 *
 * @param leftOut rows of the history that are neither
 */
export function collectCases(
  { history, goal, solutions, firstOwn = 0, noise }: SuggestRequest,
  encoding: Encoding,
  conditions: Conditions | null = null,
  leftOut: ReadonlySet<number> = new Set(),
): Cases {
  const m = goal.targets.length;
  const rows: number[] = [];
  const failed: number[] = [];
  for (let i = 0; i < history.count; i++) {
    if (leftOut.has(i)) continue;
    const isUsable = history.failed[i] === 0 && history.Y.subarray(i * m, (i + 1) * m).every(Number.isFinite);
    (isUsable ? rows : failed).push(i);
  }
  const Y = new Float64Array(rows.length * m);
  rows.forEach((row, i) => {
    Y.set(history.Y.subarray(row * m, (row + 1) * m), i * m);
  });
  const encodeRows = (list: readonly number[]) => {
    const U = new Float64Array(list.length * encoding.p);
    list.forEach((row, i) => {
      encode(encoding, history.X, row * encoding.n, U, i * encoding.p);
    });
    return U;
  };
  const intervals = toIntervals(goal, Y, rows.length);
  const U = encodeRows(rows);
  const loss = noise ? lossesOfMeans(intervals, Y, U, encoding.p) : lossesOf(intervals, Y, rows.length);
  if (solutions) penalizeNear(encoding, solutions, U, loss);
  penalizeBeyondLimits(intervals, Y, loss);
  const from = solutions ? Math.max(firstOwn, afterSolutions(history, solutions, encoding.n)) : firstOwn;
  const stall = stallOf(loss, rows.filter((row) => row < from).length);
  const isAdmissible = Uint8Array.from(rows, (row) => {
    const x = history.X.subarray(row * encoding.n, (row + 1) * encoding.n);
    const isFixed = encoding.variables.every(({ fixedAt }, v) => fixedAt === undefined || x[v] === fixedAt);
    return isFixed && (conditions === null || conditions.areMet(x)) ? 1 : 0;
  });
  const sds = noise && intervals.map((_, j) => noise.standardDeviations?.[j] ?? null);
  const reported = slopesOf(history, encoding, m, rows);
  const distrusted = reported ? distrustedSlopes(U, Y, reported, rows.length, m) : [];
  const slopes = reported && withoutSlopes(reported, distrusted, m, encoding.p);
  return {
    isAdmissible,
    N: rows.length,
    U,
    Y,
    slopes,
    distrusted,
    rows,
    intervals,
    noise: sds,
    loss,
    stall,
    failedU: encodeRows(failed),
  };
}

/** The derivatives of the rows by the features. */
function slopesOf(
  { X, jacobian }: History,
  encoding: Encoding,
  m: number,
  rows: readonly number[],
): Float64Array | null {
  if (!jacobian) return null;
  const { n, p, first } = encoding;
  const slopes = new Float64Array(rows.length * m * p).fill(Number.NaN);
  let isAnyKnown = false;
  rows.forEach((row, i) => {
    for (let v = 0; v < n; v++) {
      const factor = slopeOfFeature(encoding, v, X[row * n + v]!);
      for (let j = 0; j < m; j++) {
        const slope = jacobian[(row * m + j) * n + v]! * factor;
        if (!Number.isFinite(slope)) continue;
        slopes[(i * m + j) * p + first[v]!] = slope;
        isAnyKnown = true;
      }
    }
  });
  return isAnyKnown ? slopes : null;
}

/** The derivatives that agree with the values; null without any. */
function withoutSlopes(
  slopes: Float64Array,
  distrusted: readonly Distrusted[],
  m: number,
  p: number,
): Float64Array | null {
  if (distrusted.length === 0) return slopes;
  const isLeftOut = (j: number, f: number) =>
    distrusted.some(({ output, feature }) => (output ?? j) === j && (feature ?? f) === f);
  const left = slopes.map((slope, k) => (isLeftOut(Math.floor(k / p) % m, k % p) ? Number.NaN : slope));
  return left.every(Number.isNaN) ? null : left;
}

/** Length N: the loss of the mean of the runs at the input of each case. */
function lossesOfMeans(intervals: readonly Interval[], Y: Float64Array, U: Float64Array, p: number): Float64Array {
  const m = intervals.length;
  const N = Y.length / m;
  const scales = lossScales(intervals, Y, N);
  const loss = new Float64Array(N);
  for (const { members } of repeatsIn(U, p, N)) {
    const mean = Float64Array.from(intervals, (_, j) => meanOf(members, (i) => Y[i * m + j]!));
    const [one] = lossesOnScale(intervals, scales, mean);
    for (const i of members) loss[i] = one!;
  }
  return loss;
}

/** Ranks, in a fit, every case that misses a limit behind the best one that meets them all, however small its residuals. */
function penalizeBeyondLimits(intervals: readonly Interval[], Y: Float64Array, loss: Float64Array): void {
  if (intervals.every(({ sigma }) => sigma === undefined)) return;
  const meets = Array.from(loss, (_, i) => meetsLimits(intervals, Y, i * intervals.length));
  const least = loss.reduce((one, other, i) => (meets[i] ? Math.min(one, other) : one), Number.POSITIVE_INFINITY);
  if (!Number.isFinite(least)) return;
  for (let i = 0; i < loss.length; i++) if (!meets[i]) loss[i]! += least;
}

function penalizeNear(encoding: Encoding, { found, apart }: Solutions, U: Float64Array, loss: Float64Array): void {
  const { n, p } = encoding;
  const distance = makeDistance(encoding);
  const s = new Float64Array(p);
  for (let k = 0; k < found.length; k += n) {
    encode(encoding, found, k, s, 0);
    for (let i = 0; i < loss.length; i++) {
      const isNear = distance(s, U.subarray(i * p, (i + 1) * p)) < apart;
      if (isNear && loss[i]! < NEAR_SOLUTION) loss[i]! += NEAR_SOLUTION;
    }
  }
}

/** The first row of the history after all solutions found, 0 without any. */
export function afterSolutions({ count, X }: History, { found }: Solutions, n: number): number {
  for (let i = count - 1; i >= 0; i--) {
    for (let k = 0; k < found.length; k += n) {
      if (X.subarray(i * n, (i + 1) * n).every((x, v) => x === found[k + v])) return i + 1;
    }
  }
  return 0;
}
