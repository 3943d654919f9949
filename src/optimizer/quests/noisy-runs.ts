import type { AimUnderNoise } from '../acquisition/acquisition.ts';
import { type Asked, asProposal, bestStanding, decide } from '../confidence/policy.ts';
import type { SuggestRequest } from '../interface/problem.ts';
import { oneRun } from './one-run.ts';
import type { Quest } from './quest.ts';

/** Standard deviations by which the mean of so many runs is to be inside, where means are to meet the targets. */
export const SURE_OF_MEAN = 1.5;
/** The least spread, in standard deviations of the noise. */
const FLOOR = 0.25;

/** A search that ends when several runs at one input show what is asked. */
export function noisyRuns(request: SuggestRequest, asked: Asked, margin: AimUnderNoise['margin']): Quest {
  return {
    ...oneRun(request),
    aim: { noise: { margin, floor: FLOOR }, doesRunDecide: false },
    decide: (prepared, proposal) => {
      const decision = decide(prepared, asked, proposal.kind === 'candidate' ? proposal.input : null);
      return asProposal(prepared, decision, proposal);
    },
    standing: (prepared) => bestStanding(prepared, asked),
  };
}
