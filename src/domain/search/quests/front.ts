/** The front of the outputs without target: no run satisfies everything, and the knee of the front of all runs is optimal. */

import type { QuestRules } from './kind.ts';
import { ONE_RUN } from './one-run.ts';

export interface Front extends QuestRules {
  readonly kind: 'front';
}

export const FRONT: Front = { ...ONE_RUN, kind: 'front', comparesAllRuns: true, missing: '' };
