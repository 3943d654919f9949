/** Finds where the models expect the least misfit of a fit, and whether that is worth a run. */
import { PredictedMisfit } from '../acquisition/predicted-misfit.ts';
import { byLoss, meetsLimits } from '../goal/targets.ts';
import type { Standstill, StopRule } from '../interface/problem.ts';
import { makeRandom } from '../numerics/random.ts';
import { isSpent, type Work } from '../numerics/work.ts';
import { featuresOf, movableCount, roundToInput } from '../space/encoding.ts';
import type { Box } from '../space/search-space.ts';
import { noiseVariance, type Surrogate } from '../surrogate/model-choice.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { fitScope, globalScope } from '../surrogate/scope.ts';
import { applySecantCorrection } from '../surrogate/secant-correction.ts';
import { climb, drawerIn } from './box-newton.ts';
import type { Prepared } from './prepare.ts';
import { NOISY_RUNS_PER_INPUT, trustedRows } from './trusted-region.ts';

/** Evaluated and random points to climb from, and steps of a climb. */
const STARTS = { evaluated: 4, random: 4 };
const STEPS = 60;
/**
 * Suggestions in a row that reduced the misfit by nothing noticeable: with a misfit that the standard errors explain no other minimum
 * is worth a search; otherwise one may exist, and every input adds suggestions.
 */
const QUIET = { explained: 1, unexplained: 3, perInput: 1 };
/** The same where the outputs scatter; with 3 and half as many others, five of 60 plays ended early instead of two. */
const QUIET_IN_SCATTER = { explained: 5, unexplained: 6, perInput: 2 };

/**
 * Scatter is looked for from such a stall on, once there are (n + 1) times so many runs and two more. More than `most` times what is
 * noticeable otherwise is never taken for scatter; by default that is 1, about one standard error of an input, squared.
 */
const SCATTER = { stall: 3, runsPerInput: 2, most: 20 };

/** Spreads of the walls at limits, one climb after the other; of the last, next to nothing is beyond. */
const WALLS = [1e-2, 1e-4, 1e-6];

/** Climbs to the least misfit nearby within the limits, from u (changed in place). Returns minus half of it, walls included. */
export function descend(aim: PredictedMisfit, u: Float64Array, box: Box, work: Work): number {
  let value = Number.NEGATIVE_INFINITY;
  for (const wall of aim.hasLimits ? WALLS : WALLS.slice(-1)) {
    aim.wall = wall;
    value = climb(aim, u, null, box, STEPS, work);
  }
  return value;
}

/** A point where the models expect a small misfit. */
export interface Least {
  /** Features of an input. */
  readonly u: Float64Array;
  readonly sumOfSquares: number;
}

/** The models of all cases of a fit, as its misfit. */
export interface MisfitModel {
  readonly surrogate: Surrogate;
  readonly predictor: Predictor;
  readonly aim: PredictedMisfit;
  readonly box: Box;
}

/**
 * @param rows of the cases near the least misfit, for models of these alone; null for all
 * @param isThorough whether models of rows may be noisy
 */
export function misfitModel(
  prepared: Prepared,
  best: number,
  rows: Int32Array | null,
  work: Work,
  isThorough = false,
): MisfitModel {
  const { cases, request, encoding } = prepared;
  const whole = globalScope(prepared, cases, request.goal);
  const scope = rows === null ? whole : { ...whole, rows, local: true, isThorough };
  const surrogate = rows === null ? prepared.fitGlobally(work) : fitScope(encoding, cases, scope, cases.stall, work);
  const predictor = new Predictor(surrogate, work);
  applySecantCorrection(surrogate, predictor, Math.max(0, scope.rows.indexOf(best)));
  return {
    surrogate,
    predictor,
    aim: new PredictedMisfit(surrogate, predictor, cases.intervals, cases.Y),
    box: scope.box,
  };
}

/** The least misfit that climbing leads to, the best run included. */
export function leastMisfit(prepared: Prepared, { aim, box }: MisfitModel, work: Work): Least {
  const { cases, encoding, request } = prepared;
  const { p } = encoding;
  const ranked = Array.from(cases.loss.keys()).sort(byLoss(cases.loss)).slice(0, STARTS.evaluated);
  const draw = drawerIn(box, makeRandom(request.seed, 21, request.history.count));
  const starts = [
    ...ranked.map((i) => cases.U.slice(i * p, (i + 1) * p)),
    ...Array.from({ length: STARTS.random }, () => draw().slice()),
  ];
  let least: Least | null = null;
  let most = Number.NEGATIVE_INFINITY;
  for (const u of starts) {
    if (least && isSpent(work, 0.9)) break;
    descend(aim, u, box, work);
    const at = inputAt(prepared, u);
    const value = aim.evaluate(at);
    if (least && !(value > most)) continue;
    [least, most] = [{ u: at, sumOfSquares: aim.sumOfSquares }, value];
  }
  return least!;
}

function inputAt({ encoding }: Prepared, u: Float64Array): Float64Array {
  const x = new Float64Array(encoding.n);
  roundToInput(encoding, u.slice(), x);
  return featuresOf(encoding, x);
}

