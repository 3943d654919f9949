/** An input at which the mean of several runs satisfies everything. No single run is a hit. */

import type { QuestRules } from './kind.ts';
import { ONE_RUN } from './one-run.ts';

export interface MeanOfRuns extends QuestRules {
  readonly kind: 'mean-of-runs';
}

export function meanOfRuns(runs: number): MeanOfRuns {
  const inWords = ` in the mean of ${runs} runs`;
  return {
    ...ONE_RUN,
    kind: 'mean-of-runs',
    endsWithRuns: false,
    isHit: () => false,
    inWords,
    missing: ONE_RUN.missing + inWords,
  };
}
