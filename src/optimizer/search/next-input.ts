import { makeHazards } from '../acquisition/hazards.ts';
import { makeAcquisition } from '../acquisition/interval-probability.ts';
import type { Cases } from '../cases.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { SuggestRequest } from '../problem.ts';
import type { Coding } from '../space.ts';
import { correctAround } from '../surrogate/endgame.ts';
import { type Grouping, makeGeometry } from '../surrogate/kernels.ts';
import { chooseModels } from '../surrogate/model-choice.ts';
import { makePredictor } from '../surrogate/predictor.ts';
import { bestOf, type Interval, stallOf } from '../targets.ts';
import type { Box } from './box-newton.ts';
import { localRegion, localTurn } from './local-mode.ts';
import { type Found, maximizeAcquisition } from './maximize-acquisition.ts';
import type { Seen } from './seen.ts';
import { expectsImprovement, standstill } from './stop-rule.ts';
import { fitLimit, selectRows } from './subset.ts';

/** What the search for the next input works on. */
export interface Problem {
  readonly request: SuggestRequest;
  readonly coding: Coding;
  readonly seen: Seen;
  readonly intervals: readonly Interval[];
  readonly cases: Cases;
}

/** A fit over some cases around a centre, and the box in which the next input is sought. */
interface Scope {
  readonly rows: Int32Array;
  readonly center: number;
  readonly box: Box;
  readonly local: boolean;
}

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

function searchIn(
  problem: Problem,
  { rows, center, box, local }: Scope,
  stall: number,
  work: Work,
): Found | 'no-improvement-expected' | null {
  const { request, coding, seen, intervals, cases } = problem;
  const { p } = coding;
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
  const surrogate = chooseModels({ geometry, Y, intervals, n, stall, local }, work);
  const predictor = makePredictor(surrogate, work);
  const random = makeRandom(request.seed, 2, request.history.count);
  const standings = local ? null : standstill(request, cases, intervals, n);
  const around = cases.U.slice(center * p, (center + 1) * p);
  if (standings && !expectsImprovement(standings, intervals, surrogate, predictor, box, around, random)) {
    return 'no-improvement-expected';
  }
  correctAround(surrogate, predictor, rows.indexOf(center));
  const order = Array.from(rows).sort((a, b) => cases.merit[a]! - cases.merit[b]! || a - b);
  return maximizeAcquisition({
    coding,
    acquisition: makeAcquisition(surrogate, predictor, makeHazards(cases, p)),
    sigma: predictor.sigma,
    box,
    seen,
    evaluated: order.slice(0, 3).map((row) => cases.U.slice(row * p, (row + 1) * p)),
    random,
    work,
  });
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
