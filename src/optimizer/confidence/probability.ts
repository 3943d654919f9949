/**
 * The probability that a fresh run at an input meets all targets, and that the means of its outputs do. The noise variances
 * v and means theta are drawn from the belief; given v the probabilities have a closed form, except for the L1 norm of
 * exact targets, which takes draws of the outputs as well. Outputs are independent in all that decides. Where the probability
 * P is high this hardly matters: by the inequality of Bonferroni it exceeds the true one by at most P - 1 - log P, 0.005 at 0.9.
 * Smaller ones may be far too small, so what is reported takes the correlation of the outputs into account, see `jointExcess`.
 */

import type { Goal, UncertainProbability } from '../interface/problem.ts';
import { dot } from '../linalg/dense.ts';
import { normalCdf } from '../numerics/normal.ts';
import { makeRandom } from '../numerics/random.ts';
import { type Belief, isSkewed, type OutputBelief } from './belief.ts';
import { drawNoise } from './draw-noise.ts';

/** Standard normal numbers for draws of a belief: for each draw and output one for the noise variance and one for the mean. */
export interface Draws {
  readonly count: number;
  readonly m: number;
  /** count x m each. */
  readonly forNoise: Float64Array;
  readonly forMean: Float64Array;
  /** INNER x m: for the outputs of runs. */
  readonly forRun: Float64Array;
}

/** Draws of outputs for each draw of noise and means, where an L1 norm needs them. */
const INNER = 32;
/** The ends of the ranges. */
const QUANTILE = 0.1;
/** Factors on the noise and its degrees of freedom; decision 25 has the figures. */
const LIKELY = { noise: 0.85, freedom: 1.5 };
/** Probability that an input holds as surely as asked before anything is known of it: most inputs that are run again do not. */
export const PROMISING = 0.1;
const BISECTIONS = 32;
/** Least standard deviation relative to the value: smaller ones are rounding. */
const ROUNDING = 1e-12;

export function makeDraws(count: number, m: number): Draws {
  const random = makeRandom(11, count, m);
  const normals = (length: number) => Float64Array.from({ length }, () => random.normal());
  return { count, m, forNoise: normals(count * m), forMean: normals(count * m), forRun: normals(INNER * m) };
}

/** The distribution of the mean of one output given the runs and their noise variance: its mean and variance. */
export function meanGiven(
  { mean, variance, observed }: OutputBelief,
  runs: number,
  noise: number,
): { mean: number; variance: number } {
  if (runs === 0) return { mean, variance };
  if (!(noise > 0)) return { mean: observed, variance: 0 };
  const precision = 1 / variance + runs / noise;
  return { mean: (mean / variance + (runs * observed) / noise) / precision, variance: 1 / precision };
}

/**
 * That the outputs of a fresh run meet all targets.
 *
 * @param l1 of the goal; the belief is then in units of the outputs
 */
export function ofRun(belief: Belief, l1: Goal['l1'], draws: Draws): UncertainProbability {
  const { shares, expected } = sharesOf(belief, l1, draws);
  return summary(expected, shares, successOf(belief));
}

/** Draws of the share of hits, and of its expectation given the noise. */
function sharesOf(belief: Belief, l1: Goal['l1'], draws: Draws): { shares: Float64Array; expected: Float64Array } {
  const { count, m } = draws;
  const shares = new Float64Array(count);
  const expected = new Float64Array(count);
  const drawn = makeDrawn(m);
  for (let d = 0; d < count; d++) {
    drawFrom(belief, draws, d, drawn);
    const { noises, means, variances } = drawn;
    let [value, average] = [1, 1];
    for (let j = 0; j < m; j++) {
      const theta = means[j]! + Math.sqrt(variances[j]!) * draws.forMean[d * m + j]!;
      if (l1) means[j] = theta;
      else {
        value *= inside(belief.outputs[j]!, theta, noises[j]!);
        average *= inside(belief.outputs[j]!, means[j]!, variances[j]! + noises[j]!);
      }
    }
    shares[d] = l1 ? shareWithin(l1, means, noises, draws) : value;
    expected[d] = l1 ? shares[d]! : average;
  }
  return { shares, expected };
}

/** That the means of the outputs meet all targets; otherwise as `ofRun`. */
export function ofMean(belief: Belief, l1: Goal['l1'], draws: Draws): UncertainProbability {
  const { count, m } = draws;
  const values = new Float64Array(count);
  const drawn = makeDrawn(m);
  for (let d = 0; d < count; d++) {
    drawFrom(belief, draws, d, drawn);
    const { noises, means, variances } = drawn;
    const isMet = (j: number) => {
      const output = belief.outputs[j]!;
      return inside(output, means[j]! + output.skew * noises[j]!, variances[j]!);
    };
    let value = 1;
    if (l1) value = shareWithin(l1, means, variances, draws);
    else for (let j = 0; j < m; j++) value *= isMet(j);
    values[d] = value;
  }
  return summary(values, values, successOf(belief));
}

