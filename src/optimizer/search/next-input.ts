import { type Acquisition, type Aim, makeAcquisition } from '../acquisition/acquisition.ts';
import { makeHazards } from '../acquisition/hazards.ts';
import type { Cases } from '../cases.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { SuggestRequest } from '../problem.ts';
import type { Coding } from '../space.ts';
import { correctAround } from '../surrogate/endgame.ts';
import { type Grouping, makeGeometry } from '../surrogate/kernels.ts';
import { chooseModels, type Surrogate } from '../surrogate/model-choice.ts';
import { makePredictor } from '../surrogate/predictor.ts';
import { bestOf, type Interval, stallOf } from '../targets.ts';
import type { Box } from './box-newton.ts';
import { bestFeasible, expectsNothing, improvementAims, isStandstill } from './directed-outputs.ts';
import { localRegion, localTurn } from './local-mode.ts';
import { type Found, maximizeAcquisition } from './maximize-acquisition.ts';
import type { Seen } from './seen.ts';
import { fitLimit, selectRows } from './subset.ts';

/** What the search for the next input works on. */
export interface Problem {
  readonly request: SuggestRequest;
  readonly coding: Coding;
  readonly seen: Seen;
  readonly cases: Cases;
}

/** A fit over some cases around a centre, and the box in which the next input is sought. */
interface Scope {
  readonly rows: Int32Array;
  readonly center: number;
  readonly box: Box;
  readonly local: boolean;
}

/** Log probability of an aspiration below which it counts as out of reach by the model. */
const OUT_OF_REACH = -5;

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
  const rows = selectRows(cases.U, coding.p, cases.merit, fitLimit(n));
  const box = { lower: coding.lower, upper: coding.upper };
  return searchIn(problem, { rows, center: bestOf(cases.merit), box, local: false }, stall, work);
}

function searchIn(problem: Problem, scope: Scope, stall: number, work: Work): Found | 'no-improvement-expected' | null {
  const { request, coding, seen, cases } = problem;
  const { intervals } = cases;
  const { rows, center, box, local } = scope;
  const { p } = coding;
  const surrogate = fitScope(problem, scope, stall, work);
  const predictor = makePredictor(surrogate, work);
  correctAround(surrogate, predictor, rows.indexOf(center));
  const hazards = makeHazards(cases, p);
  const isDirected = intervals.map((interval) => interval.directed);
  const order = Array.from(rows).sort((a, b) => cases.merit[a]! - cases.merit[b]! || a - b);
  const random = makeRandom(request.seed, 2, request.history.count);
  const maximize = (acquisition: Acquisition, best: readonly number[]) =>
    maximizeAcquisition({
      coding,
      acquisition,
      sigma: predictor.sigma,
      box,
      seen,
      evaluated: best.slice(0, 3).map((row) => cases.U.slice(row * p, (row + 1) * p)),
      random,
      work,
    });
  const chances = makeAcquisition(surrogate, predictor, intervals.map(toAim), isDirected, hazards);
  const found = maximize(chances, order);
  if (!isDirected.includes(true)) return found;
  if (found && logReach(intervals, found) > OUT_OF_REACH) return found;

  const feasible = bestFeasible(cases, intervals);
  if (feasible >= 0 && rows.includes(feasible)) correctAround(surrogate, predictor, rows.indexOf(feasible));
  const aims = improvementAims(surrogate, cases, intervals, feasible);
  const improved = maximize(
    makeAcquisition(surrogate, predictor, aims, isDirected, hazards),
    feasible < 0 ? order : [feasible, ...order],
  );
  const isStill = !local && improved && isStandstill(request, cases, intervals, feasible, movableCount(coding));
  if (isStill && expectsNothing(request, surrogate, cases, intervals, feasible, improved.terms)) {
    return 'no-improvement-expected';
  }
  return improved ?? found;
}

function fitScope({ coding, cases }: Problem, { rows, local }: Scope, stall: number, work: Work): Surrogate {
  const { p } = coding;
  const { intervals } = cases;
  const m = intervals.length;
  const N = rows.length;
  const U = new Float64Array(N * p);
  const Y = new Float64Array(N * m);
  rows.forEach((row, i) => {
    U.set(cases.U.subarray(row * p, (row + 1) * p), i * p);
    Y.set(cases.Y.subarray(row * m, (row + 1) * m), i * m);
  });
  const n = movableCount(coding);
  const geometry = makeGeometry(U, N, p, groupingOf(coding, n));
  return chooseModels({ geometry, Y, intervals, n, stall, local }, work);
}

function toAim({ lower, upper }: Interval): Aim {
  return Number.isFinite(lower) || Number.isFinite(upper) ? 'interval' : 'ignore';
}

/** Log probability that all aspirations are reached at the input found. */
function logReach(intervals: readonly Interval[], { terms }: Found): number {
  return intervals.reduce((sum, interval, j) => sum + (interval.directed ? terms[j]! : 0), 0);
}

function movableCount(coding: Coding): number {
  return coding.movable.reduce((sum, one) => sum + one, 0);
}

/** One length scale per variable up to twelve of them, one for all beyond. */
function groupingOf(coding: Coding, n: number): Grouping {
  if (n > 12) return { count: 1, of: new Int32Array(coding.p) };
  const of = new Int32Array(coding.p);
  let count = 0;
  for (let v = 0; v < coding.n; v++) {
    for (let f = coding.first[v]!; f < coding.first[v + 1]!; f++)
      of[f] = Math.max(0, coding.movable[v] === 1 ? count : 0);
    if (coding.movable[v] === 1) count++;
  }
  return { count: Math.max(1, count), of };
}
