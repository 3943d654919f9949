import type { Proposal } from '../interface/problem.ts';
import { aimAtRobustness, type RobustOutcome } from '../robustness/aim.ts';
import type { Prepared } from '../search/prepare.ts';
import { oneRun } from './one-run.ts';
import type { Kind } from './quest.ts';

/** The search for the input that meets the goal most surely when it is made with tolerances. */
export const surest: Kind = (request) => {
  const { robustAim } = request;
  if (!robustAim) return null;
  return {
    ...oneRun(request),
    proposalInstead: (prepared, seen, bestIndex) => {
      const outcome = aimAtRobustness(prepared, robustAim, seen);
      return outcome && toProposal(prepared, outcome, bestIndex);
    },
  };
};

/** While inputs are pending, what they will show decides: a second input now would be near the first. */
function toProposal({ pending }: Prepared, { next, surestIndex }: RobustOutcome, bestIndex: number): Proposal {
  if (pending.count > 0) return { kind: 'nothing-new', reason: 'duplicate', bestIndex };
  if (next === null) return { kind: 'nothing-new', reason: 'robust', bestIndex: surestIndex ?? bestIndex };
  const surest = surestIndex === null ? {} : { surestIndex };
  return { kind: 'candidate', input: next.x, expected: null, chance: null, ...surest };
}
