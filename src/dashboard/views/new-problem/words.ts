/** Goals of an output in the words and the order of the page. */
import { GOAL_TYPES, type GoalType } from '../../../../clients/typescript/src/generated/goal-types.ts';

const { exact, fit, ...others } = GOAL_TYPES;

/** Those that judge all outputs together come last. */
export const GOAL_CHOICES = Object.fromEntries(
  Object.entries({ ...others, exact, fit }).map(([type, { choice }]) => [type, choice]),
) as Readonly<Record<GoalType, string>>;
