/**
 * The definition of an objective: one target per output with its type and bounds. Checked once by `checkDefinition`;
 * how an output is judged against it stands in acceptance.ts, how it ends in stop-reason.ts.
 */
import { makeViolation, type Violation } from './errors.ts';
import type { Inverse } from './inverse.ts';
import type { StopReason } from './stop-reason.ts';
import { checkLength } from './vectors.ts';

export const ObjectiveType = {
  exact: 'exact',
  percent: 'percent',
  value: 'value',
  lessthan: 'lessthan',
  lessthanEqual: 'lessthan_equal',
  greaterthan: 'greaterthan',
  greaterthanEqual: 'greaterthan_equal',
  minimize: 'minimize',
  maximize: 'maximize',
} as const;
export type ObjectiveType = (typeof ObjectiveType)[keyof typeof ObjectiveType];

export const OBJECTIVE_TYPES = Object.values(ObjectiveType);

export const DEFAULT_MAXIMUM_ATTEMPTS = 500;
export const DEFAULT_CONVERGENCE = 1e-6;

export interface ObjectiveDefinition {
  /** Target per output. */
  readonly objectives: readonly number[];
  readonly objectiveTypes: readonly ObjectiveType[];
  /** Offsets from the target, one per output, or empty when none were given. */
  readonly minimumBounds: readonly number[];
  readonly maximumBounds: readonly number[];
  readonly desiredL1Norm: number;
  /** Relative criterion; see acceptance.ts for what it means for exact objectives. */
  readonly convergence: number;
}

/** What is stored about the nearest run of an objective; see nearest.ts. */
export interface NearestSoFar {
  /** Zero-based; null when no case succeeded. Final, as the cases of an objective never change. */
  readonly nearestCase: number | null;
  readonly nearestCaseInput: readonly number[] | null;
  readonly nearestCaseOutput: readonly number[] | null;
  /** The nearest of the iterations up to `judgedThrough`. */
  readonly nearestIteration: number | null;
  /** null: not even the cases have been judged, as in rows of an earlier version. */
  readonly judgedThrough: number | null;
}

export interface Objective extends ObjectiveDefinition, NearestSoFar {
  readonly id: number;
  readonly trialId: number;
  readonly number: number;
  readonly initialInput: readonly number[];
  readonly initialOutput: readonly number[];
  readonly maximumAttempts: number;
  readonly attemptCount: number;
  readonly stopReason: StopReason;
  readonly optimalInverseId: number | null;
  readonly seed: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}

/** An objective with its inverses in order of creation: what a poll shows. */
export interface ObjectiveWithInverses extends Objective {
  readonly inverses: readonly Inverse[];
}

export function hasBounds(type: ObjectiveType): boolean {
  return type === ObjectiveType.percent || type === ObjectiveType.value;
}

export function isAspiration(type: ObjectiveType): boolean {
  return type === ObjectiveType.minimize || type === ObjectiveType.maximize;
}

/**
 * Which bounds are checked.
 * - where-needed: both arrays as soon as some objective is percent or value, then every entry; else only their lengths.
 * - always: both arrays and every entry, whatever the types.
 * - bounded-types: both arrays as soon as some objective is percent or value, then the entries of those objectives.
 */
export type BoundsRule = 'where-needed' | 'always' | 'bounded-types';

/** All violations of a definition. `outputCount` is the number of outputs of the trial. */
export function checkDefinition(
  definition: ObjectiveDefinition,
  outputCount: number,
  boundsRule: BoundsRule = 'where-needed',
): readonly Violation[] {
  const { objectives, objectiveTypes } = definition;
  const violations: Violation[] = [...checkLength(['objectives'], objectives, outputCount, 'output of the trial')];
  violations.push(...checkLength(['objectiveTypes'], objectiveTypes, objectives.length, 'objective'));
  const exactCount = objectiveTypes.filter((type) => type === ObjectiveType.exact).length;
  if (exactCount > 0 && exactCount < objectiveTypes.length) {
    const message = 'exact judges all outputs together: either every type is exact or none is.';
    violations.push(makeViolation(['objectiveTypes'], message));
  }
  objectiveTypes.forEach((type, j) => {
    if (type === ObjectiveType.percent && objectives[j] === 0) {
      violations.push(makeViolation(['objectives', j], 'a percent objective needs a target other than 0; use value.'));
    }
  });
  violations.push(...checkBounds(definition, boundsRule));
  if (!(definition.desiredL1Norm >= 0)) {
    violations.push(makeViolation(['desiredL1Norm'], `must not be negative, is ${definition.desiredL1Norm}.`));
  }
  if (!(definition.convergence > 0)) {
    violations.push(makeViolation(['convergence'], `must be positive, is ${definition.convergence}.`));
  }
  return violations;
}

function checkBounds(definition: ObjectiveDefinition, rule: BoundsRule): Violation[] {
  const violations: Violation[] = [];
  const count = definition.objectives.length;
  const areRequired = rule === 'always' || definition.objectiveTypes.some(hasBounds);
  for (const field of ['minimumBounds', 'maximumBounds'] as const) {
    const bounds = definition[field];
    if (bounds.length === 0 && areRequired && count > 0) {
      const reason = rule === 'always' ? 'is required' : 'is required: some objective is percent or value';
      violations.push(makeViolation([field], `${reason} (${count} values).`));
    } else if (bounds.length !== 0) {
      violations.push(...checkLength([field], bounds, count, 'objective'));
    }
  }
  if (!areRequired) return violations;
  const shared = Math.min(definition.minimumBounds.length, definition.maximumBounds.length);
  for (let j = 0; j < shared; j++) {
    const type = definition.objectiveTypes[j];
    if (rule === 'bounded-types' && (type === undefined || !hasBounds(type))) continue;
    const minimum = definition.minimumBounds[j]!;
    const maximum = definition.maximumBounds[j]!;
    if (!(maximum > minimum)) {
      const message = `must be greater than minimumBounds[${j}] (${minimum}), is ${maximum}.`;
      violations.push(makeViolation(['maximumBounds', j], message));
    }
  }
  return violations;
}
