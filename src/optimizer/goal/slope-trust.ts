/**
 * Whether reported derivatives agree with the values of the runs. Between two runs an output changes by about the mean of its two
 * gradients times the difference of the inputs (trapezoidal rule), the better the closer they are. A least-squares factor on what the
 * derivatives say is then near 1: -1 for a wrong sign, 1 / 57.3 for degrees instead of radians, about 0 for those of another output.
 *
 * The factors are estimated for all derivatives together, for those of each output, and for those by each feature. Derivatives whose
 * factor is surely not 1 are left out; as nothing is remembered, later runs may show that they were right.
 */
import { choleskyInPlace, solveWithFactor } from '../linalg/cholesky.ts';
import { squareBetweenRows } from '../linalg/dense.ts';

/** Each run is compared with so many runs nearest to it. */
const NEIGHBOURS = 4;
/** Pairs farther apart than this, in encoded units per root of the features, count less. */
const FAR = 0.3;
/** A factor this far from 1, and so many standard errors, is not 1. */
const OFF = { least: 0.2, errors: 4 };
/**
 * Limit on 1 / f beyond which derivatives are wrong. Where outputs bend between two runs, even right derivatives miss the change by chance;
 * least squares then give a factor f below 1, and a factor of 1 leaves 1 / f times as much unexplained.
 */
const SURELY = 4;
/** Derivatives that leave more than this share of the squared changes unexplained tell next to nothing about them. */
const LARGEST_REST = 0.7;
/** Fewer comparisons beyond those that the factors explain tell nothing. */
const LEAST_FREEDOM = 2;

/** Derivatives that do not agree with the values. */
export interface Distrusted {
  /** null: of every output; by every feature. */
  readonly output: number | null;
  readonly feature: number | null;
  /** By how much of what they say the values change. */
  readonly factor: number;
  /** false: they may be right, as outputs bend between runs that are far apart. */
  readonly isWrong: boolean;
}

/** A change of an output between two runs beside what the derivatives say. */
interface Comparison {
  readonly output: number;
  /** Relative to the sizes of both. */
  readonly change: number;
  /** Length p, by feature; their sum is what the derivatives say. */
  readonly parts: Float64Array;
  readonly weight: number;
}

/** The derivatives that do not agree with the values. @param slopes N x m x p */
export function distrustedSlopes(
  U: Float64Array,
  Y: Float64Array,
  slopes: Float64Array,
  N: number,
  m: number,
): Distrusted[] {
  const p = U.length / N;
  const all = comparisons(U, Y, slopes, N, m, p);
  const features = Array.from({ length: p }, (_, f) => f).filter((f) => all.some(({ parts }) => parts[f] !== 0));
  const factors = factorOf(all, ({ parts }) => features.map((f) => parts[f]!));
  const found = features.flatMap((feature, k): Distrusted[] =>
    factors !== null && isOff(factors[k]!) ? [{ output: null, feature, ...verdictOf(factors[k]!) }] : [],
  );
  if (found.length > 0 && 2 * found.length < features.length) {
    // Corrects the derivatives found wrong by their factors and judges the rest again.
    const left = all.map((one) => ({ ...one, parts: one.parts.slice() }));
    for (const { parts } of left) for (const { feature, factor } of found) parts[feature!]! *= factor;
    if (judge(left) === null) return found;
  }
  const verdict = judge(all);
  if (verdict !== null) return [{ output: null, feature: null, ...verdict }];
  return Array.from({ length: m }, (_, output) => output).flatMap((output): Distrusted[] => {
    const own = judge(all.filter((one) => one.output === output));
    return own === null ? [] : [{ output, feature: null, ...own }];
  });
}

type Verdict = Pick<Distrusted, 'factor' | 'isWrong'>;

function verdictOf(found: Factor): Verdict {
  return { factor: found.factor, isWrong: isOff(found) && found.times > SURELY };
}

/** The factor of derivatives that is not 1, or with which they tell next to nothing; null where they may be right. */
function judge(all: readonly Comparison[]): Verdict | null {
  const total = ({ parts }: Comparison) => parts.reduce((sum, part) => sum + part, 0);
  const factors = factorOf(all, (one) => [total(one)]);
  if (factors === null) return null;
  let rest = 0;
  let changes = 0;
  for (const one of all) {
    rest += one.weight * (one.change - total(one)) ** 2;
    changes += one.weight * one.change ** 2;
  }
  return isOff(factors[0]!) || rest > LARGEST_REST * changes ? verdictOf(factors[0]!) : null;
}

