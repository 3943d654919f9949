/**
 * The definition of an objective: one target per output, with its type and bounds. acceptance.ts judges outputs against
 * it, and stop-reason.ts decides how it ends.
 */

import { GOAL_TYPES, type GoalType, hasBounds, isAspiration } from '../../numbers/goal-types.ts';
import type { SentJacobian } from '../data/jacobian.ts';
import { makeViolation, type Violation } from '../errors.ts';
import { refField, refTerm } from '../messages.ts';
import type { InputSpace, SentConstraint } from '../problem/input-space.ts';
import type { ByName, Labels } from '../problem/names.ts';
import { checkInput } from '../problem/project.ts';
import { checkLength } from '../vectors.ts';
import type { Ending } from './ending.ts';
import { checkFits, fitOutputs, GAP } from './fit.ts';
import { checkFront } from './front-option.ts';
import type { Inverse } from './inverse.ts';
import { type BoundsRule, checkBounds, checkLengths, type Lengths } from './objective-bounds.ts';
import type { ObjectiveConstraints } from './objective-limits.ts';
import { checkSearchOptions, type SearchOptions, type SentSearchOptions } from './search-options.ts';
import type { StopReason } from './stop-reason.ts';
import { checkTolerances, toleranceOf } from './tolerances.ts';

export { type BoundsRule, hasBounds, isAspiration };

export type ObjectiveType = GoalType;

export const ALL_OBJECTIVE_TYPES = Object.keys(GOAL_TYPES) as ObjectiveType[];
/** Those that clients under /api know. */
export const OBJECTIVE_TYPES = ALL_OBJECTIVE_TYPES.filter((type) => GOAL_TYPES[type].earlier === type);

/** Shows clients under /api the type of output j, its bounds and its error, in output units where they do not know the type. */
export function earlierView(definition: ObjectiveDefinition, j: number) {
  const type = definition.objectiveTypes[j]!;
  const { earlier } = GOAL_TYPES[type];
  const tolerance = earlier === type ? null : toleranceOf(definition, j);
  return { type: earlier, toUnits: (amount: number) => tolerance?.toUnits(amount) ?? amount };
}

export const DEFAULT_MAXIMUM_ATTEMPTS = 500;
/** The most that a client may ask for. */
export const LARGEST_MAXIMUM_ATTEMPTS = 100_000;
export const DEFAULT_CONVERGENCE = 1e-6;
/** The most inverses of one objective that may be open at a time. */
export const LARGEST_PARALLELISM = 64;

export type Bound = number | null;

/** Stored as the target of an output to minimize or maximize without aspiration: clients cannot state it, and no output reaches it. */
export const NO_TARGET = { minimize: Number.NEGATIVE_INFINITY, maximize: Number.POSITIVE_INFINITY } as const;
/** The most outputs without aspiration: beyond three almost every run is on the front. */
const LARGEST_FRONT = 3;

export interface ObjectiveDefinition {
  /** Target per output; `hasNoTarget` tells which have none. */
  readonly objectives: readonly number[];
  readonly objectiveTypes: readonly ObjectiveType[];
  /** Offsets from the target, one per output, or empty when none were given. Only types without bounds may have null. */
  readonly minimumBounds: readonly Bound[];
  readonly maximumBounds: readonly Bound[];
  readonly desiredL1Norm: number;
  /** Relative criterion for exact objectives; see acceptance.ts. */
  readonly convergence: number;
  /** Options that outputs and runs are judged by, such as the data sets of a fit; null where nothing is asked. */
  readonly options?: SearchOptions | null;
}

/** Stored facts about the nearest run of an objective; see nearest.ts. */
export interface NearestSoFar {
  /** Zero-based; null when no case succeeded. Added cases are numbered on from those of the output case set. */
  readonly nearestCase: number | null;
  readonly nearestCaseInput: readonly number[] | null;
  readonly nearestCaseOutput: readonly number[] | null;
  /** The nearest of the iterations up to `judgedThrough`. */
  readonly nearestIteration: number | null;
  /** null: not even the cases have been judged, as after a change of the trial's data and in rows of an earlier version. */
  readonly judgedThrough: number | null;
}

