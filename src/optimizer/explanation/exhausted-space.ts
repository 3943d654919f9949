import type { Cases } from '../goal/cases.ts';
import { bestOf, distanceTo } from '../goal/targets.ts';
import type { Diagnosis } from '../interface/insights.ts';
import type { SuggestRequest } from '../interface/problem.ts';
import { conflictsAmong, toDiagnosis } from './conflicts.ts';

/**
 * The diagnosis of a finite space whose every input has been evaluated without meeting the goal: nothing is estimated.
 * Needs at least one successful run.
 */
export function diagnoseExhaustedSpace(request: SuggestRequest, cases: Cases): Diagnosis {
  const { goal, history, space } = request;
  const { intervals, Y, N } = cases;
  const m = intervals.length;
  const n = space.variables.length;
  const sumOf = (i: number, outputs: readonly number[]) =>
    outputs.reduce((sum, j) => sum + Math.abs(Y[i * m + j]! - goal.l1!.center[j]!), 0);
  const isMetAt = (i: number, outputs: readonly number[]) =>
    goal.l1
      ? sumOf(i, outputs) <= goal.l1.threshold
      : outputs.every((j) => distanceTo(intervals[j]!, Y[i * m + j]!) === 0);
  const isOutOfReach = (outputs: readonly number[]) => {
    for (let i = 0; i < N; i++) if (isMetAt(i, outputs)) return false;
    return true;
  };
  const all = intervals.map((_, j) => j);
  const best = bestOf(goal.l1 ? Float64Array.from({ length: N }, (_, i) => sumOf(i, all)) : cases.loss);
  const row = cases.rows[best]! * n;
  return toDiagnosis(
    goal,
    intervals,
    {
      nearestInput: Array.from(history.X.subarray(row, row + n)),
      nearestOutput: Array.from(Y.subarray(best * m, (best + 1) * m)),
      nearestIs: 'evaluated',
    },
    conflictsAmong(all, isOutOfReach),
  );
}
