import { makeRandom } from '../numerics/random.ts';
import { type Coding, levelCount } from '../space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';

/**
 * Sample sizes, primes, with the primitive root of each that spreads the points best over up to 20 dimensions (criterion P2
 * of Sloan and Joe 1994, by search). The largest that the work allows is taken. A root chosen without care costs 0.05.
 */
const SIZES = [
  { size: 1021, root: 398 },
  { size: 509, root: 146 },
  { size: 251, root: 37 },
  { size: 127, root: 91 },
  { size: 61, root: 10 },
  { size: 31, root: 24 },
] as const;
/** Million flops for the sensitivities. */
const SENSITIVITY_WORK = 20;
/** Points at which the spread of the surrogate is looked at, at least; it is dearer than the mean. */
const SPREAD_POINTS = 30;

/** How an output varies over the box by its surrogate, in squared output units. */
export interface Variation {
  readonly variance: number;
  /** Length n: the variance that is lost on average when all inputs but one are known. */
  readonly effects: Float64Array;
  /** Average variance of the prediction itself. */
  readonly doubt: number;
}

/**
 * The variations of the predicted means, one per output.
 *
 * Two samples of the box; each input in turn is exchanged between them.
 * Source: Jansen 1999, Computer Physics Communications 117; Saltelli et al. 2010, table 2, estimator (f).
 */
export function variationsOf(coding: Coding, surrogate: Surrogate, predictor: Predictor): Variation[] {
  const { n, p } = coding;
  const m = surrogate.outputs.length;
  const perPoint = (surrogate.geometry.N * (4 * p * surrogate.kernels.length + 2 * m)) / 1e6;
  const { size, root } = SIZES.find((one) => one.size * (n + 1) * perPoint < SENSITIVITY_WORK) ?? SIZES.at(-1)!;
  const share = size > 2 * n ? lattice(size, root, 2 * n) : stratified(size, 2 * n);
  const u = new Float64Array(p);
  const toNatural = (j: number, z: number) => surrogate.outputs[j]!.fitted?.warp.fromZ(z) ?? 0;
  const base = new Float64Array(size * m);
  const effects = Array.from({ length: m }, () => new Float64Array(n));
  const doubts = new Float64Array(m);
  const every = Math.max(1, Math.floor(size / SPREAD_POINTS));
  let looked = 0;
  for (let k = 0; k < size; k++) {
    const withSpread = k % every === 0;
    for (let v = 0; v < n; v++) place(coding, v, share(k, v), u);
    predictor.predict(u, false, withSpread);
    const { mean, sigma } = predictor;
    for (let j = 0; j < m; j++) base[k * m + j] = toNatural(j, mean[j]!);
    if (withSpread) {
      looked++;
      for (let j = 0; j < m; j++) {
        doubts[j]! += ((toNatural(j, mean[j]! + sigma[j]!) - toNatural(j, mean[j]! - sigma[j]!)) / 2) ** 2;
      }
    }
    for (let v = 0; v < n; v++) {
      if (coding.movable[v] === 0) continue;
      place(coding, v, share(k, n + v), u);
      predictor.predict(u, false, false);
      for (let j = 0; j < m; j++) {
        effects[j]![v]! += (toNatural(j, predictor.mean[j]!) - base[k * m + j]!) ** 2 / (2 * size);
      }
      place(coding, v, share(k, v), u);
    }
  }
  return effects.map((one, j) => {
    const values = Float64Array.from({ length: size }, (_, k) => base[k * m + j]!);
    return { variance: varianceOf(values), effects: one, doubt: doubts[j]! / looked };
  });
}

function varianceOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

/** Coordinate d of point k in [0, 1): a lattice whose generators, powers of a primitive root, are all different. */
function lattice(size: number, root: number, dimensions: number): (k: number, d: number) => number {
  const generators = [1];
  while (generators.length < dimensions) generators.push((generators.at(-1)! * root) % size);
  return (k, d) => ((k * generators[d]!) % size) / size + 0.5 / size;
}

/** The same for more dimensions than the lattice has: strata of equal width, in an order of its own for each dimension. */
function stratified(size: number, dimensions: number): (k: number, d: number) => number {
  const random = makeRandom(size, dimensions);
  const orders = Array.from({ length: dimensions }, () => {
    const order = Array.from({ length: size }, (_, k) => k);
    for (let k = size - 1; k > 0; k--) {
      const other = random.below(k + 1);
      [order[k], order[other]] = [order[other]!, order[k]!];
    }
    return order;
  });
  return (k, d) => (orders[d]![k]! + 0.5) / size;
}

/** Sets the features of variable v to its quantile `share` in [0, 1); every level of a discrete one is as likely. */
function place(coding: Coding, v: number, share: number, u: Float64Array): void {
  const from = coding.first[v]!;
  const to = coding.first[v + 1]!;
  if (coding.movable[v] === 0) return;
  if (coding.discrete[v] === 0) {
    u[from] = 2 * share - 1;
    return;
  }
  const levels = levelCount(coding.variables[v]!);
  const level = Math.floor(share * levels);
  if (to - from === 1) u[from] = (2 * level) / (levels - 1) - 1;
  else for (let f = from; f < to; f++) u[f] = (f - from === level ? 1 : 0) - 1 / levels;
}
