import { hasFront, type Interval, ROUNDING } from '../goal/targets.ts';
import { joined } from '../linalg/dense.ts';

/** Least ratio of the largest to the smallest value that is worth a logarithm. */
const LOG_RATIO = 1.3;
/**
 * Without a target: the largest ratio of the median to the smallest value. Beyond it the smallest are zeros up to rounding, and
 * a logarithm would model nothing else.
 */
const LARGEST_SPAN = 1e5;
/** Half the range of a central difference, standardized. */
const SLOPE_STEP = 1e-4;
/** Asinh: least number of cases; the quantile of their distances from the centre that is its unit; least span in units. */
const ASINH = { cases: 4, quantile: 0.3, span: 6 };

/**
 * A strictly increasing change of the output scale, standardized: z = (w(y) - mean) / sd has mean 0 and standard deviation
 * 1 over the data. Since it increases, an interval of y is an interval of z.
 *
 * Source: Snelson, Rasmussen and Ghahramani 2004, Warped Gaussian processes, for the Jacobian in the likelihood.
 */
export interface Warp {
  readonly kind: 'identity' | 'log' | 'asinh';
  /** Length N. */
  readonly z: Float64Array;
  /** Standard deviation of w(y) over the data. */
  readonly unit: number;
  /** Maps a value of y to z; infinite ends stay infinite. */
  readonly toZ: (y: number) => number;
  /** The inverse of `toZ`. */
  readonly fromZ: (z: number) => number;
  /** The same as programs answer it: of a limit that is cut off, its end wherever it is kept. */
  readonly outputAt: (z: number) => number;
  /** The target interval in z; ends may be infinite. */
  readonly lower: number;
  readonly upper: number;
  /** The derivative of z by y, of a value of the data. */
  readonly slope: (y: number) => number;
  /** Slope of each row that stands for a derivative, in z; absent without any. */
  readonly slopes?: Float64Array;
  /** Sum of log dz/dy over the data, up to a constant: makes likelihoods of different warps comparable. */
  readonly logJacobian: number;
  /** The same change of scale, standardized as it is, of other values and their interval; null where it takes one to no number. */
  readonly of: (y: Float64Array, interval: Interval) => Warp | null;
}

/** Mean and population standard deviation, computed relative to the largest entry so that squares cannot overflow. */
function moments(y: Float64Array): { mean: number; sd: number; largest: number } {
  let largest = 0;
  for (const value of y) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return { mean: 0, sd: 0, largest };
  let mean = 0;
  for (const value of y) mean += value / largest / y.length;
  let sum = 0;
  for (const value of y) sum += (value / largest - mean) ** 2;
  return { mean: mean * largest, sd: Math.sqrt(sum / y.length) * largest, largest };
}

/** A change of scale before it is standardized. */
interface Scale {
  readonly kind: Warp['kind'];
  readonly forward: (y: number) => number;
  readonly inverse: (w: number) => number;
  /** dw/dy. */
  readonly slope: (y: number) => number;
  /** Sum of log dw/dy over values, up to a constant. */
  readonly logSlope: (y: Float64Array) => number;
}

/** null when the output is constant on the scale, or not finite. */
function standardize(
  y: Float64Array,
  interval: Interval,
  { kind, forward, inverse, slope, logSlope }: Scale,
): Warp | null {
  const w = y.map(forward);
  const { mean, sd, largest } = moments(w);
  if (!(sd > ROUNDING * largest) || !Number.isFinite(sd)) return null;
  const toZ = (value: number) => (Number.isFinite(value) ? (forward(value) - mean) / sd : value);
  const warp: Warp = {
    kind,
    z: w.map((value) => (value - mean) / sd),
    unit: sd,
    toZ,
    fromZ: (z) => inverse(mean + sd * z),
    outputAt: (z) => outputOf(interval, inverse(mean + sd * z)),
    lower: toZ(interval.lower),
    upper: toZ(interval.upper),
    slope: (value) => slope(value) / sd,
    logJacobian: logSlope(y) - (y.length - 1) * Math.log(sd),
    of: (others, theirs) => {
      const z = others.map(toZ);
      if (!z.every(Number.isFinite)) return null;
      // The mean takes one degree of freedom, in the units of the values themselves.
      const own = moments(others.map(forward)).sd || sd;
      const logJacobian = logSlope(others) - others.length * Math.log(sd) + Math.log(own);
      return { ...warp, z, lower: toZ(theirs.lower), upper: toZ(theirs.upper), logJacobian };
    },
  };
  return warp;
}

