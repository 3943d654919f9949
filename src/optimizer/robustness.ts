import type { Robustness } from './insights.ts';
import { makeRandom } from './numerics/random.ts';
import type { Work } from './numerics/work.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { Goal, InputTolerances, SuggestRequest } from './problem.ts';
import { checkTolerances, deviatingInputs, encodeMade, standardDeviates } from './robustness/deviations.ts';
import { makeRunModel, type RunModel } from './robustness/run-model.ts';
import { imagine } from './surrogate/fantasies.ts';
import { Predictor } from './surrogate/predictor.ts';

/** Inputs drawn around the one in question; those of them that are drawn again with one input made exactly. */
const DRAWS = 2000;
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

/**
 * How surely an input meets the goal of a request when it is made with tolerances, by the models of the request; null while
 * they predict less than half of the variance of an output.
 *
 * A pure function, like `suggest`, and throws as it does; also for an input or tolerances whose lengths do not match.
 *
 * @param input length n, natural units
 */
export function robustness(
  request: SuggestRequest,
  input: readonly number[],
  tolerances: InputTolerances,
): Robustness | null {
  return robustnessFrom(prepare(request), Float64Array.from(input), tolerances);
}

function robustnessFrom(prepared: Prepared, x: Float64Array, tolerances: InputTolerances): Robustness | null {
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

/** Runs with drawn outputs, and what is counted of them. */
class Runs {
  /** How many met the goal. */
  held = 0;
  readonly #model: RunModel;
  readonly #goal: Goal;
  /** Rows of 2m + 1 per draw: deviates of the models and of the noise, and the luck that decides about a failure. */
  readonly #luck: Float64Array;
  readonly #isMissed = new Uint8Array(DRAWS);
  #misses = 0;
  readonly #outputMisses: Float64Array;

  constructor(model: RunModel, goal: Goal, seed: number) {
    const m = goal.targets.length;
    this.#model = model;
    this.#goal = goal;
    const random = makeRandom(seed, 11);
    this.#luck = new Float64Array(DRAWS * (2 * m + 1));
    for (let i = 0; i < this.#luck.length; i++)
      this.#luck[i] = i % (2 * m + 1) === 2 * m ? random.uniform() : random.normal();
    this.#outputMisses = new Float64Array(m);
  }

  /** Draws run k at the features u. */
  add(k: number, u: Float64Array): void {
    const hasFailed = this.#predict(k, u);
    const misses = hasFailed ? null : this.#missesOf(k);
    if (misses?.every((share) => share === 0)) {
      this.held++;
      return;
    }
    this.#isMissed[k] = 1;
    this.#misses++;
    misses?.forEach((share, j) => {
      this.#outputMisses[j]! += share;
    });
  }

  /** Of the misses among the first `count` draws, the share that meets the goal at other features with the same luck. */
  avoidedBy(count: number, at: (k: number) => Float64Array): number {
    let misses = 0;
    let avoided = 0;
    for (let k = 0; k < count; k++) {
      const isMissed = this.#predict(k, at(k)) || this.#missesOf(k).some((share) => share > 0);
      misses += this.#isMissed[k]!;
      avoided += this.#isMissed[k]! - (isMissed ? 1 : 0);
    }
    return misses > 0 ? Math.max(0, avoided / misses) : 0;
  }

  /**
   * By how much the share of the first `count` draws that meet the goal rises when the outputs are those of a drawn function. Both
   * shares are of the same draws, so that the error of having so few cancels.
   */
  gainOf(drawn: Predictor, count: number, at: (k: number) => Float64Array): number {
    let held = 0;
    for (let k = 0; k < count; k++) {
      held -= 1 - this.#isMissed[k]!;
      const u = at(k);
      drawn.predictMeans(u);
      if (!this.#fails(k, u) && this.#missesOf(k, drawn).every((share) => share === 0)) held++;
    }
    return held / count;
  }

  outputShares(): number[] {
    return Array.from(this.#outputMisses, (sum) => (this.#misses > 0 ? sum / this.#misses : 0));
  }

  /** Predicts at u; true when run k fails there. */
  #predict(k: number, u: Float64Array): boolean {
    this.#model.predictor.predict(u);
    return this.#fails(k, u);
  }

  #fails(k: number, u: Float64Array): boolean {
    const { predictor, failures } = this.#model;
    return failures !== null && this.#luck[(k + 1) * (2 * predictor.m + 1) - 1]! > Math.exp(failures.logSuccess(u));
  }

  /** Length m, for the outputs of run k: 0 where all is well; 1 for an output that misses, or its share of the L1 norm. */
  #missesOf(k: number, drawn: Predictor | null = null): number[] {
    const { predictor, surrogate, noise } = this.#model;
    const { l1 } = this.#goal;
    const m = predictor.m;
    const offset = k * (2 * m + 1);
    const z = surrogate.outputs.map(({ fitted }, j) => {
      if (fitted === null) return predictor.mean[j]!;
      const expected = drawn?.mean[j] ?? predictor.mean[j]! + predictor.sigma[j]! * this.#luck[offset + j]!;
      return expected + noise[j]! * this.#luck[offset + m + j]!;
    });
    if (l1 === null) return z.map((one, j) => (isInside(one, surrogate.outputs[j]!) ? 0 : 1));
    const distances = z.map((one, j) => this.#distanceFromCenter(j, one));
    const norm = distances.reduce((sum, one) => sum + one, 0);
    return distances.map((one) => (norm <= l1.threshold ? 0 : one / norm));
  }

  /** Distance of output j from the centre of an exact goal, in output units. */
  #distanceFromCenter(j: number, z: number): number {
    const { surrogate, constants } = this.#model;
    const y = surrogate.outputs[j]!.fitted?.warp.fromZ(z) ?? constants[j]!;
    const distance = Math.abs(y - this.#goal.l1!.center[j]!);
    return Number.isNaN(distance) ? Number.MAX_VALUE : Math.min(Number.MAX_VALUE / this.#model.predictor.m, distance);
  }
}

function isInside(z: number, { lower, upper }: { readonly lower: number; readonly upper: number }): boolean {
  return z >= lower && z <= upper;
}
