import type { Belief } from '../confidence/belief.ts';
import type { Asked } from '../confidence/policy.ts';
import { inside, meanGiven } from '../confidence/probability.ts';
import { isMeanInside, type Tried } from '../confidence/standing.ts';
import type { Prepared } from '../search/prepare.ts';
import { noisyRuns, SURE_OF_MEAN } from './noisy-runs.ts';
import type { Kind } from './quest.ts';

/** The mean that reaches the targets with a smaller probability is given up. */
const LEAST_CHANCE = 0.1;

/** The search for an input at which the mean of so many runs meets the targets. */
export const meanOfRuns: Kind = (request) => {
  const asked = request.noise?.asked;
  if (asked?.kind !== 'confirm') return null;
  return noisyRuns(request, meanOf(asked.runs), SURE_OF_MEAN / Math.sqrt(asked.runs));
};

function meanOf(runs: number): Asked {
  const isShown = ({ request, cases }: Prepared, { members }: Tried) =>
    members.length >= runs && isMeanInside(cases, request.goal, members);
  return {
    meansIn: 'outputs',
    rankOf: ({ mean }) => mean.value,
    isShown,
    isReached: (prepared, { tried }) => isShown(prepared, tried),
    isRepeatable: ({ request, cases }, { members }) => members.some((i) => isMeanInside(cases, request.goal, [i])),
    rateOf: (_, { forMean }, tried) => rateOfMean(runs, forMean, tried),
  };
}

/** The rate for a mean of a given number of runs; 0 when the pending ones complete them, or will hardly do. */
function rateOfMean(runs: number, belief: Belief, tried: Tried | null): number {
  const rest = runs - belief.runs - (tried?.pending ?? 0);
  if (rest <= 0) return 0;
  const chance = chanceOfMean(belief, runs);
  return tried && chance < LEAST_CHANCE ? 0 : chance / rest;
}

/** The probability that the mean of `runs` runs will meet all targets. @param belief in units of the outputs */
function chanceOfMean(belief: Belief, runs: number): number {
  const rest = runs - belief.runs;
  return belief.outputs.reduce((product, output) => {
    const { mean, variance } = meanGiven(output, belief.runs, output.noise);
    const share = rest / runs;
    const center = (1 - share) * output.observed + share * mean;
    return product * inside(output, belief.runs > 0 ? center : mean, share ** 2 * (variance + output.noise / rest));
  }, 1);
}