/** Number of the admissible case with the least misfit among those that meet all limits; -1 without one. */
export function bestFit({ cases }: Pick<Prepared, 'cases'>): number {
  const { intervals, Y, N, loss, isAdmissible } = cases;
  const m = intervals.length;
  let best = -1;
  for (let i = 0; i < N; i++) {
    if (isAdmissible[i] === 0 || !meetsLimits(intervals, Y, i * m)) continue;
    if (best < 0 || loss[i]! < loss[best]!) best = i;
  }
  return best;
}

/** An end of the search for a fit; null while it goes on. With pending inputs it means that no further one is worth a run before these. */
export function endOfFit(prepared: Prepared, rule: StopRule, work: Work): Standstill | null {
  const { encoding, cases, request } = prepared;
  const best = bestFit(prepared);
  if (best < 0) return null;
  if (rule.patience !== undefined) {
    const quiet = quietSince(prepared, rule.improvementBelow);
    return quiet >= rule.patience ? { quiet, expectedGain: null } : null;
  }
  if (cases.N < movableCount(encoding) + 2 || request.history.count <= request.firstSuggested) return null;
  return (
    endWhere(prepared, rule.improvementBelow, quietAsked(prepared, QUIET), () => gainLeft(prepared, best, work)) ??
    endInScatter(prepared, best, rule, work)
  );
}

function quietAsked({ residuals, encoding }: Prepared, quiet: typeof QUIET): number {
  return residuals?.isExplained ? quiet.explained : quiet.unexplained + quiet.perInput * movableCount(encoding);
}

/** An end after enough quiet suggestions, where no more than a noticeable gain is left. */
function endWhere(prepared: Prepared, noticeable: number, asked: number, gainLeft: () => number): Standstill | null {
  const quiet = quietSince(prepared, noticeable);
  if (quiet < asked) return null;
  const gain = gainLeft();
  return gain <= noticeable ? { quiet, expectedGain: Math.max(0, gain) } : null;
}

function gainLeft(prepared: Prepared, best: number, work: Work): number {
  const model = misfitModel(prepared, best, trustedRows(prepared), work);
  return prepared.cases.loss[best]! - leastMisfit(prepared, model, work).sumOfSquares;
}

/**
 * The same for a program whose outputs scatter from one input to the next, by adaptive steps, iteration limits or rounded files: models
 * that go through every run promise a gain forever. These may take a part of the differences for scatter, and a gain within it counts as
 * none.
 */
function endInScatter(prepared: Prepared, best: number, { improvementBelow }: StopRule, work: Work): Standstill | null {
  const { cases, encoding } = prepared;
  if (cases.stall < SCATTER.stall || cases.N < SCATTER.runsPerInput * (movableCount(encoding) + 1) + 2) return null;
  const models = (runsPerInput: number) => misfitModel(prepared, best, trustedRows(prepared, runsPerInput), work, true);
  const near = models(NOISY_RUNS_PER_INPUT);
  const noticeable = Math.min(scatterAt(prepared, best, near), SCATTER.most * improvementBelow);
  if (noticeable <= improvementBelow) return null;
  const gain = (model: MisfitModel) => leastExpected(prepared, model) - leastMisfit(prepared, model, work).sumOfSquares;
  const asked = quietAsked(prepared, QUIET_IN_SCATTER);
  return endWhere(prepared, noticeable, asked, () => {
    const first = gain(near);
    // Models of other runs have to agree: single ones take what they cannot explain for scatter.
    return first > noticeable ? first : Math.max(first, gain(models(2 * NOISY_RUNS_PER_INPUT)));
  });
}

/** The sum of squares that models expect at a case. */
function expectedAt({ cases, encoding: { p } }: Prepared, row: number, { aim }: MisfitModel): number {
  aim.evaluate(cases.U.slice(row * p, (row + 1) * p));
  return aim.sumOfSquares;
}

/** The least that models expect at any of the best cases: the run with the least misfit may be a lucky one. */
function leastExpected(prepared: Prepared, model: MisfitModel): number {
  return Math.min(...Array.from(trustedRows(prepared), (row) => expectedAt(prepared, row, model)));
}

/** Standard deviation of the misfit at a case from what the models take for noise. */
function scatterAt(prepared: Prepared, row: number, model: MisfitModel): number {
  expectedAt(prepared, row, model);
  const { outputs } = model.surrogate;
  return model.aim.spreadOf(Float64Array.from(outputs, (_, j) => Math.sqrt(noiseVariance(model.surrogate, j))));
}

/** Suggestions since the misfit last fell noticeably. */
function quietSince({ request, cases }: Prepared, improvementBelow: number): number {
  const { firstSuggested, firstOwn = 0, history } = request;
  const m = cases.intervals.length;
  let least = Number.POSITIVE_INFINITY;
  let last = Math.max(firstSuggested, firstOwn) - 1;
  cases.rows.forEach((row, i) => {
    if (cases.isAdmissible[i] === 0 || !meetsLimits(cases.intervals, cases.Y, i * m)) return;
    if (cases.loss[i]! > least - improvementBelow) return;
    least = cases.loss[i]!;
    last = Math.max(last, row);
  });
  return history.count - 1 - last;
}
