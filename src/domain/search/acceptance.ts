/**
 * Judges outputs; no other file does. An objective definition compiles into one acceptance interval per output. Both the
 * verdict on a measured output and the targets of the optimizer derive from those intervals.
 *
 * Objectives of type exact are judged together by the L1 norm of the whole vector. Their intervals, each output's share of
 * the threshold (threshold / number of outputs), serve the optimizer only.
 */
import type { Goal, Target } from '../../optimizer/interface/problem.ts';
import { outermostDouble } from '../double-order.ts';
import { absoluteSum, toFinite } from '../vectors.ts';
import { fitGoalsOf, GAP, misfitOfOutput } from './fit.ts';
import { boundsOf, hasBounds, hasNoTarget, type ObjectiveDefinition, ObjectiveType } from './objective.ts';

export interface ObjectiveResult {
  readonly number: number;
  readonly type: ObjectiveType;
  readonly objective: number;
  /** null for types without bounds. */
  readonly minimumBound: number | null;
  readonly maximumBound: number | null;
  readonly output: number;
  readonly error: number;
  readonly detail: string;
  readonly satisfied: boolean;
}

export interface Evaluation {
  readonly results: readonly ObjectiveResult[];
  readonly isSatisfied: boolean;
  /** Summed over the outputs, in output units. */
  readonly l1Norm: number;
  /** Sum of the distances to the satisfied intervals, relative to the sum of the absolute targets. */
  readonly convergence: number;
  /** Value that a fit minimizes; null without one. */
  readonly misfit: number | null;
}

/** Compiles a valid definition. Cost O(m). */
export function compileGoal(definition: ObjectiveDefinition): Goal {
  const threshold = exactThreshold(definition);
  const targets = definition.objectiveTypes.map((_, j) => compileInterval(definition, j, threshold));
  const isExact = definition.objectiveTypes[0] === ObjectiveType.exact;
  const fits = fitGoalsOf(definition);
  return {
    targets,
    l1: isExact ? { center: definition.objectives, threshold } : null,
    ...(fits.length > 0 && { fits }),
  };
}

/** Whether output j is of a data set and has no value. */
function isGap({ objectives, objectiveTypes }: ObjectiveDefinition, j: number): boolean {
  return objectiveTypes[j] === ObjectiveType.fit && objectives[j] === GAP;
}

/** The largest total L1 norm that satisfies exact objectives. */
export function exactThreshold(definition: ObjectiveDefinition): number {
  return Math.max(definition.desiredL1Norm, toFinite(definition.convergence * targetScale(definition)));
}

/** Sum of the absolute targets, or 1 if that is 0: the scale of an objective's relative figures. */
function targetScale(definition: ObjectiveDefinition): number {
  const sum = absoluteSum(definition.objectives.filter((_, j) => !hasNoTarget(definition, j) && !isGap(definition, j)));
  return sum === 0 ? 1 : sum;
}

function compileInterval(definition: ObjectiveDefinition, j: number, threshold: number): Target {
  const t = definition.objectives[j]!;
  if (hasNoTarget(definition, j)) return withoutEnds(definition.objectiveTypes[j] as Target['direction']);
  const closed = { lowerOpen: false, upperOpen: false, direction: 'none' } as const;
  switch (definition.objectiveTypes[j]!) {
    case ObjectiveType.fit:
      return withoutEnds('none');
    case ObjectiveType.exact: {
      const share = threshold / definition.objectives.length;
      return { ...closed, lower: toFinite(t - share), upper: toFinite(t + share) };
    }
    case ObjectiveType.percent:
      return { ...closed, ...percentEnds(t, boundsOf(definition, j)) };
    case ObjectiveType.value:
      return { ...closed, ...valueEnds(t, boundsOf(definition, j)) };
    case ObjectiveType.lessthan:
      return { ...closed, lower: -Infinity, upper: t, upperOpen: true };
    case ObjectiveType.lessthanEqual:
      return { ...closed, lower: -Infinity, upper: t };
    case ObjectiveType.greaterthan:
      return { ...closed, lower: t, lowerOpen: true, upper: Infinity };
    case ObjectiveType.greaterthanEqual:
      return { ...closed, lower: t, upper: Infinity };
    case ObjectiveType.minimize:
      return { ...closed, lower: -Infinity, upper: t, direction: 'minimize' };
    case ObjectiveType.maximize:
      return { ...closed, lower: t, upper: Infinity, direction: 'maximize' };
  }
}

