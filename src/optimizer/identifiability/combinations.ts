/** Inputs that can change together without a target being missed. */

import type { Combination } from '../interface/insights.ts';
import { symmetricEigen } from '../linalg/eigen.ts';
import { type Encoding, numberOf } from '../space/encoding.ts';
import type { Box } from '../space/search-space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import type { Held, Profiles } from './profile.ts';

/**
 * A direction is weak when moving along it by half of the distance from the middle of the box to its side takes no output
 * across more than one half width of its interval.
 */
const WEAK = 2;
/** Least share of the distance between its bounds that the leading input of a combination covers. */
const LEAST_SHARE = 0.25;
/** Smaller loadings count as none. */
const NEGLIGIBLE = 0.05;
/** Points between the ends that are checked. */
const CHECKED = 7;
/** Least ratio of the bounds of a positive input that is worth a logarithm. */
const LOG_RATIO = 2;

/** The combinations through the point `best`, verified by the models. @param numbers the inputs that take part */
export function combinationsOf(
  encoding: Encoding,
  models: { readonly surrogate: Surrogate; readonly predictor: Predictor; readonly profiles: Profiles },
  best: Held,
  confidence: number,
  box: Box,
  numbers: readonly number[],
): Combination[] {
  const { profiles } = models;
  const leads = pivotsOf(weakDirections(encoding, models, best, numbers), numbers.length).map((k) => numbers[k]!);
  return leads.flatMap((lead) => {
    const f = encoding.first[lead]!;
    const others = leads.filter((one) => one !== lead).map((one) => encoding.first[one]!);
    const held = { lower: box.lower.slice(), upper: box.upper.slice(), conditions: box.conditions };
    for (const other of others) held.lower[other] = held.upper[other] = best.u[other]!;
    const { low, high } = profiles.endsOf(f, [best], { measure: 'probability', value: confidence }, held);
    const length = high.u[f]! - low.u[f]!;
    if (length / 2 < LEAST_SHARE) return [];
    const between: Held[] = [];
    for (let k = 1; k <= CHECKED; k++) {
      const share = k / (CHECKED + 1);
      const start = low.u.map((value, g) => value + share * (high.u[g]! - value));
      between.push(profiles.pinned(start, f, low.u[f]! + share * length, held));
    }
    if (between.some(({ probability }) => probability < confidence)) return [];
    return [describe(encoding, numbers, lead, low, between[CHECKED >> 1]!, high)];
  });
}

/** Rows of unit vectors over the features of the inputs: the weak directions at the point. */
function weakDirections(
  encoding: Encoding,
  { surrogate, predictor }: { readonly surrogate: Surrogate; readonly predictor: Predictor },
  { u }: Held,
  numbers: readonly number[],
): Float64Array[] {
  const q = numbers.length;
  predictor.predict(u);
  predictor.differentiateMeans();
  const A = new Float64Array(q * q);
  surrogate.outputs.forEach(({ lower, upper }, j) => {
    const reach = reachOf(lower, upper, predictor.mean[j]!, predictor.sigma[j]!);
    if (reach === Number.POSITIVE_INFINITY) return;
    const slope = (k: number) => predictor.meanGradient[j * encoding.p + encoding.first[numbers[k]!]!]! / reach;
    for (let a = 0; a < q; a++) for (let b = 0; b < q; b++) A[a * q + b]! += slope(a) * slope(b);
  });
  const { values, vectors } = symmetricEigen(A, q);
  return Array.from(values.keys())
    .filter((k) => values[k]! < WEAK ** 2)
    .map((k) => vectors.slice(k * q, (k + 1) * q));
}

/** Distance that a mean may move: half the width of the interval, or the distance from the end of a one-sided one. */
function reachOf(lower: number, upper: number, mean: number, sigma: number): number {
  if (Number.isFinite(lower) && Number.isFinite(upper)) return Math.max((upper - lower) / 2, sigma);
  const slack = Math.min(mean - lower, upper - mean);
  return Math.max(slack, sigma);
}

