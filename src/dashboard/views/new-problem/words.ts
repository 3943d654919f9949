/** The names of the service's types on the page. */
import type { GoalType } from '../../../../clients/typescript/src/generated/goal-types.ts';

export const OBJECTIVE_TYPES: Readonly<Record<GoalType, string>> = {
  percent: 'within percent of the target',
  value: 'within a range around the target',
  lessthan: 'below',
  lessthan_equal: 'at most',
  greaterthan: 'above',
  greaterthan_equal: 'at least',
  minimize: 'minimize',
  maximize: 'maximize',
  exact: 'exactly (all outputs)',
  fit: 'as near as possible (fit to data)',
};
