/**
 * A benchmark problem: an input space, objectives as the service states them, a start point, a budget of runs and a
 * pure function. The function uses no state, no clock and no Math.random; noise follows from the identity of the run, so
 * that a run can be repeated bit for bit.
 */
import type { ObjectiveDefinition, ObjectiveType } from '../../src/domain/search/objective.ts';
import type { Variable } from '../../src/optimizer/interface/problem.ts';

export type Family =
  | 'exact'
  | 'tolerance'
  | 'feasibility'
  | 'minimize-maximize'
  | 'mixed'
  | 'simulators'
  | 'high-dimension'
  | 'noisy'
  | 'classics';

/** Bounds are offsets from the target (percent points or output units) and null for types without bounds. */
export interface Objective {
  readonly type: ObjectiveType;
  readonly target: number;
  readonly minimumBound: number | null;
  readonly maximumBound: number | null;
}

/** Identity of one evaluation: the seed of the play and the zero-based number of the evaluation within it. */
export interface RunIdentity {
  readonly seed: number;
  readonly index: number;
}

/** Length m, or null when the run failed because the simulator has no answer there. */
export type Outputs = readonly number[] | null;

export interface Problem {
  readonly name: string;
  readonly family: Family;
  /** Publication of the mathematics. */
  readonly source: string;
  readonly variables: readonly Variable[];
  readonly objectives: readonly Objective[];
  readonly desiredL1Norm: number;
  readonly convergence: number;
  /** The client's initial input, the same for every solver; never a solution. */
  readonly start: readonly number[];
  /** Largest number of evaluations of a play, including the start point and designed cases. */
  readonly budget: number;
  /** A point that satisfies every objective; solvers never see it. */
  readonly known: readonly number[];
  /** Whether two evaluations of one input may differ. */
  readonly noisy: boolean;
  readonly evaluate: (x: readonly number[], run: RunIdentity) => Outputs;
}

export interface ProblemDefinition
  extends Pick<Problem, 'name' | 'source' | 'variables' | 'objectives' | 'start' | 'known' | 'evaluate'> {
  readonly desiredL1Norm?: number;
  readonly budget?: number;
  readonly noisy?: boolean;
}

/** Budget 20 (n + 1), at least 60 and at most 300: what a patient engineer would still spend on a simulator. */
export function defineProblems(family: Family, definitions: readonly ProblemDefinition[]): Problem[] {
  return definitions.map((definition) => ({
    desiredL1Norm: 0,
    convergence: 1e-6,
    budget: Math.min(300, Math.max(60, 20 * (definition.variables.length + 1))),
    noisy: false,
    ...definition,
    family,
  }));
}

/** The objectives as the service judges them (src/domain/search/acceptance.ts). */
export function toDefinition(
  problem: Pick<Problem, 'objectives' | 'desiredL1Norm' | 'convergence'>,
): ObjectiveDefinition {
  return {
    objectives: problem.objectives.map((objective) => objective.target),
    objectiveTypes: problem.objectives.map((objective) => objective.type),
    minimumBounds: problem.objectives.map((objective) => objective.minimumBound ?? 0),
    maximumBounds: problem.objectives.map((objective) => objective.maximumBound ?? 1),
    desiredL1Norm: problem.desiredL1Norm,
    convergence: problem.convergence,
  };
}

export const float = (minimum: number, maximum: number): Variable => ({ kind: 'float', minimum, maximum });
export const integer = (minimum: number, maximum: number): Variable => ({ kind: 'integer', minimum, maximum });
export const boolean = (): Variable => ({ kind: 'boolean', minimum: 0, maximum: 1 });
/** Codes 0 to count - 1. */
export const category = (count: number): Variable => ({ kind: 'category', minimum: 0, maximum: count - 1 });

export function floats(count: number, minimum: number, maximum: number): Variable[] {
  return Array.from({ length: count }, () => float(minimum, maximum));
}

const unbounded = (type: ObjectiveType, target: number): Objective => ({
  type,
  target,
  minimumBound: null,
  maximumBound: null,
});

export const exact = (targets: readonly number[]): Objective[] => targets.map((target) => unbounded('exact', target));
export const minimize = (aspiration: number): Objective => unbounded('minimize', aspiration);
export const maximize = (aspiration: number): Objective => unbounded('maximize', aspiration);
export const below = (target: number): Objective => unbounded('lessthan', target);
export const atMost = (target: number): Objective => unbounded('lessthan_equal', target);
export const above = (target: number): Objective => unbounded('greaterthan', target);
export const atLeast = (target: number): Objective => unbounded('greaterthan_equal', target);

/** Each output within +- tolerance of its target, in output units. */
export function within(targets: readonly number[], tolerance: number): Objective[] {
  return targets.map((target) => ({ type: 'value', target, minimumBound: -tolerance, maximumBound: tolerance }));
}

/** Each output within +- percentage of its target. */
export function withinPercent(targets: readonly number[], percentage: number): Objective[] {
  return targets.map((target) => ({ type: 'percent', target, minimumBound: -percentage, maximumBound: percentage }));
}
