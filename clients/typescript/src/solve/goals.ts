/** What the outputs of a problem should be. */
import { refuseUnknownNames } from '../known-names.ts';

/** As the service calls them. */
type GoalType =
  | 'exact'
  | 'percent'
  | 'value'
  | 'lessthan'
  | 'lessthan_equal'
  | 'greaterthan'
  | 'greaterthan_equal'
  | 'minimize'
  | 'maximize';

export interface Goal {
  readonly type: GoalType;
  readonly target: number;
  /** Offsets from the target, in percent or in units of the output; null for types without bounds. */
  readonly lower: number | null;
  readonly upper: number | null;
}

/** One number for both sides, or the offset below and the one above. */
export type Offsets = number | readonly [number, number];

/** Near a target: within(380, 2) is 378 to 382, within(380, { percent: 1 }) is 376.2 to 383.8, within(380, [-1, 3]) is 379 to 383. */
export function within(target: number, tolerance: Offsets | { readonly percent: Offsets }): Goal {
  refuseUnknownNames(tolerance, { percent: null }, 'within');
  const isPercent = typeof tolerance === 'object' && 'percent' in tolerance;
  const offsets = isPercent ? tolerance.percent : tolerance;
  const [lower, upper] = typeof offsets === 'number' ? [-offsets, offsets] : offsets;
  if (!(lower < upper)) {
    throw new RangeError(
      `within leaves no room: ${lower} is not below ${upper}. For the target itself use exact(${target}).`,
    );
  }
  return { type: isPercent ? 'percent' : 'value', target, lower, upper };
}

/** The target itself, within rounding. All outputs must then be exact, and are judged together by the sum of their distances. */
export function exact(target: number): Goal {
  return withoutBounds('exact', target);
}

/** Less than the limit. */
export function below(limit: number): Goal {
  return withoutBounds('lessthan', limit);
}

/** The limit or less. */
export function atMost(limit: number): Goal {
  return withoutBounds('lessthan_equal', limit);
}

/** More than the limit. */
export function above(limit: number): Goal {
  return withoutBounds('greaterthan', limit);
}

/** The limit or more. */
export function atLeast(limit: number): Goal {
  return withoutBounds('greaterthan_equal', limit);
}

/** As small as possible; the aspiration is what would be enough. */
export function minimize(aspiration: number): Goal {
  return withoutBounds('minimize', aspiration);
}

/** As large as possible; the aspiration is what would be enough. */
export function maximize(aspiration: number): Goal {
  return withoutBounds('maximize', aspiration);
}

export type Goals = Readonly<Record<string, Goal>>;

/** What the black box gives: a number per goal, by its name. */
export type OutputsOf<G extends Goals> = { readonly [Name in keyof G]: number };

function withoutBounds(type: GoalType, target: number): Goal {
  return { type, target, lower: null, upper: null };
}
