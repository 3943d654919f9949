import { covarianceOfFeatures, curvatureAt, inFeatures, type WeakDirection } from './identifiability/fit-curvature.ts';
import { curveOf } from './identifiability/fitted-outputs.ts';
import { makeEndJudge, spreadAt } from './identifiability/known-ends.ts';
import { type Held, leastFrom, type Side, walk } from './identifiability/misfit-profile.ts';
import type {
  BetterFit,
  Determined,
  FitCombination,
  FitInsight,
  FitParameter,
  ProfileEnd,
  VerifyingRun,
} from './interface/insights.ts';
import type { SuggestRequest } from './interface/problem.ts';
import { normalQuantile } from './numerics/normal.ts';
import type { Work } from './numerics/work.ts';
import { bestFit, leastMisfit, type MisfitModel, misfitModel } from './search/least-misfit.ts';
import { type Prepared, prepare } from './search/prepare.ts';
import { type Encoding, featuresOf, levelCount, numberOf, roundToInput } from './space/encoding.ts';
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
/** Step of the derivative of an input by its feature. */
const DIFFERENCE = 1e-5;

/**
 * Reports what the data of a fit tell about its inputs, by the models of all runs; null before a run meets all limits.
 *
 * Standard errors and correlations follow from the slopes of the models at the least misfit; the intervals from profiles, which allow for
 * curvature. With unknown standard errors of the data both use the scale of the residuals, with Student's quantile for normal's.
 *
 * All of it is about the minimum of the best run. Where the models expect a noticeably better fit elsewhere, or know too little of an end
 * of a profile, nothing is claimed.
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
  const least = leastFrom(model, at, box, work);
  const { covariance, steepness, weak } = curvatureAt(model, least, encoding, numbers);
  const quantile = quantileOf(confidence, residuals, numbers.length);
  const threshold = quantile.square;
  const scale = quantile.variance;
  const better = betterFit(prepared, model, least, threshold, work);
  const judge = makeEndJudge({ prepared, best, model, least, box, steepness, threshold, work });
  const sides = new Map(
    numbers.map((v) => {
      const f = encoding.first[v]!;
      const error = Math.sqrt(scale * covariance(v, v));
      const side = (sign: 1 | -1): JudgedSide => {
        if (better !== null) return { points: [least], end: null, state: 'not-known' };
        const walked = walk(model, least, { f, sign, rise: threshold, error }, box, work);
        return { ...walked, state: judge(f, walked) };
      };
      return [v, { low: side(-1), high: side(1), error }] as const;
    }),
  );
  const { X } = request.history;
  const bestInput = X.subarray(cases.rows[best]! * encoding.n, (cases.rows[best]! + 1) * encoding.n);
  // Along the whole range, 2, the misfit rises by four times the curvature.
  const flat = weak((FLAT.rise * threshold) / 4).filter(({ isFlat }) => isFlat);
  const isOpen = (w: number) => [sides.get(w)!.low, sides.get(w)!.high].some(({ state }) => state !== 'found');
  // An input that takes the place of another is open where the other is: its ends may only be where the other reaches a bound.
  const open = weak(threshold).filter((one) => one.isCancelled && numbers.some((w) => isOpen(w) && takesPart(one, w)));
  const parameters = Array.from(encoding.variables.keys(), (v): FitParameter => {
    const estimate = bestInput[v]!;
    const found = sides.get(v);
    if (!found) return { ...NO_INTERVAL, estimate };
    return parameterOf(encoding, v, estimate, found, least, {
      threshold,
      isAlongFlat: flat.some((one) => takesPart(one, v)),
      isAlongOpen: open.some((one) => takesPart(one, v)),
    });
  });
  function takesPart({ direction }: WeakDirection, v: number): boolean {
    return Math.abs(direction[numbers.indexOf(v)]!) > NEGLIGIBLE;
  }
  const combinations = better ? [] : combinationsOf(encoding, numbers, weak(threshold), parameters);
  return {
    confidence,
    best: Array.from(bestInput),
    bestRow: cases.rows[best]!,
    threshold,
    better,
    parameters,
    correlations: correlationsOf(encoding, numbers, covariance, parameters),
    combinations: combinations.map(({ combination }) => combination),
    outputs: curveOf(prepared, residuals, model, {
      best,
      least: least.u,
      byInput: (gradient) => byInput(encoding, numbers, least.u, gradient),
      covariance: (f, g) => scale * covarianceOfFeatures(encoding, numbers, covariance, f, g),
      quantile: quantile.value,
      unknown: better
        ? null
        : combinations.flatMap(({ combination, direction }) =>
            combination.isKnown ? [] : [inFeatures(encoding, numbers, direction)],
          ),
    }),
    verify: better ? [towards(better, least, encoding, numbers)] : verifyingRuns(prepared, model, sides, least),
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

/**
 * Searches for a point where the models expect a misfit smaller than that near the best run by more than the rise at an
 * end; null if there is none.
 */
function betterFit(
  prepared: Prepared,
  model: MisfitModel,
  near: Held,
  threshold: number,
  work: Work,
): BetterFit | null {
  const { u } = leastMisfit(prepared, model, work);
  const decrease = near.misfit + 2 * model.aim.evaluate(u);
  if (!(decrease > threshold)) return null;
  return { at: Array.from(inputAt(prepared.encoding, u)), decrease, spread: spreadAt(model, u) };
}

