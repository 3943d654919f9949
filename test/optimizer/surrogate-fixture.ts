import { toIntervals } from '../../src/optimizer/goal/targets.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import type { Work } from '../../src/optimizer/numerics/work.ts';
import type { InputScale } from '../../src/optimizer/surrogate/input-scale.ts';
import { type Geometry, makeGeometry } from '../../src/optimizer/surrogate/kernels.ts';
import { chooseModels, type Surrogate } from '../../src/optimizer/surrogate/model-choice.ts';

export const unlimited = (): Work => ({ spent: 0, limit: 1e9 });

/** N points in p features, uniform in [-1, 1], one group per feature. */
export function pointsAndGeometry(N: number, p: number, seed: number): { U: Float64Array; geometry: Geometry } {
  const random = makeRandom(seed);
  const U = Float64Array.from({ length: N * p }, () => 2 * random.uniform() - 1);
  const grouping = { count: p, of: Int32Array.from({ length: p }, (_, f) => f) };
  return { U, geometry: makeGeometry(U, N, p, grouping) };
}

/** Three smooth outputs: nearly linear, quadratic, wavy. */
export function smooth(u: ArrayLike<number>): number[] {
  let sum = 0;
  let square = 0;
  for (let f = 0; f < u.length; f++) {
    sum += (f + 1) * u[f]!;
    square += (u[f]! - 0.2) ** 2;
  }
  return [sum, square, Math.sin(2 * u[0]!) + 0.3 * sum];
}

/** The surrogate of `evaluate` on random points, targets within 0.1 of `centers`; `scale` offers a second input scale. */
export function surrogateOf(
  evaluate: (u: ArrayLike<number>) => number[],
  centers: readonly number[],
  N: number,
  p: number,
  scale: InputScale | null = null,
): { surrogate: Surrogate; U: Float64Array; Y: Float64Array } {
  const { U, geometry } = pointsAndGeometry(N, p, 1);
  const logGeometry = scale ? makeGeometry(U, N, p, geometry.grouping, scale) : null;
  const m = centers.length;
  const Y = new Float64Array(N * m);
  for (let i = 0; i < N; i++) Y.set(evaluate(U.subarray(i * p, (i + 1) * p)), i * m);
  const targets = centers.map((center) => ({
    lower: center - 0.1,
    upper: center + 0.1,
    lowerOpen: false,
    upperOpen: false,
    direction: 'none' as const,
  }));
  const intervals = toIntervals({ targets, l1: null }, Y, N);
  const request = { geometry, logGeometry, Y, intervals, n: p, stall: 0, local: false };
  return { surrogate: chooseModels(request, unlimited()), U, Y };
}