/** The interval of an output without aspiration: every value may be on the front. */
function withoutEnds(direction: Target['direction']): Target {
  return { lower: -Infinity, upper: Infinity, lowerOpen: false, upperOpen: false, direction };
}

/** The signed deviation of y from t in percent of |t|; infinite only if the true value exceeds the largest double. */
function percentDeviation(y: number, t: number): number {
  // 100 (y - t) overflows from 2^1017 on; scaling both by the same power of two does not change the ratio.
  const scale = Math.max(Math.abs(y), Math.abs(t)) > 2 ** 1000 ? 2 ** -30 : 1;
  return (100 * (scale * y - scale * t)) / Math.abs(scale * t);
}

type Bounds = ReturnType<typeof boundsOf>;
type Ends = Pick<Target, 'lower' | 'upper' | 'lowerOpen' | 'upperOpen'>;

/** The doubles whose rounded deviation is within both bounds; an end that no double reaches is open. */
function percentEnds(t: number, { minimum, maximum }: Bounds): Ends {
  const estimate = (bound: number): number => toFinite(t + (bound * Math.abs(t)) / 100);
  const lower = outermostDouble(estimate(minimum), -1, (y) => percentDeviation(y, t) >= minimum);
  const upper = outermostDouble(estimate(maximum), 1, (y) => percentDeviation(y, t) <= maximum);
  return {
    lower: lower ?? Number.MAX_VALUE,
    lowerOpen: lower === undefined,
    upper: upper ?? -Number.MAX_VALUE,
    upperOpen: upper === undefined,
  };
}

/** From t + minimum to t + maximum; an end beyond the largest double is beyond every output, and open. */
function valueEnds(t: number, { minimum, maximum }: Bounds): Ends {
  return {
    lower: toFinite(t + minimum),
    lowerOpen: t + minimum > Number.MAX_VALUE,
    upper: toFinite(t + maximum),
    upperOpen: t + maximum < -Number.MAX_VALUE,
  };
}

/** Whether y lies in the interval; open ends do not belong to it. */
export function isInside(interval: Target, y: number): boolean {
  const isAbove = interval.lowerOpen ? y > interval.lower : y >= interval.lower;
  const isBelow = interval.upperOpen ? y < interval.upper : y <= interval.upper;
  return isAbove && isBelow;
}

/** Distance from y to the interval: 0 inside and at either end. */
export function distanceToInterval(interval: Target, y: number): number {
  return toFinite(Math.max(0, interval.lower - y, y - interval.upper));
}

/** Whether each output of a row meets its objective, for many rows of one definition. */
export function makeVerdict(definition: ObjectiveDefinition): (output: readonly number[]) => readonly boolean[] {
  const goal = compileGoal(definition);
  return (output) => verdicts(definition, goal, output);
}

function verdicts(definition: ObjectiveDefinition, goal: Goal, output: readonly number[]): readonly boolean[] {
  const meetsL1 = goal.l1 !== null && totalL1(definition, output) <= goal.l1.threshold;
  return goal.targets.map((interval, j) => {
    // Without aspiration there is always a better value.
    if (hasNoTarget(definition, j)) return false;
    if (definition.objectiveTypes[j] === ObjectiveType.fit) return isGap(definition, j);
    return definition.objectiveTypes[j] === ObjectiveType.exact ? meetsL1 : isInside(interval, output[j]!);
  });
}

function totalL1(definition: ObjectiveDefinition, output: readonly number[]): number {
  return definition.objectives.reduce((sum, t, j) => sum + (isGap(definition, j) ? 0 : Math.abs(output[j]! - t)), 0);
}

/**
 * Judges one output.
 *
 * @param output  length m, finite
 */
