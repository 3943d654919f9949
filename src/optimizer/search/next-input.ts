import { type Acquisition, intervalAims, makeAcquisition } from '../acquisition/acquisition.ts';
import { makeHazards } from '../acquisition/hazards.ts';
import type { Cases } from '../cases.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { SuggestRequest } from '../problem.ts';
import { type Coding, movableCount } from '../space.ts';
import { correctAround } from '../surrogate/endgame.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { makePredictor } from '../surrogate/predictor.ts';
import { byMerit, type Interval, stallOf } from '../targets.ts';
import { bestFeasible, expectsNothing, improvementAims, isStandstill } from './directed-outputs.ts';
import { localRegion, localTurn } from './local-mode.ts';
import { type Found, maximizeAcquisition } from './maximize-acquisition.ts';
import { fitScope, globalScope, type Scope } from './scope.ts';
import type { Seen } from './seen.ts';

/** What the search for the next input works on. */
export interface Problem {
  readonly request: SuggestRequest;
  readonly coding: Coding;
  readonly seen: Seen;
  readonly cases: Cases;
  /** The models of the global scope. */
  fitGlobally(work: Work): Surrogate;
}

/** Flops of one evaluation of the acquisition, about, from which the search makes do with fewer starts. */
const DEAR = 5e4;
/** Log probability of an aspiration below which it counts as out of reach by the model. */
const OUT_OF_REACH = -5;
/** Where the model expects no improvement, its spreads are taken this many times wider before it is believed. */
const DISTRUST = 30;

/** The input with the best chances by the model, locally around the best points now and then when progress stalls. */
export function nextInput(problem: Problem): Found | 'no-improvement-expected' | null {
  const { request, coding, cases } = problem;
  const work: Work = { spent: 0, limit: request.workLimit };
  const stall = stallOf(cases.merit);
  const n = movableCount(coding);
  const turn = localTurn(stall, cases.N, n);
  const region = turn >= 0 ? localRegion(coding, cases.U, cases.merit, turn) : null;
  const found = region ? searchIn(problem, { ...region, local: true }, stall, work) : null;
  if (found) return found;
  return searchIn(problem, globalScope(coding, cases), stall, work);
}

function searchIn(problem: Problem, scope: Scope, stall: number, work: Work): Found | 'no-improvement-expected' | null {
  const { request, coding, seen, cases } = problem;
  const { intervals } = cases;
  const { rows, center, box, local } = scope;
  const { p } = coding;
  const surrogate = local ? fitScope(coding, cases, scope, stall, work) : problem.fitGlobally(work);
  const predictor = makePredictor(surrogate, work);
  correctAround(surrogate, predictor, rows.indexOf(center));
  const hazards = makeHazards(cases, p);
  const order = Array.from(rows).sort(byMerit(cases.merit));
  const random = makeRandom(request.seed, 2, request.history.count);
  const maximize = (acquisition: Acquisition, best: readonly number[]) =>
    maximizeAcquisition({
      coding,
      acquisition,
      sigma: predictor.sigma,
      box,
      seen,
      isDear: surrogate.kernels.length * rows.length ** 2 > DEAR,
      evaluated: best.slice(0, 3).map((row) => cases.U.slice(row * p, (row + 1) * p)),
      random,
      work,
    });
  const chances = makeAcquisition(surrogate, predictor, intervalAims(intervals), intervals, hazards);
  const found = maximize(chances, order);
  if (!intervals.some(({ directed }) => directed)) return found;
  if (found && logReach(intervals, found) > OUT_OF_REACH) return found;

  const feasible = bestFeasible(cases, intervals);
  if (feasible >= 0 && rows.includes(feasible)) correctAround(surrogate, predictor, rows.indexOf(feasible));
  const aims = improvementAims(surrogate, cases, intervals, feasible);
  const improved = maximize(
    makeAcquisition(surrogate, predictor, aims, intervals, hazards),
    feasible < 0 ? order : [feasible, ...order],
  );
  if (local || !improved || feasible < 0) return improved ?? found;
  if (!expectsNothing(request, surrogate, cases, intervals, feasible, improved.terms)) return improved;
  if (isStandstill(request, cases, intervals, feasible, movableCount(coding))) return 'no-improvement-expected';
  predictor.widen(DISTRUST);
  return maximize(makeAcquisition(surrogate, predictor, aims, intervals, hazards), order) ?? improved;
}

/** Log probability that all aspirations are reached at the input found. */
function logReach(intervals: readonly Interval[], { terms }: Found): number {
  return intervals.reduce((sum, interval, j) => sum + (interval.directed ? terms[j]! : 0), 0);
}
