import { curveOf } from './identifiability/fitted-outputs.ts';
import { type Held, type Side, walk } from './identifiability/misfit-profile.ts';
import type { Determined, FitCombination, FitInsight, FitParameter, VerifyingRun } from './insights.ts';
import { symmetricEigen } from './linalg/eigen.ts';
import { normalQuantile } from './numerics/normal.ts';
import type { Work } from './numerics/work.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { SuggestRequest } from './problem.ts';
import { bestFit, descend, leastMisfit, type MisfitModel, misfitModel } from './search/least-misfit.ts';
import { type Encoding, levelCount, numberOf, roundToInput } from './space/encoding.ts';
import type { Box } from './space/search-space.ts';

/** A number with fewer values is held at its best one, as booleans and categories are. */
const FEW_LEVELS = 10;
/**
 * A profile that rises by a smaller share of the threshold is flat; over such a share of the range between the bounds it says that the data
 * do not depend on its input, if the curvature says so as well. Near its end it may rise since another input reaches a bound.
 */
const FLAT = { rise: 0.1, share: 0.25 };
/** Smaller loadings of a combination count as none. */
const NEGLIGIBLE = 0.05;
/** Smallest eigenvalue of the curvature, relative to the largest. */
const LEAST_CURVATURE = 1e-13;
/** Step of the derivative of an input by its feature. */
const DIFFERENCE = 1e-5;

/**
 * What the data of a fit tell about its inputs, by the models of all runs; null before a run meets all limits.
 *
 * Standard errors and correlations follow from the slopes of the models at the least misfit; the intervals from profiles, which allow for
 * curvature. With unknown standard errors of the data both use the scale of the residuals, with Student's quantile for normal's.
 *
 * A pure function, like `suggest`, and throws as it does; also for a confidence outside of 0.5 to 0.999.
 */
export function fitInsight(request: SuggestRequest, confidence = 0.95): FitInsight | null {
  if (!(confidence >= 0.5 && confidence <= 0.999)) throw new RangeError('confidence must be from 0.5 to 0.999');
  const prepared = prepare(withPredictions(request));
  const { residuals, encoding, cases, conditions } = prepared;
  const best = cases.N === 0 ? -1 : bestFit(prepared);
  if (residuals === null || best < 0) return null;
  const work: Work = { spent: 0, limit: request.workLimit };
  const model = misfitModel(prepared, best, null, work);
  const numbers = numbersOf(encoding);
  const at = cases.U.slice(best * encoding.p, (best + 1) * encoding.p);
  const box = heldAt(encoding, { lower: encoding.lower, upper: encoding.upper, conditions }, at, numbers);
  const least = leastNear(prepared, model, at, box, work);
  const { covariance, weak } = curvatureAt(model, least, encoding, numbers);
  const quantile = quantileOf(confidence, residuals, numbers.length);
  const threshold = quantile.square;
  const scale = quantile.variance;
  const sides = new Map(
    numbers.map((v) => {
      const f = encoding.first[v]!;
      const error = Math.sqrt(scale * covariance(v, v));
      const side = (sign: 1 | -1) => walk(model, least, { f, sign, rise: threshold, error }, box, work);
      return [v, { low: side(-1), high: side(1), error }] as const;
    }),
  );
  const { X } = request.history;
  const bestInput = X.subarray(cases.rows[best]! * encoding.n, (cases.rows[best]! + 1) * encoding.n);
  // Along the whole range, 2, the misfit rises by four times the curvature.
  const flatDirections = weak((FLAT.rise * threshold) / 4);
  const parameters = Array.from(encoding.variables.keys(), (v): FitParameter => {
    const estimate = bestInput[v]!;
    const found = sides.get(v);
    if (!found) return { estimate, standardError: null, low: null, high: null, kind: 'held', profile: [] };
    const isFlat = flatDirections.some((direction) => Math.abs(direction[numbers.indexOf(v)]!) > NEGLIGIBLE);
    return parameterOf(encoding, v, estimate, found, least, threshold, isFlat);
  });
  const kinds = parameters.map(({ kind }) => kind);
  return {
    confidence,
    best: Array.from(bestInput),
    bestRow: cases.rows[best]!,
    threshold,
    parameters,
    correlations: correlationsOf(encoding, numbers, covariance, parameters),
    combinations: combinationsOf(encoding, numbers, weak(threshold), kinds),
    outputs: curveOf(prepared, residuals, model, {
      best,
      least: least.u,
      byInput: (gradient) => byInput(encoding, numbers, least.u, gradient),
      covariance: (f, g) => scale * covarianceOfFeatures(encoding, numbers, covariance, f, g),
      quantile: quantile.value,
    }),
    verify: verifyingRuns(prepared, model, sides, least),
  };
}

