/** An input whose runs, or their mean, satisfy everything with a given probability. No single run is a hit. */

import type { QuestRules } from './kind.ts';
import { ONE_RUN } from './one-run.ts';

export interface Confidence extends QuestRules {
  readonly kind: 'confidence';
}

export function confidence(probability: number, of: 'run' | 'mean'): Confidence {
  const inWords = ` with a probability of ${probability} ${of === 'run' ? 'in each run' : 'on average'}`;
  return {
    ...ONE_RUN,
    kind: 'confidence',
    endsWithRuns: false,
    isHit: () => false,
    inWords,
    missing: ONE_RUN.missing + inWords,
  };
}
