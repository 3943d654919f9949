/**
 * Judges outputs; no other file does. An objective definition compiles into one acceptance interval per output. Both the
 * verdict on a measured output and the targets of the optimizer derive from those intervals.
 *
 * Objectives of type exact are judged together by the L1 norm of the whole vector. Their intervals, each output's share of
 * the threshold (threshold / number of outputs), serve the optimizer only.
 */
import { GOAL_TYPES } from '../../numbers/goal-types.ts';
import type { Goal, Target } from '../../optimizer/interface/problem.ts';
import { absoluteSum, toFinite } from '../vectors.ts';
import { fitGoalsOf, GAP, misfitOfOutput } from './fit.ts';
import { hasNoTarget, type ObjectiveDefinition, type ObjectiveType } from './objective.ts';
import { toleranceOf } from './tolerances.ts';

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
  const isExact = definition.objectiveTypes[0] === 'exact';
  const fits = fitGoalsOf(definition);
  return {
    targets,
    l1: isExact ? { center: definition.objectives, threshold } : null,
    ...(fits.length > 0 && { fits }),
  };
}

/** Whether output j is of a data set and has no value. */
function isGap({ objectives, objectiveTypes }: ObjectiveDefinition, j: number): boolean {
  return objectiveTypes[j] === 'fit' && objectives[j] === GAP;
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
  const type = definition.objectiveTypes[j]!;
  const { met, isStrict, direction } = GOAL_TYPES[type];
  const closed = { lowerOpen: false, upperOpen: false, direction } as const;
  switch (met) {
    case 'never':
      return withoutEnds('none');
    case 'together': {
      const share = threshold / definition.objectives.length;
      return { ...closed, lower: toFinite(t - share), upper: toFinite(t + share) };
    }
    case 'around':
      return { ...closed, ...toleranceOf(definition, j)!.ends() };
    case 'below':
      return { ...closed, lower: -Infinity, upper: t, upperOpen: isStrict };
    case 'above':
      return { ...closed, lower: t, lowerOpen: isStrict, upper: Infinity };
  }
}

/** The interval of an output without aspiration: every value may be on the front. */
function withoutEnds(direction: Target['direction']): Target {
  return { lower: -Infinity, upper: Infinity, lowerOpen: false, upperOpen: false, direction };
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
    if (definition.objectiveTypes[j] === 'fit') return isGap(definition, j);
    return definition.objectiveTypes[j] === 'exact' ? meetsL1 : isInside(interval, output[j]!);
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
    const isExact = type === 'exact';
    const tolerance = toleranceOf(definition, j);
    const difference = isExact || tolerance !== null || type === 'fit' ? gap : outside;
    l1Norm += difference;
    distance += isExact ? gap : outside;
    const satisfied = met[j]!;
    const error = tolerance?.errorOf(y) ?? difference;
    return {
      number: j,
      type,
      objective: t,
      minimumBound: tolerance?.bounds.minimum ?? null,
      maximumBound: tolerance?.bounds.maximum ?? null,
      output: y,
      error,
      detail: describe(definition, j, y, satisfied, {
        interval,
        tolerance,
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

const LIMITS = {
  below: { strict: 'less than', closed: 'at most' },
  above: { strict: 'greater than', closed: 'at least' },
} as const;

/** The facts of a sentence about an output; without bounds its tolerance is null. */
interface Facts {
  readonly interval: Target;
  readonly tolerance: ReturnType<typeof toleranceOf>;
  readonly l1Total: number;
  readonly threshold: number;
}

function describe(definition: ObjectiveDefinition, j: number, y: number, satisfied: boolean, facts: Facts): string {
  const t = definition.objectives[j]!;
  const verdict = satisfied ? 'is satisfied' : 'is not satisfied';
  const { interval } = facts;
  if (hasNoTarget(definition, j))
    return `Output ${y} has no target: it is to be as ${definition.objectiveTypes[j] === 'minimize' ? 'small' : 'large'} as the other outputs allow.`;
  const type = definition.objectiveTypes[j]!;
  const { met, isStrict, direction } = GOAL_TYPES[type];
  switch (met) {
    case 'together': {
      const relation = satisfied ? 'within' : 'above';
      return `Output ${y} for the target ${t} ${verdict}: the L1 norm ${facts.l1Total} of all outputs is ${relation} the threshold ${facts.threshold}.`;
    }
    case 'around':
      return `Output ${y} ${verdict}: ${facts.tolerance!.describe(y, interval)}.`;
    case 'below':
    case 'above': {
      const limit = LIMITS[met][isStrict ? 'strict' : 'closed'];
      return direction === 'none'
        ? `Output ${y} ${verdict}: it must be ${limit} ${t}.`
        : `Output ${y} ${verdict}: the aspiration is ${limit} ${t} (${direction}).`;
    }
    case 'never':
      return isGap(definition, j)
        ? `Output ${y} counts nothing: its data set has no value here.`
        : `Output ${y} differs from the measured ${t} by ${toFinite(y - t)}; all values of a fit count together.`;
  }
}