/** The same request with models of the outputs that count nothing, so that they are predicted as well. */
function withPredictions(request: SuggestRequest): SuggestRequest {
  return { ...request, goal: { ...request.goal, predictsAll: true } };
}

/** The inputs with a profile: numbers that may move and have many values. */
function numbersOf({ variables, movable, discrete }: Encoding): number[] {
  return Array.from(variables.keys()).filter((v) => {
    const variable = variables[v]!;
    const isNumber = variable.kind === 'float' || variable.kind === 'integer';
    return (
      movable[v] === 1 &&
      variable.fixedAt === undefined &&
      isNumber &&
      (discrete[v] === 0 || levelCount(variable) >= FEW_LEVELS)
    );
  });
}

/** The box with all other inputs held at u. */
function heldAt(encoding: Encoding, box: Box, u: Float64Array, numbers: readonly number[]): Box {
  const hold = (ends: Float64Array) => ends.map((end, f) => (numbers.includes(encoding.owner[f]!) ? end : u[f]!));
  return { lower: hold(box.lower), upper: hold(box.upper), conditions: box.conditions };
}

function inputAt(encoding: Encoding, u: Float64Array): Float64Array {
  const x = new Float64Array(encoding.n);
  roundToInput(encoding, u.slice(), x);
  return x;
}

/** The least misfit that the models expect, from the best run and from elsewhere. */
function leastNear(prepared: Prepared, model: MisfitModel, at: Float64Array, box: Box, work: Work): Held {
  const u = at.slice();
  const value = descend(model.aim, u, box, work);
  const near: Held = { u, misfit: -2 * value };
  const other = leastMisfit(prepared, model, work);
  const isHeldAlike = other.u.every((one, f) => one >= box.lower[f]! && one <= box.upper[f]!);
  const misfit = -2 * model.aim.evaluate(other.u);
  return isHeldAlike && misfit < near.misfit ? { u: other.u, misfit } : near;
}

/** The curvature of half the misfit by the features of the numbers: J' J of Gauss and Newton. */
function curvatureAt({ aim }: MisfitModel, least: Held, encoding: Encoding, numbers: readonly number[]) {
  aim.evaluate(least.u);
  aim.differentiate();
  const J = aim.slopes();
  const q = numbers.length;
  const p = encoding.p;
  const A = new Float64Array(q * q);
  for (let j = 0; j < aim.m; j++) {
    const slope = (a: number) => J[j * p + encoding.first[numbers[a]!]!]!;
    for (let a = 0; a < q; a++) for (let b = 0; b < q; b++) A[a * q + b]! += slope(a) * slope(b);
  }
  const { values, vectors } = symmetricEigen(A, q);
  const largest = values[q - 1] ?? 0;
  const floor = Math.max(largest * LEAST_CURVATURE, Number.MIN_VALUE * 1e20);
  const position = (v: number) => numbers.indexOf(v);
  const covariance = (v: number, w: number) =>
    values.reduce(
      (sum, value, k) => sum + (vectors[k * q + position(v)]! * vectors[k * q + position(w)]!) / Math.max(value, floor),
      0,
    );
  /** Directions along which a way of 1, half the range, raises the misfit by less than the threshold. */
  const weak = (threshold: number) =>
    Array.from(values.keys())
      .filter((k) => values[k]! < threshold)
      .map((k) => vectors.slice(k * q, (k + 1) * q));
  return { covariance, weak };
}

function covarianceOfFeatures(
  { owner }: Encoding,
  numbers: readonly number[],
  covariance: (v: number, w: number) => number,
  f: number,
  g: number,
): number {
  const [v, w] = [owner[f]!, owner[g]!];
  return numbers.includes(v) && numbers.includes(w) ? covariance(v, w) : 0;
}

/**
 * The variance of the residuals in units of their standard errors, the two-sided quantile, and the increase of the misfit at an end.
 *
 * Source of Student's quantile: Fisher and Cornish 1960, The percentile points of distributions having known cumulants.
 */
function quantileOf(
  confidence: number,
  { points, sumOfSquares, isScaleKnown }: NonNullable<Prepared['residuals']>,
  inputs: number,
) {
  const z = normalQuantile((1 + confidence) / 2);
  if (isScaleKnown) return { variance: 1, value: z, square: z * z };
  const freedom = Math.max(1, points.length - inputs);
  const variance = sumOfSquares / freedom;
  const z3 = (z ** 3 + z) / 4;
  const z5 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const z7 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  const value = z + z3 / freedom + z5 / freedom ** 2 + z7 / freedom ** 3;
  return { variance, value, square: value * value * variance };
}