/** The nearest case, where no case is known or none succeeded. */
export const NO_NEAREST_CASE: Pick<NearestSoFar, 'nearestCase' | 'nearestCaseInput' | 'nearestCaseOutput'> = {
  nearestCase: null,
  nearestCaseInput: null,
  nearestCaseOutput: null,
};

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
  /** Whether it learns from the inverses of the trial's other objectives. */
  readonly reuse: boolean;
  /** The objective that it went on from; it learns from that one in any case. */
  readonly continuesId: number | null;
  /** One entry per input, null where it is free; null when all are. */
  readonly fixedInputs: readonly (number | null)[] | null;
  /** Its own, besides those of the project. */
  readonly constraints: ObjectiveConstraints | null;
  /** The revision of the trial's data that everything stored about it was judged by. */
  readonly dataRevision: number;
  /** Raised by whatever changes it, its inverses or its job. */
  readonly version: number;
  /** Number of its inverses that may be open together. */
  readonly parallelism: number;
  /** Whether no inverse is opened while an open one is likely to succeed. */
  readonly holdBack: boolean;
  /** Number of its inverses that were completed or given up. */
  readonly completedCount: number;
  /** The `completedCount` at which the search found nothing new although inverses were open; null: it did not. */
  readonly nothingNewAt: number | null;
  /** The batch that created it. */
  readonly batchId: number | null;
  /** null when it uses none. */
  readonly options: SearchOptions | null;
  /** Reason why it was stopped, as far as known; null for other ends. */
  readonly ended: Ending | null;
  /** By which people find it again; null: they call it by its numbers. */
  readonly label: string | null;
  /** Time at which people removed it from their lists. It is searched as before. */
  readonly archivedAt: Date | null;
  /** Labels of its project; null when that has no names. */
  readonly labels: Labels | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}

/** Fields of a new objective that may be objects by name. */
export const FIELDS_BY_NAME = [
  'objectives',
  'objectiveTypes',
  'minimumBounds',
  'maximumBounds',
  'initialInput',
  'initialOutput',
  'fixedInputs',
  'weights',
  'priorities',
] as const;

export type ListsByName = { readonly [Field in (typeof FIELDS_BY_NAME)[number]]?: ByName };

/** A definition as a client sends it, with the point from which the search starts. */
export interface NewObjective extends ObjectiveDefinition, SentSearchOptions {
  /** Both or neither: without them the search starts from the best case known. */
  readonly initialInput?: readonly number[] | undefined;
  readonly initialOutput?: readonly number[] | undefined;
  /** The derivatives of initialOutput, as they were sent. */
  readonly initialJacobian?: SentJacobian | null;
  readonly maximumAttempts: number;
  /** Default: 'where-needed'. */
  readonly boundsRule?: BoundsRule;
  /** As the client said, or undefined. */
  readonly reuse?: boolean | undefined;
  /** Value of `reuse` if the client states none; default: false. */
  readonly reusesByDefault?: boolean;
  /** Id of an objective of the trial, which is stopped. */
  readonly continues?: number | null;
  readonly fixedInputs?: readonly (number | null)[] | null;
  readonly constraints?: readonly SentConstraint[] | null;
  /** Default: 1. */
  readonly parallelism?: number;
  /** Default: true. */
  readonly holdBack?: boolean;
  /** Id of the batch that creates it. */
  readonly batchId?: number | null;
  /** Lists that were sent by name; the fields themselves are empty. See objective-by-name.ts. */
  readonly byName?: ListsByName;
}

/** An objective with its inverses in order of creation. */
export interface ObjectiveWithInverses extends Objective {
  readonly inverses: readonly Inverse[];
}

