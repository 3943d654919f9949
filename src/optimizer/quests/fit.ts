import { bestFit, endOfFit } from '../search/least-misfit.ts';
import { nextOfFit } from '../search/next-input.ts';
import { endOutOfReach, oneRun } from './one-run.ts';
import type { Kind } from './quest.ts';

/** The search for the least misfit of data, among the inputs that meet all targets. */
export const fit: Kind = (request) => {
  if (!request.goal.targets.some(({ sigma }) => sigma !== undefined)) return null;
  return {
    ...oneRun(request),
    nextInput: nextOfFit,
    endByRule: (problem, rule, work) => {
      if (bestFit(problem) < 0) return endOutOfReach(problem, rule, work);
      const standstill = endOfFit(problem, rule, work);
      return standstill && { reason: rule.patience === undefined ? 'fitted' : 'standstill', standstill };
    },
  };
};
