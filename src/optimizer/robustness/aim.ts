import type { Cases } from '../cases.ts';
import type { Work } from '../numerics/work.ts';
import type { Prepared } from '../prepare.ts';
import type { Goal, RobustAim } from '../problem.ts';
import { probabilityOf } from '../robustness.ts';
import type { Seen } from '../search/seen.ts';
import { type RobustInput, robustInput } from './robust-input.ts';

/** What follows once a case meets the goal: the next input, or the row of the history that meets it most surely. */
export type RobustOutcome = RobustInput | { readonly bestIndex: number };

/**
 * The next input of a search for the one that meets the goal most surely, or its end; null while no case of the search meets
 * the goal.
 */
export function aimAtRobustness(prepared: Prepared, aim: RobustAim, seen: Seen): RobustOutcome | null {
  const { request, cases } = prepared;
  const met = casesThatMeet(request.goal, cases);
  const own = met.filter((i) => cases.rows[i]! >= request.firstSuggested);
  if (own.length === 0) return null;
  const work: Work = { spent: 0, limit: request.workLimit };
  if (aim.runsLeft > 0 && !isReached(prepared, aim, own)) {
    const found = robustInput(prepared, aim.tolerances, met, seen, work);
    if (found) return found;
  }
  const surest = own
    .map((i) => ({ row: cases.rows[i]!, low: lowOf(prepared, aim, i) }))
    .reduce((best, one) => (one.low > best.low ? one : best));
  return { bestIndex: surest.row };
}

/** Numbers of the admissible cases that meet the goal. */
function casesThatMeet({ l1 }: Goal, { N, Y, loss, isAdmissible, intervals }: Cases): number[] {
  const m = intervals.length;
  return Array.from({ length: N }, (_, i) => i).filter((i) => {
    if (isAdmissible[i] === 0) return false;
    if (l1 === null) return loss[i] === 0;
    return l1.center.reduce((sum, center, j) => sum + Math.abs(Y[i * m + j]! - center), 0) <= l1.threshold;
  });
}

function isReached(prepared: Prepared, aim: RobustAim, own: readonly number[]): boolean {
  const { probability } = aim;
  return probability !== null && own.some((i) => lowOf(prepared, aim, i) >= probability);
}

/** The low end of the range of the probability of case i. */
function lowOf(prepared: Prepared, { tolerances }: RobustAim, i: number): number {
  const { request, encoding, cases } = prepared;
  const row = cases.rows[i]! * encoding.n;
  const x = request.history.X.slice(row, row + encoding.n);
  return probabilityOf(prepared, x, tolerances)?.low ?? 0;
}
