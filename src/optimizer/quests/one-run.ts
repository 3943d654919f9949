import { joined } from '../linalg/dense.ts';
import type { SuggestRequest } from '../problem.ts';
import { nextInput } from '../search/next-input.ts';
import { makeSeen } from '../space/seen.ts';
import type { Quest } from './quest.ts';

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
    proposalInstead: () => null,
    nextInput,
    decide: (_, proposal) => proposal,
    standing: () => null,
  };
}
