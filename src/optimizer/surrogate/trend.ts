/**
 * Trend that the model of an output may start from: the prediction g of a cheaper source, in the standardized units of its model.
 *   z(u) = rho g(u) + delta(u),   delta a Gaussian process, independent of g
 * Both are fitted one after the other, each with its own small factorization. How much the cheaper source says follows from the
 * data: rho has a prior around 1, and models without a trend compete with those that have one by their evidence.
 *
 * Sources: Kennedy and O'Hagan 2000, Predicting the output from a complex computer code when fast approximations are available,
 * Biometrika 87; Le Gratiet and Garnier 2014, Recursive co-kriging model, Int. J. for Uncertainty Quantification 4.
 */
import { dot } from '../linalg/dense.ts';
import type { Factorized } from './gaussian-process.ts';

/** The trend of one output. */
export interface Trend {
  /** Index into the models of cheaper sources. */
  readonly model: number;
  readonly rho: number;
  /** Length N: g at the points of the fit. */
  readonly values: Float64Array;
}

/** Standard deviation of the prior of rho around 1. */
const RHO_SD = 0.6;
/** Fewer cases say nothing about rho beside the mean of delta. */
const LEAST_CASES = 3;

/** Least log evidence for a source, of all outputs together: e^3 to one. */
const LEAST_SUPPORT = 3;

/** Whether models may start from a source. @param support null while nothing is known */
export function isTrusted(support: number | null): boolean {
  return support !== null && support > LEAST_SUPPORT;
}

/** z - rho g. */
export function withoutTrend(z: Float64Array, trend: Trend | null): Float64Array {
  return trend === null ? z : z.map((value, i) => value - trend.rho * trend.values[i]!);
}

/**
 * The most probable rho at a factorized kernel, and by how much the log evidence differs from that of rho = 1 known, by the
 * approximation of Laplace.
 *
 * @param z length N, with the trend
 * @returns null where the cases say nothing about it
 */
export function weigh(
  { inverse, ones, total }: Factorized,
  z: Float64Array,
  { values }: Trend,
): { readonly rho: number; readonly gain: number } | null {
  const N = z.length;
  if (N < LEAST_CASES) return null;
  const whiten = (y: Float64Array) => {
    let mean = 0;
    for (let i = 0; i < N; i++) mean += (ones[i]! * y[i]!) / total;
    return Float64Array.from(y, (_, i) => {
      let sum = 0;
      for (let k = 0; k <= i; k++) sum += inverse[i * N + k]! * (y[k]! - mean);
      return sum;
    });
  };
  const g = whiten(values);
  const y = whiten(z);
  const gg = dot(g, 0, g, 0, N);
  const gy = dot(g, 0, y, 0, N);
  const squares = (rho: number) => y.reduce((sum, value, i) => sum + (value - rho * g[i]!) ** 2, 1e-10);
  let rho = 1;
  for (let k = 0; k < 3; k++) {
    const variance = squares(rho) / N;
    rho = (gy / variance + 1 / RHO_SD ** 2) / (gg / variance + 1 / RHO_SD ** 2);
  }
  const variance = squares(rho) / N;
  const fit = -0.5 * N * Math.log(squares(rho) / squares(1));
  const gain = fit - (rho - 1) ** 2 / (2 * RHO_SD ** 2) - 0.5 * Math.log(1 + (RHO_SD ** 2 * gg) / variance);
  return Number.isFinite(gain) && Number.isFinite(rho) ? { rho, gain } : null;
}

/** By how much the evidence of the models of all outputs that start from a source exceeds that of models without a trend. */
export function supportOf(
  candidates: readonly (readonly { readonly trend: Trend | null; readonly score: number }[])[],
  ofModel: readonly number[],
  source: number,
): number {
  return candidates.reduce((sum, list) => {
    const best = (from: number | null) =>
      list.reduce(
        (most, { trend, score }) => ((trend && ofModel[trend.model]!) === from ? Math.max(most, score) : most),
        -Infinity,
      );
    const gain = best(source) - best(null);
    return Number.isFinite(gain) ? sum + gain : sum;
  }, 0);
}
