import { Acquisition, intervalAims } from './acquisition/acquisition.ts';
import { makeFailureModel } from './acquisition/failure-model.ts';
import type { PredictedBand, PredictedSurface, PredictionsQuestion } from './interface/insights.ts';
import type { SuggestRequest } from './interface/problem.ts';
import type { Work } from './numerics/work.ts';
import { type Prepared, prepare } from './search/prepare.ts';
import { type Encoding, featuresOf, levelAt, levelCount } from './space/encoding.ts';
import { Predictor } from './surrogate/predictor.ts';

/** Standard deviations between the mean and an end of the band: 95 percent of a normal distribution. */
const BAND = 1.959964;
/** No picture shows more, and the answer is half as long. */
const DIGITS = 7;

/**
 * Predicts, with the models of all runs, the outputs while one or two inputs vary and the others stay at a point; null
 * before a run succeeded. Outputs of a fit are predicted one by one, and the chance is that of all other targets.
 *
 * A pure function, like `suggest`, and throws as it does.
 */
export function predictions(request: SuggestRequest, question: PredictionsQuestion): PredictedSurface[] | null {
  const { fits: _, ...goal } = request.goal;
  const prepared = prepare({ ...request, goal });
  if (prepared.cases.N === 0) return null;
  const predictAt = makePredictions(prepared, question.outputs);
  return question.surfaces.map((inputs) => surfaceOf(prepared, question, inputs, predictAt));
}

interface PredictedAt {
  /** One per output asked for. */
  readonly bands: readonly Record<keyof PredictedBand, number | null>[];
  readonly chance: number | null;
}

/** @returns the models at an input (length n) */
function makePredictions(prepared: Prepared, outputs: readonly number[]): (x: Float64Array) => PredictedAt {
  const { request, encoding, cases } = prepared;
  const work: Work = { spent: 0, limit: request.workLimit };
  const surrogate = prepared.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  // Without weights, which would change the probability.
  const directions = cases.intervals.map(({ directed }) => ({ directed }));
  const failures = makeFailureModel(cases, encoding.p);
  const chance = new Acquisition(surrogate, predictor, intervalAims(cases.intervals), directions, failures);
  return (x) => {
    const probability = Math.min(1, Math.exp(chance.evaluate(featuresOf(encoding, x), null)));
    const bands = outputs.map((j) => {
      const { fitted } = surrogate.outputs[j]!;
      const at = (sigmas: number) =>
        fitted ? fitted.warp.outputAt(predictor.mean[j]! + sigmas * predictor.sigma[j]!) : cases.Y[j]!;
      return { mean: shortened(at(0)), low: shortened(at(-BAND)), high: shortened(at(BAND)) };
    });
    return { bands, chance: shortened(probability) };
  };
}

function shortened(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null;
}

function surfaceOf(
  { encoding, conditions }: Prepared,
  { at, outputs, points }: PredictionsQuestion,
  inputs: readonly number[],
  predictAt: (x: Float64Array) => PredictedAt,
): PredictedSurface {
  const values = inputs.map((v) => valuesOf(encoding, v, points, inputs.length === 1 ? at[v]! : null));
  const bands = outputs.map((): Record<keyof PredictedBand, (number | null)[]> => ({ mean: [], low: [], high: [] }));
  const chance: (number | null)[] = [];
  const isAdmissible: boolean[] = [];
  const x = Float64Array.from(at);
  for (const point of combinationsOf(values)) {
    point.forEach((value, k) => {
      x[inputs[k]!] = value;
    });
    const predicted = predictAt(x);
    predicted.bands.forEach((band, k) => {
      for (const end of ['mean', 'low', 'high'] as const) bands[k]![end].push(band[end]);
    });
    chance.push(predicted.chance);
    isAdmissible.push(isWithin(encoding, x) && conditions?.areMet(x) !== false);
  }
  return { inputs, values, isAdmissible, outputs: bands, chance };
}

/** Every combination of one value per list, the last list fastest. */
function combinationsOf([first, ...rest]: readonly (readonly number[])[]): (readonly number[])[] {
  if (first === undefined) return [[]];
  const others = combinationsOf(rest);
  return first.flatMap((value) => others.map((other) => [value, ...other]));
}

/** Whether every input is within its bounds and has its fixed value. */
function isWithin({ variables }: Encoding, x: Float64Array): boolean {
  return variables.every(
    ({ minimum, maximum, fixedAt }, v) => x[v]! >= minimum && x[v]! <= maximum && (fixedAt ?? x[v]) === x[v],
  );
}

/** Ascending values of an input, at most `points` evenly spaced ones on its scale, and `own` as well where that is possible. */
function valuesOf({ variables, discrete, movable }: Encoding, v: number, points: number, own: number | null): number[] {
  const variable = variables[v]!;
  const { minimum, maximum } = variable;
  if (movable[v] === 0) return [minimum];
  const isLog = variable.isLogarithmic === true;
  const valueAt = (share: number) => {
    if (discrete[v] === 1) return levelAt(variable, Math.round(share * (levelCount(variable) - 1)));
    // From the nearer end, so that both are met exactly and no difference overflows.
    if (isLog)
      return share < 0.5 ? minimum * (maximum / minimum) ** share : maximum * (minimum / maximum) ** (1 - share);
    return minimum * (1 - share) + maximum * share;
  };
  const count = discrete[v] === 1 ? Math.min(points, levelCount(variable)) : points;
  const values = Array.from({ length: count }, (_, k) => valueAt(count === 1 ? 0 : k / (count - 1)));
  if (own !== null && own > minimum && own < maximum) values.push(own);
  return [...new Set(values)].sort((a, b) => a - b);
}
