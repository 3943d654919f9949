import type { Robustness } from '../interface/insights.ts';
import type { InputTolerances } from '../interface/problem.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { Prepared } from '../search/prepare.ts';
import { imagine } from '../surrogate/fantasies.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { checkTolerances, deviatingInputs, encodeMade, standardDeviates } from './deviations.ts';
import { makeRunModel, type RunModel } from './run-model.ts';
import { DRAWS, Runs } from './runs.ts';

/** Inputs that are drawn again with one of them made exactly. */
const DRAWS_PER_INPUT = 500;
/** Limit of the latter over all inputs. */
const DRAWS_FOR_INPUTS = { full: 20_000, expensive: 2_000 };
/** Kernels times points from which predictions are dear and fewer draws have to do. */
const EXPENSIVE = 500;
/** Functions drawn from the models, the draws of each, and the inputs, in terms of n, at which a function is drawn. */
const FUNCTIONS = { full: { count: 40, draws: 400 }, expensive: { count: 20, draws: 100 } };
const drawnAt = (n: number) => Math.min(60, 4 * n + 4);
/** Factor on the doubt of the models from which functions are drawn: it makes up for what the models do not doubt. */
const DOUBT = 2;
/** Share of the functions by which the probability is as near as the ends of the range. */
const SURE = 0.9;
/** Standard errors of the share of draws that the range allows for. */
const DRAW_ERRORS = 1.6;

/** As `robustness` of the interface. @param x length n */
export function robustnessOf(prepared: Prepared, x: Float64Array, tolerances: InputTolerances): Robustness | null {
  const work: Work = { spent: 0, limit: prepared.request.workLimit };
  const draws = drawsAround(prepared, x, tolerances, work);
  if (draws === null || !draws.model.isBelieved) return null;
  const { runs, at, deviating } = draws;
  const perInput = Math.min(
    DRAWS_PER_INPUT,
    Math.floor(DRAWS_FOR_INPUTS[effortOf(draws.model)] / Math.max(1, deviating.length)),
  );
  const inputShares = new Array<number>(x.length).fill(0);
  for (const v of deviating) {
    const others = deviating.filter((other) => other !== v);
    inputShares[v] = runs.avoidedBy(perInput, (k) => at(k, others));
  }
  return { ...rangeOf(prepared, draws, work), outputShares: runs.outputShares(), inputShares };
}

/**
 * The probability that x (length n) meets the goal when it is made with tolerances, with its range, whether or not the models
 * are believed; null without a usable case.
 */
export function probabilityOf(
  prepared: Prepared,
  x: Float64Array,
  tolerances: InputTolerances,
): Pick<Robustness, 'probability' | 'low' | 'high'> | null {
  const work: Work = { spent: 0, limit: prepared.request.workLimit };
  const draws = drawsAround(prepared, x, tolerances, work);
  return draws && rangeOf(prepared, draws, work);
}

function effortOf({ surrogate: { kernels, geometry } }: RunModel): 'full' | 'expensive' {
  return kernels.length * geometry.N > EXPENSIVE ? 'expensive' : 'full';
}

/** Runs at inputs made around x. */
interface Draws {
  readonly model: RunModel;
  readonly deviating: readonly number[];
  /** The features of draw k when only the given inputs deviate; the same array each time. */
  readonly at: (k: number, inputs: readonly number[]) => Float64Array;
  readonly runs: Runs;
}

function drawsAround(prepared: Prepared, x: Float64Array, tolerances: InputTolerances, work: Work): Draws | null {
  const { request, encoding } = prepared;
  checkTolerances(tolerances, encoding.n);
  if (x.length !== encoding.n || !x.every(Number.isFinite)) throw new RangeError('input must be n finite numbers');
  const model = makeRunModel(prepared, x, work);
  if (model === null) return null;
  const deviating = deviatingInputs(encoding, tolerances);
  const deviates = standardDeviates(tolerances.kind, DRAWS, encoding.n, makeRandom(request.seed, 10));
  const u = new Float64Array(encoding.p);
  const at = (k: number, inputs: readonly number[]) => {
    encodeMade(encoding, tolerances, x, deviates, k * encoding.n, inputs, u);
    return u;
  };
  const runs = new Runs(model, request.goal, request.seed);
  for (let k = 0; k < DRAWS; k++) runs.add(k, at(k, deviating));
  return { model, deviating, at, runs };
}

/** The probability, and the range that holds nine in ten functions that the models allow for. */
function rangeOf(prepared: Prepared, { model, deviating, at, runs }: Draws, work: Work) {
  const probability = runs.held / DRAWS;
  const gains = functionsOf(model, prepared, at, deviating, work).map((drawn) =>
    runs.gainOf(drawn, FUNCTIONS[effortOf(model)].draws, (k) => at(k, deviating)),
  );
  const doubt = gains.map(Math.abs).sort((a, b) => a - b)[Math.floor(SURE * gains.length)]!;
  const error = doubt + DRAW_ERRORS * Math.sqrt((probability * (1 - probability)) / DRAWS);
  return { probability, low: Math.max(0, probability - error), high: Math.min(1, probability + error) };
}

/** The models with functions drawn from them in place of their means: joint draws at a few inputs, interpolated. */
function functionsOf(
  model: RunModel,
  { request, encoding }: Prepared,
  at: (k: number, inputs: readonly number[]) => Float64Array,
  deviating: readonly number[],
  work: Work,
): Predictor[] {
  const { surrogate, predictor } = model;
  const { p } = encoding;
  const count = drawnAt(deviating.length);
  const U = new Float64Array(count * p);
  for (let k = 0; k < count; k++) U.set(at(k, deviating), k * p);
  const doubted = {
    ...surrogate,
    outputs: surrogate.outputs.map((output) =>
      output.fitted ? { ...output, fitted: { ...output.fitted, sigma: DOUBT * output.fitted.sigma } } : output,
    ),
  };
  const random = makeRandom(request.seed, 12);
  return Array.from({ length: FUNCTIONS[effortOf(model)].count }, () => {
    const drawn = new Predictor(imagine(doubted, predictor, U, random, work), work);
    drawn.setCorrections(predictor.corrections);
    return drawn;
  });
}