/** Whether output j is to be minimized or maximized without aspiration: the search is then for the front of such outputs. */
export function hasNoTarget(
  { objectives, objectiveTypes }: Pick<ObjectiveDefinition, 'objectives' | 'objectiveTypes'>,
  j: number,
): boolean {
  const type = objectiveTypes[j]!;
  return isAspiration(type) && statedTarget(type, objectives[j]!) === null;
}

/** A stored target as clients state it: null for none, and for a gap of a fit. */
export function statedTarget(type: ObjectiveType, target: number): number | null {
  if (type === 'fit') return target === GAP ? null : target;
  return isAspiration(type) && target === NO_TARGET[type] ? null : target;
}

/** The outputs without aspiration, numbered from 0. */
export function outputsWithoutTarget(
  definition: Pick<ObjectiveDefinition, 'objectives' | 'objectiveTypes'>,
): readonly number[] {
  return Array.from(definition.objectiveTypes.keys()).filter((j) => hasNoTarget(definition, j));
}

/** All targets as clients state them. */
export function statedTargets({
  objectives,
  objectiveTypes,
}: Pick<ObjectiveDefinition, 'objectives' | 'objectiveTypes'>): (number | null)[] {
  return objectives.map((target, j) => statedTarget(objectiveTypes[j]!, target));
}

/** The targets as they are stored; NaN, which `checkNewObjective` refuses, for a type that needs one. */
export function storedTargets(
  stated: readonly (number | null)[],
  objectiveTypes: readonly string[],
): readonly number[] {
  return stated.map((target, j) => {
    const type = objectiveTypes[j];
    if (type === 'fit') return target ?? GAP;
    return target ?? (type === 'minimize' || type === 'maximize' ? NO_TARGET[type] : Number.NaN);
  });
}

/** Whether an output has no limit to meet: there may always be a better value. */
export function isImproved(type: ObjectiveType): boolean {
  return isAspiration(type) || type === 'fit';
}

export function hasAspiration({ objectiveTypes }: Pick<ObjectiveDefinition, 'objectiveTypes'>): boolean {
  return objectiveTypes.some(isAspiration);
}

/** Facts that an objective has to agree with. */
interface ObjectiveContext {
  /** Number of outputs of the trial. */
  readonly outputCount: number;
  readonly space: InputSpace;
}

/**
 * All violations of a new objective. If a body is refused for some of its fields, the others are still checked: rules
 * about missing fields are skipped, and without a context so are the rules that need one.
 *
 * @param arrays  the arrays whose lengths are checked; may also have those whose elements are invalid
 */
export function checkNewObjective(
  fields: Partial<NewObjective>,
  context?: ObjectiveContext,
  arrays: Lengths = fields,
): readonly Violation[] {
  const { objectives = [], objectiveTypes = [], initialInput, desiredL1Norm, convergence } = fields;
  const violations: Violation[] = [];
  if (context !== undefined) {
    violations.push(
      ...checkLength(['objectives'], objectives, context.outputCount, refTerm('output', 'output of the trial')),
    );
  }
  violations.push(...checkLengths(arrays, ['objectiveTypes']));
  const exactCount = objectiveTypes.filter((type) => type === 'exact').length;
  if (exactCount > 0 && exactCount < objectiveTypes.length) {
    const message = 'exact judges all outputs together: either every type must be exact or none.';
    violations.push(makeViolation(['objectiveTypes'], message));
  }
  violations.push(...checkTolerances(fields));
  violations.push(...checkTargets(fields), ...checkEnds(fields), ...checkBounds(fields, arrays), ...checkFits(fields));
  if (desiredL1Norm !== undefined && !(desiredL1Norm >= 0)) {
    violations.push(makeViolation(['desiredL1Norm'], `must not be negative, is ${desiredL1Norm}.`));
  }
  if (convergence !== undefined && !(convergence > 0)) {
    violations.push(makeViolation(['convergence'], `must be positive, is ${convergence}.`));
  }
  if (context !== undefined && initialInput !== undefined) {
    violations.push(...checkInput(context.space, initialInput, ['initialInput']));
  }
  return [
    ...violations,
    ...checkLengths(arrays, ['initialOutput']),
    ...checkInitialPoint(arrays),
    ...checkInitialJacobian(fields, arrays),
    ...checkSearchOptions(fields, arrays, context?.space.inputCount),
  ];
}

