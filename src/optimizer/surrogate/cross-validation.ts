/**
 * Cross-validation of a surrogate: how well it predicts the cases it was fitted to when they are left out, with its
 * hyperparameters kept. Cases close together form a cluster, are left out together and count as one: inverses crowd around
 * their target, an initial point repeats a case, and each of them would vouch for the others.
 */

import type { OutputInsight } from '../interface/insights.ts';
import { choleskyInPlace, solveWithFactor } from '../linalg/cholesky.ts';
import { dot, squareBetweenRows } from '../linalg/dense.ts';
import type { Factorized } from './gaussian-process.ts';
import type { Points } from './kernels.ts';
import type { Surrogate } from './model-choice.ts';

/** Radius of a cluster as a share of the diagonal of the box. */
const CLUSTER_RADIUS = 0.05;
/** Fewer clusters say nothing: a mean and a slope explain two. */
const MIN_CLUSTERS = 3;
/** Share of the variance that a model must predict before it is trusted: with 0.9 it took a lesser peak for the highest. */
const MIN_R2 = 0.95;

/** The row numbers of each cluster, at least one each. */
export type Clusters = readonly (readonly number[])[];

/**
 * The clusters of a surrogate's cases: the first case and all near it, then the first of the rest and all near that, and so
 * on.
 *
 * @param n number of movable variables
 */
export function clustersOf({ geometry }: Surrogate, n: number): Clusters {
  const { N, p, U } = geometry;
  // The box has sides of length 2.
  const squareRadius = (2 * CLUSTER_RADIUS) ** 2 * n;
  const clusters: number[][] = [];
  for (let i = 0; i < N; i++) {
    const cluster = clusters.find(([first]) => squareBetweenRows(U, p, first!, i) < squareRadius);
    if (cluster) cluster.push(i);
    else clusters.push([i]);
  }
  return clusters;
}

/** Cross-validates output j of a surrogate, cluster by cluster. */
export function crossValidate(surrogate: Surrogate, clusters: Clusters, j: number): OutputInsight['crossValidated'] {
  if (clusters.length < MIN_CLUSTERS) return { r2: null, rmse: null };
  const residuals = residualsOf(surrogate, clusters, j);
  if (residuals === null) return { r2: null, rmse: 0 };
  const { z, outputAt } = surrogate.outputs[j]!.fitted!.warp;
  const observed = z.map(outputAt);
  const largest = observed.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = averageOver(clusters, (i) => observed[i]! / largest);
  const meanSquareError = averageOver(
    clusters,
    (i) => ((observed[i]! - outputAt(z[i]! - residuals[i]!)) / largest) ** 2,
  );
  const variance = averageOver(clusters, (i) => (observed[i]! / largest - mean) ** 2);
  const r2 = 1 - meanSquareError / variance;
  const rmse = Math.sqrt(meanSquareError) * largest;
  return { r2: Number.isFinite(r2) ? r2 : null, rmse: Number.isFinite(rmse) ? rmse : null };
}

/** The mean over the clusters of the mean over their cases. */
export function averageOver(clusters: Clusters, of: (i: number) => number): number {
  const means = clusters.map((cluster) => cluster.reduce((sum, i) => sum + of(i), 0) / cluster.length);
  return means.reduce((sum, mean) => sum + mean, 0) / clusters.length;
}

/**
 * Length N, standardized: the residuals of output j when each case is predicted from the other clusters. NaN where a cluster
 * cannot be left out; null for a constant output.
 */
export function residualsOf(surrogate: Surrogate, clusters: Clusters, j: number): Float64Array | null {
  const fitted = surrogate.outputs[j]!.fitted;
  if (!fitted) return null;
  const { factorized, geometry } = surrogate.kernels[fitted.kernel]!;
  return leaveClustersOut(factorized, fitted.conditioned.alpha, withSlopeRows(geometry, clusters));
}

/** Whether the squares of the residuals, a number for each case, are small beside the variance of what is predicted. */
export function areSmall(residuals: Float64Array, clusters: Clusters, variance: number): boolean {
  return averageOver(clusters, (i) => residuals[i]! ** 2) <= (1 - MIN_R2) * variance;
}

/** Whether the models predict nearly all that every output varies by. @param n see `clustersOf` */
export function predictsAll(surrogate: Surrogate, n: number): boolean {
  const clusters = clustersOf(surrogate, n);
  return surrogate.outputs.every((_, j) => {
    const residuals = residualsOf(surrogate, clusters, j);
    return residuals === null || areSmall(residuals, clusters, 1);
  });
}

/** A case is left out with the rows that stand for its derivatives. */
function withSlopeRows({ slopes }: Points, clusters: Clusters): Clusters {
  if (!slopes) return clusters;
  const rows = Array.from(slopes.base.keys());
  return clusters.map((cluster) => [
    ...cluster,
    ...rows.filter((s) => cluster.includes(slopes.base[s]!)).map((s) => slopes.start + s),
  ]);
}

/**
 * Length N, standardized: the residual of each case when its whole cluster G is left out, (Q_GG)^-1 alpha_G with
 * Q = K^-1 - (K^-1 1)(K^-1 1)' / (1' K^-1 1), the precision matrix with an estimated mean.
 *
 * Cost of a cluster: N |G|^2 + |G|^3 / 3.
 * Source: Dubrule 1983, Mathematical Geology 15, for several cases at once.
 */
function leaveClustersOut({ inverse, ones, total }: Factorized, alpha: Float64Array, clusters: Clusters): Float64Array {
  const N = alpha.length;
  // Row c is column c of L^-1, so that the products below run along rows.
  const columns = new Float64Array(N * N);
  for (let r = 0; r < N; r++) for (let c = 0; c <= r; c++) columns[c * N + r] = inverse[r * N + c]!;
  const residuals = new Float64Array(N);
  for (const cluster of clusters) {
    const q = cluster.length;
    const Q = new Float64Array(q * q);
    for (const [a, i] of cluster.entries()) {
      for (const [b, k] of cluster.slice(0, a + 1).entries()) {
        Q[a * q + b] = dot(columns, i * N + i, columns, k * N + i, N - i) - (ones[i]! * ones[k]!) / total;
      }
    }
    const left = Float64Array.from(cluster, (i) => alpha[i]!);
    // Cases so close that the matrix is numerically singular predict nothing but each other.
    if (choleskyInPlace(Q, q)) solveWithFactor(Q, q, left);
    else left.fill(Number.NaN);
    cluster.forEach((i, a) => {
      residuals[i] = left[a]!;
    });
  }
  return residuals;
}
