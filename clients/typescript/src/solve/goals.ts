/** Goals for the outputs of a problem. */
import type { GoalType } from '../generated/goal-types.ts';
import { refuseUnknownNames } from '../known-names.ts';
import { type Curve, type Fit, isFit, pointNames } from './fit.ts';

export interface Goal {
  readonly type: GoalType;
  /** null for an output to minimize or maximize without aspiration; of several such outputs the front is sought. */
  readonly target: number | null;
  /** Offsets from the target, in percent or in units of the output; null for types without bounds. */
  readonly lower: number | null;
  readonly upper: number | null;
}

/** One number for both sides, or the offset below and the one above. */
export type Offsets = number | readonly [number, number];

/**
 * Near a target: within(380, 2) is 378 to 382, within(380, { percent: 1 }) is 376.2 to 383.8, within(380, [-1, 3]) is 379 to 383, and
 * within(380, { standardDeviations: 2 }) is two standard deviations of the output's noise, which the option noise states.
 */
export function within(
  target: number,
  tolerance: Offsets | { readonly percent: Offsets } | { readonly standardDeviations: Offsets },
): Goal {
  refuseUnknownNames(tolerance, { percent: null, standardDeviations: null }, 'within');
  const [type, offsets] = tolerated(tolerance);
  const [lower, upper] = typeof offsets === 'number' ? [-offsets, offsets] : offsets;
  if (!(lower < upper)) {
    throw new RangeError(
      `within leaves no room: ${lower} is not below ${upper}. For the target itself use exact(${target}).`,
    );
  }
  return { type, target, lower, upper };
}

function tolerated(tolerance: Parameters<typeof within>[1]): readonly [GoalType, Offsets] {
  if (typeof tolerance === 'object' && 'percent' in tolerance) return ['percent', tolerance.percent];
  if (typeof tolerance === 'object' && 'standardDeviations' in tolerance)
    return ['standard_deviations', tolerance.standardDeviations];
  return ['value', tolerance];
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

/** As small as possible; the aspiration is what would be enough. Without one the search uses up its budget, or ends by its `stop`. */
export function minimize(aspiration: number | null = null): Goal {
  return withoutBounds('minimize', aspiration);
}

/** As large as possible; the aspiration is what would be enough. Without one the search uses up its budget, or ends by its `stop`. */
export function maximize(aspiration: number | null = null): Goal {
  return withoutBounds('maximize', aspiration);
}

export type Goals = Readonly<Record<string, Goal | Fit>>;

/** The output of a run: a number per goal by its name, and the array of the values of a fit without its gaps. */
export type OutputsOf<G extends Goals> = {
  readonly [Name in keyof G]: G[Name] extends Fit ? readonly number[] : number;
};

/** A number per goal, by its name. */
export type NumbersOf<G extends Goals> = { readonly [Name in keyof G]: number };

/** A number per goal that is no fit, by its name: the points of a fit miss nothing. */
export type MissesOf<G extends Goals> = {
  readonly [Name in keyof G as G[Name] extends Fit ? never : Name]: number;
};

/** Results of the black box: a number per goal, by its name, and a curve per fit. */
export type GivenOutputs<G extends Goals> = {
  readonly [Name in keyof G]: G[Name] extends Fit ? Curve : number;
};

/** One goal per number, as the service counts outputs: each value of a fit is one. */
export interface FlatGoals {
  readonly names: readonly string[];
  readonly goals: readonly Goal[];
  /** With the number of their first output. */
  readonly fits: readonly { readonly name: string; readonly fit: Fit; readonly first: number }[];
}

export function flatten(goals: Goals): FlatGoals {
  return flattenEntries(Object.entries(goals));
}

/** In this order. */
export function flattenEntries(entries: Iterable<readonly [string, Goal | Fit]>): FlatGoals {
  const names: string[] = [];
  const flat: Goal[] = [];
  const fits: FlatGoals['fits'][number][] = [];
  for (const [name, goal] of entries) {
    if (!isFit(goal)) {
      names.push(name);
      flat.push(goal);
      continue;
    }
    fits.push({ name, fit: goal, first: flat.length });
    names.push(...pointNames(name, goal));
    flat.push(...goal.values.map((target) => ({ type: 'fit' as const, target, lower: null, upper: null })));
  }
  return { names, goals: flat, fits };
}

/** An output of the service, by the names of the goals. */
export function byName<G extends Goals>(goals: G, values: readonly number[]): OutputsOf<G> {
  let at = 0;
  const entries = Object.entries(goals).map(([name, goal]) => {
    const first = at;
    at += isFit(goal) ? goal.values.length : 1;
    return [name, isFit(goal) ? values.slice(first, at) : values[first]!];
  });
  return Object.fromEntries(entries) as OutputsOf<G>;
}

/** The data sets for the service, in their order. */
export function toDataSets({ fits }: Pick<FlatGoals, 'fits'>) {
  return fits.map(({ name, fit: { sigma, weight, loss, values }, first }) => ({
    name,
    outputs: values.map((_, i) => first + i),
    sigma: typeof sigma === 'object' && sigma !== null && !('relative' in sigma) ? [...sigma] : sigma,
    weight,
    loss,
  }));
}

function withoutBounds(type: GoalType, target: number | null): Goal {
  return { type, target, lower: null, upper: null };
}

/** Whether a front is sought: several outputs have no target. With one, the best run is the one with its best value. */
export function seeksFront(targets: readonly (number | null)[]): boolean {
  return targets.filter((target) => target === null).length > 1;
}
