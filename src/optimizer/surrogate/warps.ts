import { type Interval, ROUNDING } from '../targets.ts';

/**
 * A strictly increasing change of the output scale, standardized: z = (w(y) - mean) / scale has spread 1 over the
 * data. Increasing, so an interval of y is an interval of z.
 */
export interface Warp {
  readonly kind: 'identity' | 'log' | 'asinh';
  /** Length N. */
  readonly z: Float64Array;
  /** One value of y on the standardized scale; infinite ends stay infinite. */
  readonly toZ: (y: number) => number;
  readonly fromZ: (z: number) => number;
  /** The target interval in z; ends may be infinite. */
  readonly lower: number;
  readonly upper: number;
  /** log |dz/dy| summed over the data up to a constant: what makes likelihoods of different warps comparable. */
  readonly logJacobian: number;
}

/** Mean and population standard deviation; scaled on the way so that squares of 1e200 do not overflow. */
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

function standardize(
  kind: Warp['kind'],
  y: Float64Array,
  warp: (value: number) => number,
  inverse: (value: number) => number,
  interval: Interval,
  logSlope: number,
): Warp | null {
  const w = y.map(warp);
  const { mean, sd, largest } = moments(w);
  if (!(sd > ROUNDING * largest) || !Number.isFinite(sd)) return null;
  const toZ = (value: number) => (Number.isFinite(value) ? (warp(value) - mean) / sd : value);
  return {
    kind,
    z: w.map((value) => (value - mean) / sd),
    toZ,
    fromZ: (z) => inverse(mean + sd * z),
    lower: toZ(interval.lower),
    upper: toZ(interval.upper),
    logJacobian: logSlope - (y.length - 1) * Math.log(sd),
  };
}

function logWarp(y: Float64Array, interval: Interval): Warp | null {
  let smallest = Number.POSITIVE_INFINITY;
  let largest = 0;
  let sum = 0;
  for (const value of y) {
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
    sum += Math.log(value);
  }
  if (!(smallest > 0) || !(interval.center > 0) || !(largest / smallest > 1.3)) return null;
  // An end at or below zero is unreachable for a positive output, which is what -infinity says.
  const warp = (value: number) => (value > 0 ? Math.log(value) : Number.NEGATIVE_INFINITY);
  return standardize('log', y, warp, Math.exp, interval, -sum);
}

function asinhWarp(y: Float64Array, interval: Interval): Warp | null {
  if (y.length < 4 || interval.directed) return null;
  const gaps = y.map((value) => Math.abs(value - interval.center)).sort();
  const s = gaps[Math.floor(0.3 * (gaps.length - 1))]!;
  if (!(s > 0) || !(gaps[gaps.length - 1]! / s > 6)) return null;
  let sum = 0;
  for (const value of y) sum += Math.log(Math.hypot(value - interval.center, s));
  const warp = (value: number) => Math.asinh((value - interval.center) / s);
  return standardize('asinh', y, warp, (w) => interval.center + s * Math.sinh(w), interval, -sum);
}

/**
 * The output scales worth fitting for one output; empty when the output is constant over the data.
 *
 * @param y length N, finite
 * @param local in local mode the asinh scale is left out: over a small region it only bends
 */
export function warpsOf(y: Float64Array, interval: Interval, local: boolean): Warp[] {
  const identity = standardize(
    'identity',
    y,
    (value) => value,
    (value) => value,
    interval,
    0,
  );
  if (identity === null) return [];
  const others = [logWarp(y, interval), local ? null : asinhWarp(y, interval)];
  return [identity, ...others.filter((warp) => warp !== null)];
}
