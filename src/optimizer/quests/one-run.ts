import type { StopRule, SuggestRequest } from '../interface/problem.ts';
import { joined } from '../linalg/dense.ts';
import type { Work } from '../numerics/work.ts';
import { nextInput } from '../search/next-input.ts';
import { outOfReach } from '../search/out-of-reach.ts';
import type { Problem } from '../search/scope-search.ts';
import { standstillOf } from '../search/standstill.ts';
import { makeSeen } from '../space/seen.ts';
import type { EndByRule, Quest } from './quest.ts';

/** The search for one run that meets the goal. Other kinds replace what they do differently. */
export function oneRun({ noise }: SuggestRequest): Quest {
  return {
    aim: { noise: noise ? { margin: 0, floor: 1 } : null, doesRunDecide: true },
    seenIn: (prepared) => {
      const { history } = prepared.request;
      const { pending } = prepared;
      return makeSeen(prepared, joined(history.X, pending.X), history.count + pending.count);
    },
    endOf: () => null,
    endByRule: endByEvidence,
    proposalInstead: () => null,
    nextInput,
    decide: (_, proposal) => proposal,
    standing: () => null,
  };
}

/** At the best value of outputs to minimize or maximize, or at the best compromise of targets that cannot all be met. */
function endByEvidence(problem: Problem, rule: StopRule, work: Work): EndByRule | null {
  const standstill = standstillOf(problem, rule, { ...work });
  return standstill === null ? endOutOfReach(problem, rule, work) : { reason: 'standstill', standstill };
}

/** At the best compromise of limits that cannot all be met. */
export function endOutOfReach(problem: Problem, rule: StopRule, work: Work): EndByRule | null {
  const end = rule.patience === undefined ? outOfReach(problem, rule, work) : null;
  return end && { reason: 'out-of-reach', bestIndex: problem.cases.rows[end.best]!, standstill: end.standstill };
}