interface Sides {
  readonly low: Side;
  readonly high: Side;
  /** Standard error of the feature. */
  readonly error: number;
}

function parameterOf(
  encoding: Encoding,
  v: number,
  estimate: number,
  { low, high, error }: Sides,
  least: Held,
  threshold: number,
  isFlat: boolean,
): FitParameter {
  const f = encoding.first[v]!;
  const valueAt = (held: Held) => numberOf(encoding, v, held.u[f]!);
  const points = [...low.points.slice(1).toReversed(), ...high.points];
  const profile = points.map((held) => ({ value: valueAt(held), increase: Math.max(0, held.misfit - least.misfit) }));
  const flat = points.filter(({ misfit }) => misfit - least.misfit < FLAT.rise * threshold).map(({ u }) => u[f]!);
  const flatShare = (Math.max(...flat) - Math.min(...flat)) / 2;
  const slope = valuePerFeature(encoding, v, least.u[f]!);
  return {
    estimate,
    standardError: error <= 2 ? error * Math.abs(slope) : null,
    low: low.end && valueAt(low.end),
    high: high.end && valueAt(high.end),
    kind: kindOf(low, high, isFlat && flatShare > FLAT.share),
    profile,
  };
}

/** Derivative of the value of input v by its feature. */
function valuePerFeature(encoding: Encoding, v: number, u: number): number {
  return (numberOf(encoding, v, u + DIFFERENCE) - numberOf(encoding, v, u - DIFFERENCE)) / (2 * DIFFERENCE);
}

function byInput(encoding: Encoding, numbers: readonly number[], u: Float64Array, gradient: Float64Array): number[] {
  return Array.from(encoding.variables.keys(), (v) => {
    const f = encoding.first[v]!;
    return numbers.includes(v) ? gradient[f]! / valuePerFeature(encoding, v, u[f]!) : 0;
  });
}

function kindOf(low: Side, high: Side, isFlat: boolean): Determined {
  if (low.end && high.end) return 'identifiable';
  return isFlat ? 'structurally-not' : 'practically-not';
}

function correlationsOf(
  { variables }: Encoding,
  numbers: readonly number[],
  covariance: (v: number, w: number) => number,
  parameters: readonly FitParameter[],
): (number | null)[][] {
  const isKnown = (v: number) => numbers.includes(v) && parameters[v]!.standardError !== null;
  return Array.from(variables.keys(), (v) =>
    Array.from(variables.keys(), (w) => {
      if (!isKnown(v) || !isKnown(w)) return null;
      if (v === w) return 1;
      const value = covariance(v, w) / Math.sqrt(covariance(v, v) * covariance(w, w));
      return Math.max(-1, Math.min(1, value));
    }),
  );
}

/** Weak directions in which an input that is not identifiable takes part. */
function combinationsOf(
  { variables }: Encoding,
  numbers: readonly number[],
  weak: readonly Float64Array[],
  kinds: readonly Determined[],
): FitCombination[] {
  return weak.flatMap((direction) => {
    const largest = direction.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one), 0);
    const loadings = Array.from(variables.keys(), (v) => {
      const share = numbers.includes(v) ? direction[numbers.indexOf(v)]! / largest : 0;
      return Math.abs(share) < NEGLIGIBLE ? 0 : share;
    });
    const involved = kinds.filter((_, v) => loadings[v] !== 0);
    if (involved.every((kind) => kind === 'identifiable')) return [];
    const kind = involved.includes('structurally-not') ? ('structurally-not' as const) : ('practically-not' as const);
    return [{ loadings, kind }];
  });
}

/** The ends of the intervals, those of which the models know least first. */
function verifyingRuns(
  { encoding }: Prepared,
  { aim, predictor }: MisfitModel,
  sides: ReadonlyMap<number, Sides>,
  least: Held,
): VerifyingRun[] {
  const runs = [...sides].flatMap(([input, ends]) =>
    (['low', 'high'] as const).flatMap((side) => {
      const held = ends[side].end ?? ends[side].points.at(-1)!;
      if (held === least) return [];
      const u = held.u;
      predictor.predict(u);
      const sigma = predictor.sigma.slice();
      aim.evaluate(u);
      const spread = aim.spreadOf(sigma);
      return [
        {
          input,
          side,
          at: Array.from(inputAt(encoding, u)),
          increase: Math.max(0, held.misfit - least.misfit),
          spread,
        },
      ];
    }),
  );
  return runs.sort((a, b) => b.spread - a.spread || a.input - b.input);
}
