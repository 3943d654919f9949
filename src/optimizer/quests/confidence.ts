import { type Belief, isSkewed } from '../confidence/belief.ts';
import type { Asked } from '../confidence/policy.ts';
import { ofMean, ofShare } from '../confidence/probability.ts';
import { rateOfDeclaration } from '../confidence/rate.ts';
import { type Beliefs, isMeanInside, type Probabilities } from '../confidence/standing.ts';
import type { Noise, UncertainProbability } from '../interface/problem.ts';
import { normalQuantile } from '../numerics/normal.ts';
import type { Prepared } from '../search/prepare.ts';
import { noisyRuns, SURE_OF_MEAN } from './noisy-runs.ts';
import type { Kind } from './quest.ts';

type Confidence = Extract<Noise['asked'], { kind: 'confidence' }>;

/** Runs at one input whose mean is to show that the mean is inside. */
const RUNS_OF_MEAN = 4;
/** See `leastRuns`. */
const RUNS_OF_ORDINARY_MEAN = 3;
const ESTIMATED_RUNS = 5;
/** Share of the probability of a miss that the mean of skewed outputs may have: it is rough and judged again with every run. */
const SKEWED_SHARE = 0.5;

/** The event whose probability is judged: one run, or the mean of runs, that meets the targets. */
interface Judgement extends Pick<Asked, 'meansIn' | 'rankOf'> {
  /** Distance from the ends of its interval that the mean of an output is to keep, in standard deviations of the noise. @param m outputs */
  marginOf(least: number, m: number): number;
  beliefOf(beliefs: Beliefs): Belief;
  probabilityOf: typeof ofMean;
  /** Whether a probability is as large as asked. */
  isEnough(least: number, belief: Belief, probability: UncertainProbability): boolean;
}

const JUDGEMENTS: Readonly<Record<keyof Probabilities, Judgement>> = {
  run: {
    meansIn: 'outputs',
    // Half of the doubt that is left to a run, shared out evenly.
    marginOf: (least, m) => normalQuantile(((1 + least) / 2) ** (1 / m)),
    rankOf: ({ run }) => run.low + 1e-3 * run.value,
    beliefOf: ({ forRun }) => forRun,
    probabilityOf: ofShare,
    // The low end leaves little doubt, see `UncertainProbability`.
    isEnough: (least, _, { low }) => low >= least,
  },
  mean: {
    meansIn: 'means',
    marginOf: () => SURE_OF_MEAN / Math.sqrt(RUNS_OF_MEAN),
    rankOf: ({ mean }) => mean.value,
    beliefOf: ({ forMean }) => forMean,
    probabilityOf: ofMean,
    // The probability of a mean is itself a doubt about it.
    isEnough: (least, belief, { value }) => value >= (isSkewed(belief) ? 1 - SKEWED_SHARE * (1 - least) : least),
  },
};

/** The search for an input at which a run, or the mean of the runs, meets the targets with a stated probability. */
export const confidence: Kind = (request) => {
  const asked = request.noise?.asked;
  if (asked?.kind !== 'confidence') return null;
  const margin = JUDGEMENTS[asked.of].marginOf(asked.least, request.goal.targets.length);
  return noisyRuns(request, probabilityAsked(asked), margin);
};

function probabilityAsked({ of, least }: Confidence): Asked {
  const { meansIn, rankOf, beliefOf, probabilityOf, isEnough } = JUDGEMENTS[of];
  return {
    meansIn,
    rankOf,
    isShown: () => false,
    isReached: (prepared, { tried, beliefs, standing }) => {
      const belief = beliefOf(beliefs);
      const { members } = tried;
      if (belief.runs < leastRuns(of, prepared, belief) || !isEnough(least, belief, standing[of])) return false;
      // Models of skewed outputs do not outvote the runs at the input.
      return of === 'run' || !isSkewed(belief) || isMeanInside(prepared.cases, prepared.request.goal, members);
    },
    isRepeatable: () => true,
    rateOf: (prepared, beliefs, tried) => {
      const { l1 } = prepared.request.goal;
      const belief = beliefOf(beliefs);
      return rateOfDeclaration(
        belief,
        tried?.pending ?? 0,
        (later, draws) =>
          later.runs >= leastRuns(of, prepared, later) && isEnough(least, later, probabilityOf(later, l1, draws)),
      );
    },
  };
}

/** Runs at an input without which it is not declared: what is estimated is to be seen there. */
function leastRuns(of: Confidence['of'], { request }: Prepared, belief: Belief): number {
  if (isSkewed(belief)) return ESTIMATED_RUNS;
  if (request.noise!.standardDeviations) return 1;
  return of === 'mean' ? RUNS_OF_ORDINARY_MEAN : ESTIMATED_RUNS;
}
