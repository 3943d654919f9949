import { makeRandom } from '../numerics/random.ts';
import { type Encoding, encodeNumber, levelAt, levelCount } from '../space/encoding.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';

/**
 * Sample sizes, which are primes, each with the primitive root whose lattice spreads the points best over up to 20
 * dimensions, found by search with criterion P_2 of Sloan and Joe 1994, Lattice methods for multiple integration. The
 * largest that the work allows is taken. A root chosen without care costs an error of 0.05.
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
/** Least number of points at which sigma is predicted, which costs more than the mean. */
const SIGMA_POINTS = 30;

/** Variation of an output over the box according to its surrogate, in squared output units. */
export interface Variation {
  readonly variance: number;
  /** Length n: the variance that remains on average when all inputs but this one are known. */
  readonly effects: Float64Array;
  /** Mean variance of the prediction itself. */
  readonly predictionVariance: number;
}

/** Two samples of the box: `first` and `second` give the quantile in [0, 1) of variable v in row k. */
interface SamplePair {
  readonly size: number;
  readonly first: (k: number, v: number) => number;
  readonly second: (k: number, v: number) => number;
}

/**
 * The variations of the predicted means, one per output.
 *
 * The total effect of an input is half the mean square change of the output when that input moves from one sample to the
 * other.
 * Source: Jansen 1999, Computer Physics Communications 117; Saltelli et al. 2010, Computer Physics Communications 181,
 * table 2, estimator (f).
 */
export function variationsOf(encoding: Encoding, surrogate: Surrogate, predictor: Predictor): Variation[] {
  const { n, p } = encoding;
  const m = surrogate.outputs.length;
  const sample = samplePair(encoding, surrogate);
  const { size, first, second } = sample;
  const u = new Float64Array(p);
  const values = Array.from({ length: m }, () => new Float64Array(size));
  const effects = Array.from({ length: m }, () => new Float64Array(n));
  const meansAt = () => {
    predictor.predictMeans(u);
    return toOutputs(surrogate, predictor.mean);
  };
  for (let k = 0; k < size; k++) {
    for (let v = 0; v < n; v++) setVariable(encoding, v, first(k, v), u);
    const base = meansAt();
    base.forEach((y, j) => {
      values[j]![k] = y;
    });
    for (let v = 0; v < n; v++) {
      if (encoding.movable[v] === 0) continue;
      setVariable(encoding, v, second(k, v), u);
      meansAt().forEach((y, j) => {
        effects[j]![v]! += (y - base[j]!) ** 2 / (2 * size);
      });
      setVariable(encoding, v, first(k, v), u);
    }
  }
  const predictionVariances = meanPredictionVariances(encoding, surrogate, predictor, sample);
  return effects.map((one, j) => ({
    variance: varianceOf(values[j]!),
    effects: one,
    predictionVariance: predictionVariances[j]!,
  }));
}

/** As large a sample as the work allows. */
function samplePair({ n, p }: Encoding, { geometry, kernels, outputs }: Surrogate): SamplePair {
  const perPoint = (geometry.N * (4 * p * kernels.length + 2 * outputs.length)) / 1e6;
  const { size, root } = SIZES.find((one) => one.size * (n + 1) * perPoint < SENSITIVITY_WORK) ?? SIZES.at(-1)!;
  const coordinate = size > 2 * n ? lattice(size, root, 2 * n) : stratified(size, 2 * n);
  return { size, first: coordinate, second: (k, v) => coordinate(k, n + v) };
}

/** Maps standardized outputs, length m, to output units; 0 for a constant output. */
function toOutputs({ outputs }: Surrogate, z: Float64Array): number[] {
  return outputs.map(({ fitted }, j) => fitted?.warp.outputAt(z[j]!) ?? 0);
}

/** Length m: the mean square of sigma, in output units, over every so many points of the first sample. */
function meanPredictionVariances(
  encoding: Encoding,
  surrogate: Surrogate,
  predictor: Predictor,
  { size, first }: SamplePair,
): Float64Array {
  const u = new Float64Array(encoding.p);
  const sums = new Float64Array(surrogate.outputs.length);
  const every = Math.max(1, Math.floor(size / SIGMA_POINTS));
  let count = 0;
  for (let k = 0; k < size; k += every) {
    for (let v = 0; v < encoding.n; v++) setVariable(encoding, v, first(k, v), u);
    predictor.predict(u);
    const { mean, sigma } = predictor;
    const above = toOutputs(
      surrogate,
      mean.map((z, j) => z + sigma[j]!),
    );
    const below = toOutputs(
      surrogate,
      mean.map((z, j) => z - sigma[j]!),
    );
    above.forEach((y, j) => {
      sums[j]! += ((y - below[j]!) / 2) ** 2;
    });
    count++;
  }
  return sums.map((sum) => sum / count);
}

function varianceOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

/** Coordinate d of point k in [0, 1): a rank-1 lattice whose generators, powers of a primitive root, all differ. */
function lattice(size: number, root: number, dimensions: number): (k: number, d: number) => number {
  const generators = [1];
  while (generators.length < dimensions) generators.push((generators.at(-1)! * root) % size);
  return (k, d) => ((k * generators[d]!) % size) / size + 0.5 / size;
}

/** The same for more dimensions than the lattice has: a Latin hypercube, strata of equal width in random orders. */
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

/** Sets the features of variable v to its quantile `share` in [0, 1); the levels of a discrete one are equally likely. */
function setVariable(encoding: Encoding, v: number, share: number, u: Float64Array): void {
  const from = encoding.first[v]!;
  const to = encoding.first[v + 1]!;
  if (encoding.movable[v] === 0) return;
  if (encoding.discrete[v] === 0) {
    u[from] = encoding.lower[from]! + share * (encoding.upper[from]! - encoding.lower[from]!);
    return;
  }
  const levels = levelCount(encoding.variables[v]!);
  const level = Math.floor(share * levels);
  const { step, levels: listed, likely } = encoding.variables[v]!;
  const isEven = step === undefined && listed === undefined && likely === undefined && encoding.logarithmic[v] === 0;
  if (to - from === 1) {
    u[from] = isEven
      ? (2 * level) / (levels - 1) - 1
      : encodeNumber(encoding, v, levelAt(encoding.variables[v]!, level));
  } else for (let f = from; f < to; f++) u[f] = (f - from === level ? 1 : 0) - 1 / levels;
}
