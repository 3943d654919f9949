/** What the outputs of a problem should be. */
import type { GoalType } from '../generated/goal-types.ts';
import { refuseUnknownNames } from '../known-names.ts';

export interface Goal {
  readonly type: GoalType;
  /** null for an output to minimize or maximize without aspiration; of several such outputs the front is sought. */
  readonly target: number | null;
  /** Offsets from the target, in percent or in units of the output; null for types without bounds. */
  readonly lower: number | null;
  readonly upper: number | null;
}

/** Goals of one number, by the names that users write: these functions, and the keys of a problem file. */
export const GOALS_OF_ONE_NUMBER = {
  exact: 'exact',
  below: 'lessthan',
  atMost: 'lessthan_equal',
  above: 'greaterthan',
  atLeast: 'greaterthan_equal',
  minimize: 'minimize',
  maximize: 'maximize',
} as const satisfies Readonly<Record<string, GoalType>>;

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
  return withoutBounds('below', limit);
}

/** The limit or less. */
export function atMost(limit: number): Goal {
  return withoutBounds('atMost', limit);
}

/** More than the limit. */
export function above(limit: number): Goal {
  return withoutBounds('above', limit);
}

/** The limit or more. */
export function atLeast(limit: number): Goal {
  return withoutBounds('atLeast', limit);
}

/** As small as possible; the aspiration is what would be enough. Without one the search uses up its budget, or ends by its `stop`. */
export function minimize(aspiration: number | null = null): Goal {
  return withoutBounds('minimize', aspiration);
}

/** As large as possible; the aspiration is what would be enough. Without one the search uses up its budget, or ends by its `stop`. */
export function maximize(aspiration: number | null = null): Goal {
  return withoutBounds('maximize', aspiration);
}

export type Goals = Readonly<Record<string, Goal>>;

/** What the black box gives: a number per goal, by its name. */
export type OutputsOf<G extends Goals> = { readonly [Name in keyof G]: number };

function withoutBounds(name: keyof typeof GOALS_OF_ONE_NUMBER, target: number | null): Goal {
  return { type: GOALS_OF_ONE_NUMBER[name], target, lower: null, upper: null };
}

/** Whether a front is sought: an output has no target. */
export function seeksFront(targets: readonly (number | null)[]): boolean {
  return targets.includes(null);
}
