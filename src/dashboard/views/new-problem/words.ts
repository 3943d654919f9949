/** What the types of the service are called on the page. */
import type { ObjectiveType } from './draft.ts';

export const OBJECTIVE_TYPES: Readonly<Record<ObjectiveType, string>> = {
  percent: 'within percent of the target',
  value: 'within a range around the target',
  lessthan: 'below',
  lessthan_equal: 'at most',
  greaterthan: 'above',
  greaterthan_equal: 'at least',
  minimize: 'minimize',
  maximize: 'maximize',
  exact: 'exactly (all outputs)',
};
