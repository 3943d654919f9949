/**
 * The least misfit of data among the runs that meet all limits. No run is a hit: the next suggestion decides by all runs whether more
 * can be gained, and the best run then is the solution.
 */

import type { QuestRules } from './kind.ts';
import { ONE_RUN } from './one-run.ts';

export interface Fit extends QuestRules {
  readonly kind: 'fit';
}

export const FIT: Fit = {
  ...ONE_RUN,
  kind: 'fit',
  endsWithRuns: false,
  isEndInSight: false,
  isHit: () => false,
  missing: '',
};
