/**
 * Imagined outputs ("fantasies") of inputs whose runs have not ended: the models are conditioned on them as if they were
 * known, at the same hyperparameters, so that the search looks elsewhere or takes the next step already.
 *
 * Source: Snoek, Larochelle and Adams 2012, Practical Bayesian optimization, section 3.3; that each point takes samples of its
 * own comes near Thompson sampling (Kandasamy et al. 2018, Parallelised Bayesian optimisation via Thompson sampling).
 */
import { joined } from '../linalg/dense.ts';
import type { RandomStream } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import { appendRows, condition, type Factorized } from './gaussian-process.ts';
import { appendPoints, type Points } from './kernels.ts';
import type { FittedKernel, OutputModel, Surrogate } from './model-choice.ts';
import { Predictor } from './predictor.ts';
import { type Trend, withoutTrend } from './trend.ts';
import { rowsOf } from './warps.ts';

/**
 * The surrogate conditioned on the imagined outputs of further points: one joint sample of each output, noise included.
 *
 * @param predictor of the surrogate, with its corrections, which shift the samples too
 * @param U the further points, encoded, in rows of p
 * @param random for the samples
 * @returns a surrogate whose further points, and their imagined outputs in the warps, follow the others
 */
export function imagine(
  surrogate: Surrogate,
  predictor: Predictor,
  U: Float64Array,
  random: RandomStream,
  work: Work,
): Surrogate {
  const { p } = surrogate.geometry;
  const m = surrogate.outputs.length;
  const count = U.length / p;
  const means = outputsAt(predictor, U);
  const normals = Float64Array.from({ length: count * m }, () => random.normal());
  const extended = new Map<Points, Points>();
  const extend = (points: Points): Points => {
    const known = extended.get(points) ?? appendPoints(points, U);
    extended.set(points, known);
    return known;
  };
  const kernels = surrogate.kernels.map(({ spec, geometry, factorized }): FittedKernel => {
    const points = extend(geometry);
    return { spec, geometry: points, factorized: appendRows(factorized, points, spec.kind, work) };
  });
  const outputs = surrogate.outputs.map((output, j): OutputModel => {
    const { fitted } = output;
    if (!fitted) return output;
    const { factorized } = kernels[fitted.kernel]!;
    const { total } = surrogate.kernels[fitted.kernel]!.factorized;
    const own = normals.filter((_, k) => k % m === j);
    const away = deviations(factorized, total, fitted.sigma, own);
    const added = away.map((one, i) => means[i * m + j]! + one);
    const trend = fitted.trend && extendTrend(surrogate, fitted.trend, j, U, work);
    const rows = withoutTrend(joined(rowsOf(fitted.warp), added), trend);
    const { alpha, mean } = condition(factorized, rows, { buffer: new Float64Array(rows.length) });
    work.spent += rows.length ** 2 / 1e6;
    const conditioned = { ...fitted.conditioned, alpha, mean };
    const z = joined(fitted.warp.z, added);
    return { ...output, fitted: { ...fitted, warp: { ...fitted.warp, z }, trend, conditioned } };
  });
  return { ...surrogate, geometry: extend(surrogate.geometry), kernels, outputs };
}

/** The trend of output j with further points. */
function extendTrend({ coarse }: Surrogate, trend: Trend, j: number, U: Float64Array, work: Work): Trend {
  const predictor = new Predictor(coarse[trend.model]!.surrogate, work);
  const further = outputsAt(predictor, U).filter((_, k) => k % predictor.m === j);
  return { ...trend, values: joined(trend.values, further) };
}

/** The means predicted at points (rows of p), in rows of m. */
export function outputsAt(predictor: Predictor, U: Float64Array): Float64Array {
  const { m, p } = predictor;
  const out = new Float64Array((U.length / p) * m);
  for (let i = 0; i * p < U.length; i++) {
    predictor.predictMeans(U.subarray(i * p, (i + 1) * p));
    out.set(predictor.mean, i * m);
  }
  return out;
}

/**
 * By how much one joint sample of an output at the further points, noise included, deviates from the means there. Point i
 * deviates, given the deviations before it, by a normal variable with
 *   mean      w' v + (1 - w' o) b,  v = L^-1 e, o = L^-1 1, b = o' v / o' o      (e: the deviations so far, 0 at the others)
 *   variance  sigma^2 (d^2 + (1 - w' o)^2 / o' o)
 * where w' and d are the entries of row i of L; row i of L^-1 is (-w' L^-1, 1) / d.
 *
 * @param factorized with the further points last
 * @param total of the factorization without them
 * @param sigma standard deviation of the process
 * @param normals standard normal numbers, one per further point
 */
function deviations({ inverse, ones }: Factorized, total: number, sigma: number, normals: Float64Array): Float64Array {
  const N = ones.length;
  const count = normals.length;
  const known = N - count;
  const e = new Float64Array(count);
  let square = total;
  let cross = 0;
  for (let i = 0; i < count; i++) {
    const row = (known + i) * N;
    const d = 1 / inverse[row + known + i]!;
    let sum = 0;
    for (let l = 0; l <= known + i; l++) sum += inverse[row + l]!;
    let along = 0;
    for (let l = 0; l < i; l++) along -= d * inverse[row + known + l]! * e[l]!;
    const rest = d * sum;
    e[i] = along + (rest * cross) / square + sigma * Math.sqrt(d * d + (rest * rest) / square) * normals[i]!;
    square += sum * sum;
    cross += (sum * (e[i]! - along)) / d;
  }
  return e;
}
