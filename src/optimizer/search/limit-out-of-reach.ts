/**
 * Limits without a tolerance, of which one cannot be had within all others: to trade it for the others, percent for percent, would break
 * limits that can be kept. So it becomes an aspiration: its best value within the others is sought.
 */
import { type Interval, meetsLimits } from '../goal/targets.ts';
import type { Work } from '../numerics/work.ts';
import type { Prepared } from '../prepare.ts';
import type { Target } from '../problem.ts';
import { OPTIMISM } from './compromise.ts';
import { bestAttainable, improvementSought } from './improvement.ts';
import type { SearchAim } from './scope-search.ts';

/** Evaluations without progress before a limit is given up. */
const LEAST_STALL = 3;

/** The number of the limit that the models hold out of reach within all others, which some case meets; -1 for none. */
export function limitOutOfReach(prepared: Prepared, aim: SearchAim): number {
  const { request, cases } = prepared;
  const { targets, l1, priorities } = request.goal;
  const { intervals, Y, N, isAdmissible, loss } = cases;
  const m = targets.length;
  if (l1 || priorities || m < 2 || cases.stall < LEAST_STALL || !targets.every(isLimit) || loss.includes(0)) return -1;
  const isMetBut = (j: number) => {
    const others = withDirection(intervals, j);
    return Array.from({ length: N }, (_, i) => i).some((i) => isAdmissible[i] === 1 && meetsLimits(others, Y, i * m));
  };
  const candidates = targets.flatMap((_, j) => (isMetBut(j) ? [j] : []));
  if (candidates.length !== 1) return -1;
  const j = candidates[0]!;
  const problem = {
    ...prepared,
    seen: { has: () => false, distinct: 0 },
    aim,
    cases: { ...cases, intervals: withDirection(intervals, j) },
  };
  const sought = improvementSought(problem);
  if (sought === null) return -1;
  const work: Work = { spent: 0, limit: request.workLimit };
  const possible = bestAttainable(problem, sought, { optimism: OPTIMISM, enough: -sought.wanted }, work);
  return possible !== null && possible.gain < sought.wanted ? j : -1;
}

/** The target with the direction of its limit. */
export function asAspiration(target: Target): Target {
  return { ...target, direction: Number.isFinite(target.upper) ? 'minimize' : 'maximize' };
}

function isLimit({ lower, upper, direction }: Target): boolean {
  return direction === 'none' && Number.isFinite(lower) !== Number.isFinite(upper);
}

function withDirection(intervals: readonly Interval[], j: number): readonly Interval[] {
  return intervals.with(j, { ...intervals[j]!, directed: true });
}