export function evaluateOutput(definition: ObjectiveDefinition, output: readonly number[]): Evaluation {
  const goal = compileGoal(definition);
  const l1Total = totalL1(definition, output);
  const met = verdicts(definition, goal, output);
  let l1Norm = 0;
  let distance = 0;
  const results = goal.targets.map((interval, j): ObjectiveResult => {
    const type = definition.objectiveTypes[j]!;
    const t = definition.objectives[j]!;
    const y = output[j]!;
    const gap = isGap(definition, j) ? 0 : toFinite(Math.abs(y - t));
    const outside = distanceToInterval(interval, y);
    const isExact = type === ObjectiveType.exact;
    const difference = isExact || hasBounds(type) || type === ObjectiveType.fit ? gap : outside;
    l1Norm += difference;
    distance += isExact ? gap : outside;
    const satisfied = met[j]!;
    const error = type === ObjectiveType.percent ? toFinite(Math.abs(percentDeviation(y, t))) : difference;
    return {
      number: j,
      type,
      objective: t,
      minimumBound: hasBounds(type) ? definition.minimumBounds[j]! : null,
      maximumBound: hasBounds(type) ? definition.maximumBounds[j]! : null,
      output: y,
      error,
      detail: describe(definition, j, y, satisfied, {
        interval,
        l1Total: toFinite(l1Total),
        threshold: goal.l1?.threshold ?? 0,
      }),
      satisfied,
    };
  });
  return {
    results,
    isSatisfied: results.every((result) => result.satisfied),
    l1Norm: toFinite(l1Norm),
    convergence: toFinite(toFinite(distance) / targetScale(definition)),
    misfit: misfitOfOutput(definition, output),
  };
}

function describe(
  definition: ObjectiveDefinition,
  j: number,
  y: number,
  satisfied: boolean,
  facts: { readonly interval: Target; readonly l1Total: number; readonly threshold: number },
): string {
  const t = definition.objectives[j]!;
  const verdict = satisfied ? 'is satisfied' : 'is not satisfied';
  const { interval } = facts;
  if (hasNoTarget(definition, j))
    return `Output ${y} has no target: it is to be as ${definition.objectiveTypes[j] === 'minimize' ? 'small' : 'large'} as the other outputs allow.`;
  switch (definition.objectiveTypes[j]!) {
    case ObjectiveType.exact: {
      const relation = satisfied ? 'within' : 'above';
      return `Output ${y} for the target ${t} ${verdict}: the L1 norm ${facts.l1Total} of all outputs is ${relation} the threshold ${facts.threshold}.`;
    }
    case ObjectiveType.percent: {
      const range = `${definition.minimumBounds[j]} to ${definition.maximumBounds[j]} percent`;
      return `Output ${y} ${verdict}: it deviates from the target ${t} by ${toFinite(percentDeviation(y, t))} percent; the allowed range is ${range}.`;
    }
    case ObjectiveType.value:
      return `Output ${y} ${verdict}: the allowed range around the target ${t} is ${interval.lower} to ${interval.upper}.`;
    case ObjectiveType.lessthan:
      return `Output ${y} ${verdict}: it must be less than ${t}.`;
    case ObjectiveType.lessthanEqual:
      return `Output ${y} ${verdict}: it must be at most ${t}.`;
    case ObjectiveType.greaterthan:
      return `Output ${y} ${verdict}: it must be greater than ${t}.`;
    case ObjectiveType.greaterthanEqual:
      return `Output ${y} ${verdict}: it must be at least ${t}.`;
    case ObjectiveType.minimize:
      return `Output ${y} ${verdict}: the aspiration is at most ${t} (minimize).`;
    case ObjectiveType.maximize:
      return `Output ${y} ${verdict}: the aspiration is at least ${t} (maximize).`;
    case ObjectiveType.fit:
      return isGap(definition, j)
        ? `Output ${y} counts nothing: its data set has no value here.`
        : `Output ${y} differs from the measured ${t} by ${toFinite(y - t)}; all values of a fit count together.`;
  }
}