interface Factor {
  readonly factor: number;
  readonly error: number;
  /** Ratio of what a factor of 1 leaves unexplained to what this one does. */
  readonly times: number;
}

function isOff({ factor, error }: Factor): boolean {
  return Math.abs(factor - 1) > Math.max(OFF.least, OFF.errors * error);
}

/** Weighted least-squares factors with their standard errors; null where the comparisons do not determine them. */
function factorOf(all: readonly Comparison[], terms: (one: Comparison) => readonly number[]): Factor[] | null {
  const rows = all.map((one) => ({ ...one, terms: terms(one) }));
  const q = rows[0]?.terms.length ?? 0;
  if (q === 0 || rows.length < q + LEAST_FREEDOM) return null;
  const A = new Float64Array(q * q);
  const b = new Float64Array(q);
  for (const { terms: t, change, weight } of rows) {
    for (let i = 0; i < q; i++) {
      b[i]! += weight * t[i]! * change;
      for (let k = 0; k <= i; k++) A[i * q + k]! += weight * t[i]! * t[k]!;
    }
  }
  const trace = b.reduce((sum, _, i) => sum + A[i * q + i]!, 0);
  if (!(trace > 0)) return null;
  for (let i = 0; i < q; i++) A[i * q + i]! += 1e-12 * trace;
  if (!choleskyInPlace(A, q)) return null;
  const x = b.slice();
  solveWithFactor(A, q, x);
  let sum = 0;
  let weights = 0;
  for (const { terms: t, change, weight } of rows) {
    const rest = change - t.reduce((total, one, i) => total + one * x[i]!, 0);
    sum += weight * rest * rest;
    weights += weight;
  }
  // The effective number of comparisons under unequal weights.
  const count = weights ** 2 / rows.reduce((square, { weight }) => square + weight * weight, 0);
  if (count < q + 1) return null;
  const variance = (sum / weights) * (count / (count - q)) * (weights / count);
  return Array.from(x, (factor, i) => {
    const unit = new Float64Array(q);
    unit[i] = 1;
    solveWithFactor(A, q, unit);
    const times = 1 + (factor - 1) ** 2 / (unit[i]! * sum);
    return { factor, error: Math.sqrt(Math.max(0, variance * unit[i]!)), times };
  });
}

/** Between neighbours that differ only in features whose derivatives both runs know. */
function comparisons(
  U: Float64Array,
  Y: Float64Array,
  slopes: Float64Array,
  N: number,
  m: number,
  p: number,
): Comparison[] {
  const found: Comparison[] = [];
  for (const [i, k, square] of neighbours(U, N, p)) {
    const weight = 1 / (1 + square / (FAR * FAR * p));
    for (let j = 0; j < m; j++) {
      const parts = new Float64Array(p);
      let isKnown = true;
      for (let f = 0; f < p && isKnown; f++) {
        const difference = U[k * p + f]! - U[i * p + f]!;
        if (difference === 0) continue;
        parts[f] = (difference * (slopes[(i * m + j) * p + f]! + slopes[(k * m + j) * p + f]!)) / 2;
        isKnown = Number.isFinite(parts[f]!);
      }
      if (!isKnown) continue;
      const change = Y[k * m + j]! - Y[i * m + j]!;
      const size = Math.hypot(change, ...parts);
      if (!(size > 0) || !Number.isFinite(size)) continue;
      found.push({ output: j, change: change / size, parts: parts.map((part) => part / size), weight });
    }
  }
  return found;
}

/** Pairs of runs, each with the square of their distance. */
function neighbours(U: Float64Array, N: number, p: number): (readonly [number, number, number])[] {
  const pairs = new Map<number, readonly [number, number, number]>();
  for (let i = 0; i < N; i++) {
    const others = Array.from({ length: N }, (_, k) => [k, squareBetweenRows(U, p, i, k)] as const)
      .filter(([k, square]) => k !== i && square > 0)
      .sort((a, b) => a[1] - b[1] || a[0] - b[0]);
    for (const [k, square] of others.slice(0, NEIGHBOURS))
      pairs.set(Math.min(i, k) * N + Math.max(i, k), [Math.min(i, k), Math.max(i, k), square]);
  }
  return [...pairs.values()];
}
