/**
 * The run that satisfies everything most surely when its input is made with tolerances. After the first hit the search goes on for a
 * surer one, and every end is a success.
 */

import type { QuestRules } from './kind.ts';
import { ONE_RUN } from './one-run.ts';

export interface Surest extends QuestRules {
  readonly kind: 'surest';
}

export const SUREST: Surest = {
  ...ONE_RUN,
  kind: 'surest',
  isChosenByModels: true,
  eventOf: ({ areAttemptsUsed }) => (areAttemptsUsed ? 'output-satisfied' : 'output-satisfied-first'),
  isAchieved: (optimal) => optimal?.isSatisfied ?? false,
  // The first hit stays until the models know a surer one.
  beats: (challenger, holder) => !holder.isSatisfied && ONE_RUN.beats(challenger, holder),
};