/** One coordinate per row, in the order of size, that no combination of the other rows can replace; eliminates in place. */
function pivotsOf(rows: Float64Array[], q: number): number[] {
  const open = rows.slice();
  const pivots: number[] = [];
  while (open.length > 0) {
    let [row, column, most] = [0, -1, 1e-6];
    open.forEach((one, r) => {
      for (let k = 0; k < q; k++) if (Math.abs(one[k]!) > most) [row, column, most] = [r, k, Math.abs(one[k]!)];
    });
    if (column < 0) break;
    const [pivot] = open.splice(row, 1) as [Float64Array];
    pivots.push(column);
    for (const one of open) {
      const factor = one[column]! / pivot[column]!;
      for (let k = 0; k < q; k++) one[k]! -= factor * pivot[k]!;
    }
  }
  return pivots;
}

/** The combination that leads from low by way of middle to high, on the scale on which it is straighter. */
function describe(
  encoding: Encoding,
  numbers: readonly number[],
  lead: number,
  low: Held,
  middle: Held,
  high: Held,
): Combination {
  const inputOf = ({ u }: Held) => encoding.variables.map((_, v) => naturalValue(encoding, v, u));
  const [from, by, to] = [inputOf(low), inputOf(middle), inputOf(high)];
  const candidates = (['linear', 'log'] as const).map((scale) => {
    const coordinate = (x: readonly number[], v: number) => coordinateOf(encoding, scale, v, x[v]!);
    const moves = encoding.variables.map((_, v) => (numbers.includes(v) ? coordinate(to, v) - coordinate(from, v) : 0));
    const largest = moves.reduce((most, move) => Math.max(most, Math.abs(move)), 0);
    const involved = numbers.filter((v) => Math.abs(moves[v]!) >= NEGLIGIBLE * largest);
    const share = (coordinate(by, lead) - coordinate(from, lead)) / moves[lead]!;
    const bend = involved.reduce(
      (sum, v) => sum + Math.abs(coordinate(by, v) - coordinate(from, v) - share * moves[v]!),
      0,
    );
    const isMeaningful = scale === 'linear' || involved.every((v) => hasLog(encoding, v));
    const sign = Math.sign(moves[involved[0] ?? lead]!) || 1;
    const loadings = moves.map((move, v) => (involved.includes(v) ? (sign * move) / largest : 0));
    return { scale, loadings, bend: isMeaningful ? bend : Number.POSITIVE_INFINITY };
  });
  const { scale, loadings } = candidates[1]!.bend < candidates[0]!.bend ? candidates[1]! : candidates[0]!;
  return { scale, loadings, ends: [from, to] };
}

/** The value of input v at the features u: numbers are not rounded. */
function naturalValue(encoding: Encoding, v: number, u: Float64Array): number {
  const { kind, minimum, fixedAt } = encoding.variables[v]!;
  if (fixedAt !== undefined) return fixedAt;
  const from = encoding.first[v]!;
  if (kind !== 'category') return numberOf(encoding, v, u[from]!);
  const levels = Array.from(u.subarray(from, encoding.first[v + 1]!));
  return levels.length === 1 ? numberOf(encoding, v, levels[0]!) : minimum + levels.indexOf(Math.max(...levels));
}

/** From -1 to 1 between the bounds. */
function coordinateOf({ variables }: Encoding, scale: Combination['scale'], v: number, x: number): number {
  const { minimum, maximum } = variables[v]!;
  return scale === 'log' && minimum > 0
    ? (2 * Math.log(x / minimum)) / Math.log(maximum / minimum) - 1
    : (2 * (x - minimum)) / (maximum - minimum) - 1;
}

function hasLog({ variables, logarithmic }: Encoding, v: number): boolean {
  const { minimum, maximum } = variables[v]!;
  return logarithmic[v] === 1 || (minimum > 0 && maximum / minimum >= LOG_RATIO);
}