function outputOf({ isCutOff, lower, upper }: Interval, y: number): number {
  if (!isCutOff) return y;
  return Number.isFinite(upper) ? Math.max(upper, y) : Math.min(lower, y);
}

/** The logarithm, for positive outputs with a positive target. */
function logWarp(y: Float64Array, interval: Interval): Warp | null {
  let smallest = Number.POSITIVE_INFINITY;
  let largest = 0;
  for (const value of y) {
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
  }
  if (hasFront([interval]) && !(y.slice().sort()[y.length >> 1]! < LARGEST_SPAN * smallest)) return null;
  if (!(smallest > 0) || !(interval.center > 0) || !(largest / smallest > LOG_RATIO)) return null;
  // A positive output cannot reach an end at or below zero; -Infinity expresses that.
  const forward = (value: number) => (value > 0 ? Math.log(value) : Number.NEGATIVE_INFINITY);
  const logSlope = (values: Float64Array) => {
    let sum = 0;
    for (const value of values) sum += Math.log(value);
    return -sum;
  };
  return standardize(y, interval, {
    kind: 'log',
    forward,
    inverse: Math.exp,
    slope: (y: number) => 1 / y,
    logSlope,
  });
}

/** asinh of the distance from the centre: linear near the target, logarithmic far from it. */
function asinhWarp(y: Float64Array, interval: Interval): Warp | null {
  if (y.length < ASINH.cases || interval.directed) return null;
  const gaps = y.map((value) => Math.abs(value - interval.center)).sort();
  const s = gaps[Math.floor(ASINH.quantile * (gaps.length - 1))]!;
  if (!(s > 0) || !(gaps[gaps.length - 1]! / s > ASINH.span)) return null;
  const logSlope = (values: Float64Array) => {
    let sum = 0;
    for (const value of values) sum += Math.log(Math.hypot(value - interval.center, s));
    return -sum;
  };
  const forward = (value: number) => Math.asinh((value - interval.center) / s);
  const inverse = (w: number) => interval.center + s * Math.sinh(w);
  const slope = (value: number) => 1 / Math.hypot(value - interval.center, s);
  return standardize(y, interval, { kind: 'asinh', forward, inverse, slope, logSlope });
}

function identityWarp(y: Float64Array, interval: Interval): Warp | null {
  const same = (value: number) => value;
  return standardize(y, interval, {
    kind: 'identity',
    forward: same,
    inverse: same,
    slope: () => 1,
    logSlope: () => 0,
  });
}

/**
 * The warps worth fitting for an output; empty when it is constant over the data.
 *
 * @param y length N, finite
 */
export function warpsOf(y: Float64Array, interval: Interval): Warp[] {
  const local = plainWarpsOf(y, interval);
  const asinh = local.length > 0 ? asinhWarp(y, interval) : null;
  return asinh ? [...local, asinh] : local;
}

/** As `warpsOf` without asinh, as over a small region, where it would only bend the output. */
export function plainWarpsOf(y: Float64Array, interval: Interval): Warp[] {
  const identity = identityWarp(y, interval);
  if (identity === null) return [];
  const log = logWarp(y, interval);
  return log ? [identity, log] : [identity];
}

/**
 * The warp with rows that stand for derivatives after the data.
 *
 * @param base per row the number of its datum
 * @param changes per row the change of y over the step of the row, as the derivative has it
 */
export function withSlopes(warp: Warp, y: Float64Array, base: Int32Array, changes: Float64Array): Warp {
  if (base.length === 0) return warp;
  let logJacobian = warp.logJacobian;
  const slopes = changes.map((change, s) => {
    const i = base[s]!;
    const slope = warp.slope(y[i]!);
    logJacobian += Math.log(slope);
    return warp.z[i]! + slope * change;
  });
  return { ...warp, slopes, logJacobian };
}

/** The values of all rows of a fit in z. */
export function rowsOf({ z, slopes }: Warp): Float64Array {
  return slopes ? joined(z, slopes) : z;
}

/** The slope at z of a function of standardized values, such as the inverse of a warp. */
export function slopeAt(f: (z: number) => number, z: number): number {
  return (f(z + SLOPE_STEP) - f(z - SLOPE_STEP)) / (2 * SLOPE_STEP);
}