/** Length m each: a draw of the noise variances, and the distributions of the means given them. */
interface Drawn {
  readonly noises: Float64Array;
  readonly means: Float64Array;
  readonly variances: Float64Array;
}

function makeDrawn(m: number): Drawn {
  return { noises: new Float64Array(m), means: new Float64Array(m), variances: new Float64Array(m) };
}

function drawFrom({ outputs, runs }: Belief, { m, forNoise }: Draws, d: number, out: Drawn): void {
  for (let j = 0; j < m; j++) {
    const noise = drawNoise(outputs[j]!, runs, forNoise[d * m + j]!);
    const { mean, variance } = meanGiven(outputs[j]!, runs, noise);
    out.noises[j] = noise;
    out.means[j] = mean;
    out.variances[j] = variance;
  }
}

/**
 * By how much the probability that all outputs of a fresh run lie in their intervals exceeds the one of independent outputs:
 * the difference between two estimates from the same draws, in which most of their error cancels.
 *
 * @param factor m x m, lower triangular: that of the correlation of the outputs
 * @param normals standard normal numbers in rows of m
 */
export function jointExcess(belief: Belief, factor: Float64Array, normals: Float64Array): number {
  const { outputs, runs } = belief;
  const m = outputs.length;
  const given = outputs.map((output) => meanGiven(output, runs, output.noise));
  const sds = given.map(({ variance }, j) => Math.sqrt(variance + outputs[j]!.noise));
  const isInside = (j: number, normal: number) => {
    const y = given[j]!.mean + sds[j]! * normal;
    return y >= outputs[j]!.lower && y <= outputs[j]!.upper;
  };
  let excess = 0;
  for (let d = 0; d < normals.length; d += m) {
    let [apart, together] = [1, 1];
    for (let j = 0; j < m; j++) {
      if (!isInside(j, normals[d + j]!)) apart = 0;
      if (together === 1 && !isInside(j, dot(factor, j * m, normals, d, j + 1))) together = 0;
    }
    excess += together - apart;
  }
  return (excess * m) / normals.length;
}

/** A range that is told with another probability than the one that it was drawn with. */
export function withValue({ low, high }: UncertainProbability, value: number): UncertainProbability {
  const inside = Math.min(1, Math.max(0, value));
  return { value: inside, low: Math.min(low, inside), high: Math.max(high, inside) };
}

/**
 * The belief with the noise that is likely rather than the one that is safe to decide by: part of what the models take for noise is
 * what they miss.
 */
export function withLikelyNoise({ outputs, ...rest }: Belief): Belief {
  const likely = (output: OutputBelief): OutputBelief =>
    output.freedom === Number.POSITIVE_INFINITY
      ? output
      : { ...output, noise: LIKELY.noise * output.noise, freedom: LIKELY.freedom * output.freedom };
  return { ...rest, outputs: outputs.map(likely) };
}

/** The draws with one number for the noise of all outputs: models that miss one output at an input often miss the others. */
export function withNoiseTogether(draws: Draws): Draws {
  return { ...draws, forNoise: draws.forNoise.map((_, i) => draws.forNoise[i - (i % draws.m)]!) };
}

/**
 * That a fresh run meets all targets, whatever the shape of its noise. Either the models are right about the runs at this input, or
 * nothing is known but how many of them were hits. Which of the two is believed depends on how well the models, without these runs,
 * foresaw their hits and misses, and on `trust`. Noise that is known and about normal needs no such doubt.
 *
 * Source: Gelman et al. 2014, section 2.4; Hoeting, Madigan, Raftery and Volinsky 1999, Bayesian model averaging.
 *
 * @param models what they say; their value is used and, where noise is known, their ends
 */
export function ofShare(
  belief: Belief,
  l1: Goal['l1'],
  draws: Draws,
  models = ofRun(belief, l1, draws),
): UncertainProbability {
  const isKnown = belief.outputs.every(({ freedom }) => freedom === Number.POSITIVE_INFINITY);
  if (isKnown && !isSkewed(belief)) return models;
  const weight = weightOf(belief.trust * foresight(belief, l1, draws));
  const success = successOf(belief);
  const shares = sharesOf(belief, l1, draws)
    .shares.map((share) => success * share)
    .sort();
  const unknown = shareOfHits(belief);
  const below = (p: number) => (weight * countBelow(shares, p)) / shares.length + (1 - weight) * unknown.below(p);
  const quantile = (q: number) => {
    let [low, high] = [0, 1];
    for (let k = 0; k < BISECTIONS; k++) {
      const middle = (low + high) / 2;
      if (below(middle) < q) low = middle;
      else high = middle;
    }
    return low;
  };
  const value = weight * models.value + (1 - weight) * unknown.mean;
  const [low, high] = [quantile(QUANTILE), quantile(1 - QUANTILE)];
  return { value, low: Math.min(low, value), high: Math.max(high, value) };
}