/** Only minimize and maximize may be without a target, and few of them. */
function checkTargets({ objectives = [], objectiveTypes = [], front }: Partial<NewObjective>): readonly Violation[] {
  const missing = [...objectives.keys()].filter((j) => Number.isNaN(objectives[j]));
  const open = outputsWithoutTarget({ objectives, objectiveTypes });
  const message = `must have at most ${LARGEST_FRONT} outputs without a target, has ${open.length}.`;
  return [
    ...missing.map((j) =>
      makeViolation(
        ['objectives', j],
        `must be a number, is ${refTerm('left out', 'null')}: only minimize, maximize and fit may have no target.`,
      ),
    ),
    ...(open.length > LARGEST_FRONT ? [makeViolation(['objectives'], message)] : []),
    ...checkFront(front, open.length),
  ];
}

/** Options that each say when an objective ends; so do a front and a fit, which end when no run adds to them. */
function checkEnds({
  objectives = [],
  objectiveTypes = [],
  solutions,
  aimAtRobustness,
  confidence,
  confirm,
  stop,
}: Partial<NewObjective>): readonly Violation[] {
  const open = outputsWithoutTarget({ objectives, objectiveTypes });
  const isFront = open.length > 0;
  const stated = Object.entries({
    solutions: solutions != null,
    aimAtRobustness: aimAtRobustness != null && aimAtRobustness !== false,
    confidence: confidence != null,
    confirm: confirm != null && confirm > 1,
  }).flatMap(([option, isStated]) => (isStated ? [option] : []));
  const isFit = fitOutputs(objectiveTypes).length > 0;
  const refused = isFront || isFit ? stated : stated.slice(1);
  const withoutTarget =
    open.length === 1
      ? `where ${refField('objectives', open[0]!)} is ${refTerm('left out', 'null')}: the search then ends when that output gets no better`
      : 'where outputs have no target: the search then ends when their front gains nothing';
  const targets = open.map((j) => refField('objectives', j)).join(' and ');
  const reason = isFit ? 'with a fit' : `with ${refField(stated[0]!)}`;
  const message = isFront
    ? `must be left out ${withoutTarget}. To use it, state a target, an aspiration, in ${targets}.`
    : `must be left out ${reason}, which has a rule of its own for the ${refTerm('end of the search', 'end of the objective')}.`;
  return [
    ...refused.map((option) => makeViolation([option], message)),
    ...(isFront && stop && stop.patience != null
      ? [
          makeViolation(
            ['stop', 'patience'],
            `must be left out ${withoutTarget}. State ${refField('stop', 'maximumRuns')} or ${refField('stop', 'until')}, or a target in ${targets}.`,
          ),
        ]
      : []),
  ];
}

function checkInitialJacobian(
  { initialJacobian }: Partial<NewObjective>,
  { initialOutput }: Lengths,
): readonly Violation[] {
  if (initialJacobian == null || initialOutput !== undefined) return [];
  return [
    makeViolation(
      ['initialJacobian'],
      `must be left out without ${refField('initialOutput')}, whose derivatives it has.`,
    ),
  ];
}

/** An input needs its output, and an output its input. */
function checkInitialPoint({ initialInput, initialOutput }: Lengths): readonly Violation[] {
  if ((initialInput === undefined) === (initialOutput === undefined)) return [];
  const [given, missing] = initialInput === undefined ? ['Output', 'Input'] : ['Input', 'Output'];
  const message = `is required with ${refField(`initial${given}`)}: send both, or neither to start from the best case known.`;
  return [makeViolation([`initial${missing}`], message)];
}
