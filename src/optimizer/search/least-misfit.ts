/** Where the models expect the least misfit of a fit, and whether that is worth a run. */
import { PredictedMisfit } from '../acquisition/predicted-misfit.ts';
import { byLoss, meetsLimits } from '../goal/targets.ts';
import { makeRandom } from '../numerics/random.ts';
import { isSpent, type Work } from '../numerics/work.ts';
import type { Prepared } from '../prepare.ts';
import type { Standstill, StopRule } from '../problem.ts';
import { featuresOf, movableCount, roundToInput } from '../space/encoding.ts';
import type { Box } from '../space/search-space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { fitScope, globalScope } from '../surrogate/scope.ts';
import { applySecantCorrection } from '../surrogate/secant-correction.ts';
import { climb, drawerIn } from './box-newton.ts';
import { trustedRows } from './trusted-region.ts';

/** Evaluated and random points to climb from, and steps of a climb. */
const STARTS = { evaluated: 4, random: 4 };
const STEPS = 60;
/**
 * Suggestions in a row that reduced the misfit by nothing noticeable: with a misfit that the standard errors explain no other minimum
 * is worth a search; otherwise one may exist, and every input adds a suggestion.
 */
const QUIET = { explained: 1, unexplained: 3 };

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

/** @param rows of the cases near the least misfit, for models of these alone; null for all */
export function misfitModel(prepared: Prepared, best: number, rows: Int32Array | null, work: Work): MisfitModel {
  const { cases, request, encoding } = prepared;
  const whole = globalScope(prepared, cases, request.goal);
  const scope = rows === null ? whole : { ...whole, rows, local: true };
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
  const quiet = quietSince(prepared, rule.improvementBelow);
  if (rule.patience !== undefined) return quiet >= rule.patience ? { quiet, expectedGain: null } : null;
  const n = movableCount(encoding);
  const asked = prepared.residuals?.isExplained ? QUIET.explained : QUIET.unexplained + n;
  if (cases.N < n + 2 || request.history.count <= request.firstSuggested || quiet < asked) return null;
  const model = misfitModel(prepared, best, trustedRows(prepared), work);
  const gain = cases.loss[best]! - leastMisfit(prepared, model, work).sumOfSquares;
  return gain <= rule.improvementBelow ? { quiet, expectedGain: Math.max(0, gain) } : null;
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