/**
 * Likelihood ratio of the hits and misses at an input: by the models without its runs, against a prior that knows no models.
 */
export function foresight(belief: Belief, l1: Goal['l1'], draws: Draws): number {
  const { runs, hits } = belief;
  if (runs === 0) return 1;
  const outputs = belief.outputs.map((output) => ({ ...output, squares: 0 }));
  const { shares } = sharesOf({ ...belief, runs: 0, outputs }, l1, draws);
  const sum = shares.reduce((total, share) => total + share ** hits * (1 - share) ** (runs - hits), 0);
  return sum / shares.length / shareOfHits({ ...belief, failures: 0 }).likelihood;
}

/** The probability that odds stand for, which may be infinite. */
const weightOf = (odds: number) => (odds < 1 ? odds / (1 + odds) : 1 / (1 + 1 / odds));

/**
 * The share of hits at an input by its hits and misses alone: before the first run it is above `least` with the probability
 * `PROMISING`, and uniform on either side. At 0.9 it is uniform altogether.
 */
function shareOfHits({ runs, hits, failures, least }: Belief) {
  const misses = runs - hits + failures;
  const uniform = (p: number) => shareBelow(p, hits + 1, misses);
  const [under, over] = [(1 - PROMISING) / least, PROMISING / (1 - least)];
  const at = uniform(least);
  const total = under * at + over * (1 - at);
  // The mean of a beta distribution below p is that of one with a further hit.
  const further = shareBelow(least, hits + 2, misses);
  const mean = (hits + 1) / (hits + misses + 2);
  let orders = hits + misses + 1;
  for (let k = 1; k <= misses; k++) orders *= (hits + k) / k;
  return {
    below: (p: number) => (under * Math.min(at, uniform(p)) + over * Math.max(0, uniform(p) - at)) / total,
    mean: (mean * (under * further + over * (1 - further))) / total,
    /** Likelihood of the hits and misses in the order in which they came. */
    likelihood: total / orders,
  };
}

/** @param sorted ascending */
function countBelow(sorted: Float64Array, value: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The probability that a beta variable (hits, misses + 1) is smaller than p. Source: Abramowitz and Stegun 1964, 26.5.6. */
function shareBelow(p: number, hits: number, misses: number): number {
  let term = p ** hits;
  let sum = term;
  for (let i = 1; i <= misses; i++) {
    term *= ((hits + i - 1) / i) * (1 - p);
    sum += term;
  }
  return sum;
}

/** The chance that a run at the input succeeds; runs without a failure say nothing against it. */
function successOf({ runs, failures }: Belief): number {
  return failures === 0 ? 1 : (runs + 0.5) / (runs + failures + 1);
}

/** The probability that a normal variable lies in the interval of an output. */
export function inside(
  { lower, upper }: Pick<OutputBelief, 'lower' | 'upper'>,
  mean: number,
  variance: number,
): number {
  const sd = Math.max(Math.sqrt(variance), ROUNDING * Math.max(1, Math.abs(mean)));
  return Math.max(0, normalCdf((upper - mean) / sd) - normalCdf((lower - mean) / sd));
}

/** The share of draws of N(mean, variance) whose L1 norm is small enough. */
function shareWithin(
  { center, threshold }: NonNullable<Goal['l1']>,
  mean: Float64Array,
  variance: Float64Array,
  { m, forRun }: Draws,
): number {
  let hits = 0;
  for (let l = 0; l < INNER; l++) {
    let norm = 0;
    for (let j = 0; j < m; j++) norm += Math.abs(mean[j]! + Math.sqrt(variance[j]!) * forRun[l * m + j]! - center[j]!);
    if (norm <= threshold) hits++;
  }
  return hits / INNER;
}

/** @param values whose mean is the probability @param spread its possible values */
function summary(values: Float64Array, spread: Float64Array, success: number): UncertainProbability {
  let sum = 0;
  for (const value of values) sum += value;
  const sorted = spread.slice().sort();
  const quantile = (q: number) => success * sorted[Math.floor(q * (sorted.length - 1) + 0.5)]!;
  return { value: (success * sum) / values.length, low: quantile(QUANTILE), high: quantile(1 - QUANTILE) };
}
