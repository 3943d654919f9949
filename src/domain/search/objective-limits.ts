/** Limits on the inputs that hold for one objective only, besides those of its project: fixed inputs and constraints. */
import type { Condition, RegionReport } from '../../optimizer/interface/problem.ts';
import { makeViolation, type Violation } from '../errors.ts';
import { refField, refTerm } from '../messages.ts';
import { areConditionsMet } from '../problem/conditions.ts';
import { checkOperations, operationsOf } from '../problem/constraint-work.ts';
import {
  checkDetailsOfValue,
  checkDiscreteCount,
  describe,
  describeContradiction,
  MAXIMUM_CONSTRAINTS,
  readConstraint,
} from '../problem/input-details.ts';
import { type InputDetails, type InputSpace, InputType, type SentConstraint } from '../problem/input-space.ts';
import { inputNamesOf, type ProjectNames } from '../problem/names.ts';
import { checkInput } from '../problem/project.ts';
import { checkLength } from '../vectors.ts';

export interface ObjectiveConstraints {
  readonly sent: readonly SentConstraint[];
  /** Compiled constraints, in their order. */
  readonly conditions: readonly Condition[];
}

/** null says nothing. */
export interface ObjectiveLimits {
  /** One entry per input, null where it is free. */
  readonly fixedInputs: readonly (number | null)[] | null;
  readonly constraints: ObjectiveConstraints | null;
}

export const NO_OBJECTIVE_LIMITS: ObjectiveLimits = { fixedInputs: null, constraints: null };

/** Limits on the inputs of a project. */
type LimitedSpace = Pick<InputSpace, 'minimums' | 'maximums'> & {
  readonly details?: Pick<InputDetails, 'conditions'>;
};

type NamedSpace = InputSpace & { readonly names: ProjectNames };

interface SentLimits {
  readonly fixedInputs?: readonly (number | null)[] | null;
  readonly constraints?: readonly SentConstraint[] | null;
}

/** Reads the limits that a client states for one objective, with all their faults apart from an empty region. */
export function readObjectiveLimits(
  space: NamedSpace,
  { fixedInputs = null, constraints = null }: SentLimits,
): { readonly limits: ObjectiveLimits; readonly violations: readonly Violation[] } {
  const violations: Violation[] = [];
  const fixed = fixedInputs?.some((value) => value !== null) ? fixedInputs : null;
  if (fixedInputs !== null) {
    const lengths = checkLength(['fixedInputs'], fixedInputs, space.inputCount, 'input');
    violations.push(...(lengths.length > 0 ? lengths : checkFixedInputs(space, fixedInputs)));
  }
  if (constraints === null || constraints.length === 0)
    return { limits: { fixedInputs: fixed, constraints: null }, violations };
  const names = inputNamesOf(space.inputCount, space.names.inputNames);
  const parsed = constraints.map((one, i) => readConstraint(space, names, one, ['constraints', i]));
  violations.push(...parsed.flatMap((one) => one.violations));
  const ofProject = space.details?.conditions.length ?? 0;
  if (ofProject + constraints.length > MAXIMUM_CONSTRAINTS) {
    const message = `may be at most ${MAXIMUM_CONSTRAINTS} together with those of the project (${ofProject}), are ${constraints.length}.`;
    violations.push(makeViolation(['constraints'], message));
  }
  violations.push(...checkDiscreteCount(space, { ...space.details, constraints }));
  const conditions = parsed.flatMap(({ condition }) => (condition === undefined ? [] : [condition]));
  if (conditions.length === parsed.length) {
    const { constraints: sent, conditions: known = [] } = space.details ?? {};
    violations.push(...checkOperations(constraints, conditions, operationsOf(sent ?? [], known)));
  }
  return { limits: { fixedInputs: fixed, constraints: { sent: constraints, conditions } }, violations };
}