/** The run there, as one about the input that is farthest from there. */
function towards({ at, decrease, spread }: BetterFit, near: Held, encoding: Encoding, numbers: readonly number[]) {
  const there = featuresOf(encoding, Float64Array.from(at));
  const wayOf = (v: number) => there[encoding.first[v]!]! - near.u[encoding.first[v]!]!;
  const input = numbers.reduce((one, v) => (Math.abs(wayOf(v)) > Math.abs(wayOf(one)) ? v : one), numbers[0] ?? 0);
  const side = wayOf(input) < 0 ? ('low' as const) : ('high' as const);
  return { input, side, at, increase: -decrease, spread };
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

interface JudgedSide extends Side {
  readonly state: ProfileEnd;
}

interface Sides {
  readonly low: JudgedSide;
  readonly high: JudgedSide;
  /** Standard error of the feature. */
  readonly error: number;
}

/** Limits on how far the data leave an input open. */
interface Openness {
  readonly threshold: number;
  /** Whether it takes part in a direction along which the misfit does not rise. */
  readonly isAlongFlat: boolean;
  /** Whether it takes the place of an input of which an end is not found. */
  readonly isAlongOpen: boolean;
}

/** The answer for a held input. */
const NO_INTERVAL = {
  standardError: null,
  low: null,
  high: null,
  lowEnd: null,
  highEnd: null,
  kind: 'held',
  profile: [],
} as const;

function parameterOf(
  encoding: Encoding,
  v: number,
  estimate: number,
  { low, high, error }: Sides,
  least: Held,
  { threshold, isAlongFlat, isAlongOpen }: Openness,
): FitParameter {
  const f = encoding.first[v]!;
  const valueAt = (held: Held) => numberOf(encoding, v, held.u[f]!);
  const points = [...low.points.slice(1).toReversed(), ...high.points];
  const profile = points.map((held) => ({ value: valueAt(held), increase: Math.max(0, held.misfit - least.misfit) }));
  const flat = points.filter(({ misfit }) => misfit - least.misfit < FLAT.rise * threshold).map(({ u }) => u[f]!);
  const flatShare = (Math.max(...flat) - Math.min(...flat)) / 2;
  const slope = valuePerFeature(encoding, v, least.u[f]!);
  const endOf = ({ end, state }: JudgedSide) => (state === 'found' ? valueAt(end!) : null);
  return {
    estimate,
    standardError: error <= 2 && isKnown(low) && isKnown(high) ? error * Math.abs(slope) : null,
    low: endOf(low),
    high: endOf(high),
    lowEnd: low.state,
    highEnd: high.state,
    kind: kindOf(low, high, isAlongFlat && flatShare > FLAT.share, isAlongOpen),
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

function isKnown({ state }: JudgedSide): boolean {
  return state !== 'not-known';
}

function kindOf(low: JudgedSide, high: JudgedSide, isFlat: boolean, isAlongOpen: boolean): Determined {
  if (isFlat && isKnown(low) && isKnown(high)) return 'structurally-not';
  return low.state === 'found' && high.state === 'found' && !isAlongOpen ? 'identifiable' : 'practically-not';
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

/** Weak directions in which an input that is not identifiable takes part, those that may not be flat only where its interval is not known. */
function combinationsOf(
  { variables }: Encoding,
  numbers: readonly number[],
  weak: readonly WeakDirection[],
  parameters: readonly FitParameter[],
): { readonly combination: FitCombination; readonly direction: Float64Array }[] {
  return weak.flatMap(({ direction, isFlat }) => {
    const largest = direction.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one), 0);
    const loadings = Array.from(variables.keys(), (v) => {
      const share = numbers.includes(v) ? direction[numbers.indexOf(v)]! / largest : 0;
      return Math.abs(share) < NEGLIGIBLE ? 0 : share;
    });
    const involved = parameters.filter((_, v) => loadings[v] !== 0);
    const isKnown = involved.every(({ lowEnd, highEnd }) => lowEnd !== 'not-known' && highEnd !== 'not-known');
    if (involved.every(({ kind }) => kind === 'identifiable') || (isKnown && !isFlat)) return [];
    const isSure = involved.some(({ kind }) => kind === 'structurally-not');
    const kind = isSure ? ('structurally-not' as const) : ('practically-not' as const);
    return [{ combination: { loadings, kind, isKnown: isKnown || isSure }, direction }];
  });
}

/** The ends of the intervals, those of which the models know least first. */
function verifyingRuns(
  { encoding }: Prepared,
  model: MisfitModel,
  sides: ReadonlyMap<number, Sides>,
  least: Held,
): VerifyingRun[] {
  const runs = [...sides].flatMap(([input, ends]) =>
    (['low', 'high'] as const).flatMap((side) => {
      const held = ends[side].end ?? ends[side].points.at(-1)!;
      if (held === least) return [];
      return [
        {
          input,
          side,
          at: Array.from(inputAt(encoding, held.u)),
          increase: Math.max(0, held.misfit - least.misfit),
          spread: spreadAt(model, held.u),
        },
      ];
    }),
  );
  return runs.sort((a, b) => b.spread - a.spread || a.input - b.input);
}
