import type { Cases } from '../goal/cases.ts';
import { l1NormOf } from '../goal/targets.ts';
import type { Goal, RobustAim } from '../interface/problem.ts';
import type { Work } from '../numerics/work.ts';
import type { Prepared } from '../search/prepare.ts';
import type { Seen } from '../space/seen.ts';
import { probabilityOf } from './probability.ts';
import { type RobustInput, robustInput } from './robust-input.ts';

/** Outcome of the search for a more robust input, once a case meets the goal. */
export interface RobustOutcome {
  /** null: the search ends. */
  readonly next: RobustInput | null;
  /** The search's own row of the history that meets the goal most surely; null while none meets it. */
  readonly surestIndex: number | null;
}

/**
 * The next input of a search for the one that meets the goal most surely, or its end. It starts from all cases that meet the goal,
 * those known before the search included, and ends with one of its own. null while no case meets the goal, or where the cases known before
 * it lead to no input.
 */
export function aimAtRobustness(prepared: Prepared, aim: RobustAim, seen: Seen): RobustOutcome | null {
  const { request, cases } = prepared;
  const met = casesThatMeet(request.goal, cases);
  if (met.length === 0) return null;
  const own = met.filter((i) => cases.rows[i]! >= request.history.count - aim.ownRuns);
  const work: Work = { spent: 0, limit: request.workLimit };
  if (own.length === 0) {
    // Beside open runs the search for the first solution imagines them.
    const next = prepared.pending.count > 0 ? null : robustInput(prepared, aim.tolerances, { met, own }, seen, work);
    return next && { next, surestIndex: null };
  }
  const surest = own
    .map((i) => ({ row: cases.rows[i]!, low: lowOf(prepared, aim, i) }))
    .reduce((best, one) => (one.low > best.low ? one : best));
  const isReached = aim.probability !== null && surest.low >= aim.probability;
  const next = aim.runsLeft > 0 && !isReached ? robustInput(prepared, aim.tolerances, { met, own }, seen, work) : null;
  return { next, surestIndex: surest.row };
}

/** Numbers of the admissible cases that meet the goal. */
function casesThatMeet({ l1 }: Goal, { N, Y, loss, isAdmissible, intervals }: Cases): number[] {
  const m = intervals.length;
  return Array.from({ length: N }, (_, i) => i).filter((i) => {
    if (isAdmissible[i] === 0) return false;
    if (l1 === null) return loss[i] === 0;
    return l1NormOf(l1, (j) => Y[i * m + j]!) <= l1.threshold;
  });
}

/** The low end of the range of the probability of case i. */
function lowOf(prepared: Prepared, { tolerances }: RobustAim, i: number): number {
  const { request, encoding, cases } = prepared;
  const row = cases.rows[i]! * encoding.n;
  const x = request.history.X.slice(row, row + encoding.n);
  return probabilityOf(prepared, x, tolerances)?.low ?? 0;
}