function checkFixedInputs(space: InputSpace, fixedInputs: readonly (number | null)[]): Violation[] {
  return fixedInputs.flatMap((value, i) => {
    if (value === null) return [];
    const path = ['fixedInputs', i];
    const [minimum, maximum] = [space.minimums[i]!, space.maximums[i]!];
    if (!(value >= minimum && value <= maximum)) {
      return [makeViolation(path, `must be between ${minimum} and ${maximum}, is ${value}.`)];
    }
    if (space.inputTypes[i] !== InputType.float && !Number.isInteger(value)) {
      return [
        makeViolation(path, `must be a whole number (the input is ${refTerm(space.inputTypes[i]!)}), is ${value}.`),
      ];
    }
    return checkDetailsOfValue(space, i, value, path);
  });
}

/** Whether anything is stated. */
export function hasLimits({ fixedInputs, constraints }: ObjectiveLimits): boolean {
  return fixedInputs !== null || constraints !== null;
}

/** The conditions of the project, then those of the objective. */
export function conditionsOf(
  space: Pick<LimitedSpace, 'details'>,
  { constraints }: ObjectiveLimits,
): readonly Condition[] {
  return [...(space.details?.conditions ?? []), ...(constraints?.conditions ?? [])];
}

/** Whether the objective may end with this input: fixed inputs have their values, and all conditions hold. */
export function isAdmissible(space: LimitedSpace, limits: ObjectiveLimits, input: readonly number[]): boolean {
  const isFixed = limits.fixedInputs?.every((value, i) => value === null || input[i] === value) ?? true;
  return isFixed && areConditionsMet(space, conditionsOf(space, limits), input);
}

/** All violations of an input that is to be suggested; there must be none. */
export function checkSuggestion(
  space: InputSpace,
  limits: ObjectiveLimits,
  input: readonly number[],
): readonly Violation[] {
  const violations = checkInput(space, input, ['input']);
  if (violations.length > 0 || isAdmissible(space, limits, input)) return violations;
  return [makeViolation(['input'], 'breaks a constraint or changes a fixed input.')];
}

/** Reasons why the limits of an objective leave no input, as violations; none if they leave some. */
export function checkObjectiveRegion(
  space: NamedSpace,
  limits: ObjectiveLimits,
  report: RegionReport,
): readonly Violation[] {
  if (report.kind === 'open') return [];
  const ofProject = space.details?.conditions.length ?? 0;
  if (report.kind === 'nonlinear-equation') {
    const message =
      'can be an equation only if it is a sum of multiples of inputs; solve it for one input, or give a band with <= and >=.';
    return [makeViolation(['constraints', report.condition - ofProject], message)];
  }
  const field = limits.constraints === null ? 'fixedInputs' : 'constraints';
  if (report.kind === 'nothing-found') {
    const what = report.isForWholeNumbers ? 'input with whole numbers and the values allowed' : 'input';
    const message = `leave no ${what} that could be found within all constraints; loosen one of them, or state an ${refField('initialInput')}, or a ${refTerm('feasibleInput')} of the project, that satisfies them.`;
    return [makeViolation([field], message)];
  }
  if (report.kind === 'out-of-work') {
    const message = `take more work than the service may spend on them, with those of the project: shorten them, state fewer, or state an ${refField('initialInput')} that satisfies them.`;
    return [makeViolation([field], message)];
  }
  const names = inputNamesOf(space.inputCount, space.names.inputNames);
  const conditions = report.conditions.map((k) =>
    k < ofProject
      ? `the project's ${refTerm(`constraint ${k + 1}`, `constraints[${k}]`)} (${describe(space.details!.constraints![k]!, names)})`
      : `${refField('constraints', k - ofProject)} (${describe(limits.constraints!.sent[k - ofProject]!, names)})`,
  );
  const bounds = report.variables.map((i) => {
    const value = limits.fixedInputs?.[i] ?? null;
    return value === null ? `the bounds of ${names[i]}` : `${refField('fixedInputs', i)} (${names[i]} = ${value})`;
  });
  const isFixed = (i: number) => (limits.fixedInputs?.[i] ?? null) !== null;
  const paths = [
    ...report.conditions.filter((k) => k >= ofProject).map((k) => ['constraints', k - ofProject]),
    ...report.variables.filter(isFixed).map((i) => ['fixedInputs', i]),
    [field],
  ];
  return [makeViolation(paths[0]!, describeContradiction([...conditions, ...bounds]))];
}
