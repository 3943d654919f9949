/**
 * Statements of a client about the inputs of a project beyond bounds, types and names: the scale and the admissible
 * values of a number, ranges in which the solution probably lies, and conditions among the inputs.
 */
import type { Condition, RegionReport } from '../../optimizer/interface/problem.ts';
import { makeViolation, type Violation, type ViolationPath } from '../errors.ts';
import { refField, refInput, refTerm } from '../messages.ts';
import { findNearestName } from '../nearest-name.ts';
import { checkLength } from '../vectors.ts';
import { checkOperations } from './constraint-work.ts';
import { isWord, type ParsedCondition, parseCondition, renameInputs } from './expression.ts';
import {
  type InputDetails,
  type InputSpace,
  InputType,
  Scale,
  type SentConstraint,
  type SentDetails,
} from './input-space.ts';
import { inputNamesOf, type ProjectNames } from './names.ts';

/** Constraints of one project; parsing and checking them stays a matter of milliseconds. */
export const MAXIMUM_CONSTRAINTS = 250;
/** From this quotient of positive bounds on, clients, commands and the page send a number without a scale as logarithmic. */
export const WIDE_RANGE = 1_000;
export const MAXIMUM_LEVELS = 1_000;
/** Steps within the bounds of an input: beyond, it might as well be continuous. */
const MAXIMUM_STEPS = 1_000_000;
/** Inputs with whole numbers, steps or levels beside conditions: the search for whole numbers is exponential in them. */
const MAXIMUM_DISCRETE_BESIDE_CONDITIONS = 50;

type ListName = Exclude<keyof SentDetails, 'constraints'>;
const LISTS: readonly ListName[] = ['scales', 'steps', 'levels', 'likelyMinimums', 'likelyMaximums', 'feasibleInput'];

/**
 * The details of a valid space, or null when none are stated, with everything that is wrong with them.
 *
 * @param inputNames  valid names by which expressions call the inputs, or null
 */
export function readInputDetails(
  space: InputSpace,
  sent: SentDetails,
  inputNames: readonly string[] | null,
): { readonly details: InputDetails | null; readonly violations: readonly Violation[] } {
  const stated = Object.values(sent).some((value) => value !== null);
  if (!stated) return { details: null, violations: [] };
  const lengths = LISTS.flatMap((field) =>
    sent[field] === null ? [] : checkLength([field], sent[field], space.inputCount, 'input'),
  );
  if (lengths.length > 0) return { details: null, violations: lengths };
  const violations: Violation[] = [];
  for (let i = 0; i < space.inputCount; i++) violations.push(...checkInputDetails(space, sent, i));
  const names = inputNamesOf(space.inputCount, inputNames);
  const parsed = (sent.constraints ?? []).map((one, i) => readConstraint(space, names, one, ['constraints', i]));
  violations.push(...parsed.flatMap((one) => one.violations), ...checkDiscreteCount(space, sent));
  const conditions = parsed.flatMap(({ condition }) => (condition === undefined ? [] : [condition]));
  if (conditions.length === parsed.length) violations.push(...checkOperations(sent.constraints ?? [], conditions));
  return { details: { ...sent, conditions, region: null }, violations };
}

function isNumber(type: InputType): boolean {
  return type === InputType.float || type === InputType.integer;
}

function checkInputDetails(space: InputSpace, sent: SentDetails, i: number): Violation[] {
  const violations: Violation[] = [];
  const type = space.inputTypes[i]!;
  const [minimum, maximum] = [space.minimums[i]!, space.maximums[i]!];
  const [scale, step, levels] = [sent.scales?.[i] ?? null, sent.steps?.[i] ?? null, sent.levels?.[i] ?? null];
  const refuse = (field: ListName, message: string) => violations.push(makeViolation([field, i], message));
  if (scale === Scale.log) {
    if (!isNumber(type))
      refuse('scales', `must be linear or ${refTerm('left out', 'null')}: ${refInput(i)} is ${refTerm(type)}.`);
    else if (!(minimum > 0))
      refuse('scales', `can be log only with a positive minimum, ${refField('minimums', i)} is ${minimum}.`);
  }
  if (step !== null) {
    if (type !== InputType.float)
      refuse(
        'steps',
        `must be ${refTerm('left out', 'null')}, since the input is of the type ${refTerm(type)}: only a ${refTerm('float')} has steps.`,
      );
    else if (!(step > 0) || step > maximum - minimum) {
      refuse('steps', `must be positive and at most maximum - minimum (${maximum - minimum}), is ${step}.`);
    } else if ((maximum - minimum) / step > MAXIMUM_STEPS) {
      refuse('steps', `must divide the range into at most ${MAXIMUM_STEPS} steps, ${step} is too small.`);
    }
  }
  if (levels !== null) {
    if (!isNumber(type))
      refuse(
        'levels',
        `must be ${refTerm('left out', 'null')}: ${refInput(i)} is ${refTerm(type)}; only a number has levels.`,
      );
    else if (step !== null)
      refuse(
        'levels',
        `must be ${refTerm('left out', 'null')} where ${refTerm('a step is stated', 'steps has an entry')}; state one of the two.`,
      );
    else violations.push(...checkLevels(levels, type, minimum, maximum, i));
  }
  violations.push(...checkLikely(space, sent, i));
  return violations;
}

function checkLevels(
  levels: readonly number[],
  type: InputType,
  minimum: number,
  maximum: number,
  i: number,
): Violation[] {
  const wrong = levels.findIndex((value, k) => k > 0 && !(value > levels[k - 1]!));
  if (wrong >= 0) {
    return [
      makeViolation(
        ['levels', i, wrong],
        `must be greater than ${levels[wrong - 1]}, the one before, is ${levels[wrong]}.`,
      ),
    ];
  }
  return levels.flatMap((value, k) => {
    if (!(value >= minimum && value <= maximum)) {
      return [makeViolation(['levels', i, k], `must be between ${minimum} and ${maximum}, is ${value}.`)];
    }
    if (type === InputType.integer && !Number.isInteger(value)) {
      return [
        makeViolation(['levels', i, k], `must be a whole number (the input is ${refTerm('integer')}), is ${value}.`),
      ];
    }
    return [];
  });
}

/** A value this far from a step, in steps, lies on it. */
const STEP_SLACK = 1e-9;
const SHOWN_LEVELS = 10;

/** The violation when a value of input i within its bounds is none of its steps or levels. */
export function checkDetailsOfValue(
  { minimums, details }: InputSpace,
  i: number,
  value: number,
  path: ViolationPath,
): Violation[] {
  const [step, levels] = [details?.steps?.[i] ?? null, details?.levels?.[i] ?? null];
  if (step !== null) {
    const steps = (value - minimums[i]!) / step;
    if (Math.abs(steps - Math.round(steps)) > STEP_SLACK) {
      return [makeViolation(path, `must be ${minimums[i]} plus a multiple of the step ${step}, is ${value}.`)];
    }
  }
  if (levels !== null && !levels.includes(value)) {
    const shown = levels.slice(0, SHOWN_LEVELS).join(', ');
    const others = levels.length > SHOWN_LEVELS ? ', ...' : '';
    return [makeViolation(path, `must be one of the levels ${shown}${others}, is ${value}.`)];
  }
  return [];
}

function checkLikely(space: InputSpace, { likelyMinimums, likelyMaximums }: SentDetails, i: number): Violation[] {
  const [low, high] = [likelyMinimums?.[i] ?? null, likelyMaximums?.[i] ?? null];
  if (low === null && high === null) return [];
  const type = space.inputTypes[i]!;
  const field = low === null ? 'likelyMaximums' : 'likelyMinimums';
  if (!isNumber(type))
    return [
      makeViolation(
        [field, i],
        `must be ${refTerm('left out', 'null')}: ${refInput(i)} is ${refTerm(type)}; only a number has a likely range.`,
      ),
    ];
  const [minimum, maximum] = [space.minimums[i]!, space.maximums[i]!];
  const [from, to] = [low ?? minimum, high ?? maximum];
  if (from < minimum || to > maximum || !(from < to)) {
    const message = `must be at most ${refField('likelyMaximums', i)}, and both within the bounds ${minimum} and ${maximum}; the range is ${from} to ${to}.`;
    return [makeViolation([field, i], message)];
  }
  return [];
}

export function checkDiscreteCount(
  space: InputSpace,
  { constraints, steps, levels }: Pick<SentDetails, 'constraints'> & Partial<Pick<SentDetails, 'steps' | 'levels'>>,
): Violation[] {
  if (constraints === null || constraints.length === 0) return [];
  const count = space.inputTypes.filter(
    (type, i) => type === InputType.integer || (steps?.[i] ?? null) !== null || (levels?.[i] ?? null) !== null,
  ).length;
  if (count <= MAXIMUM_DISCRETE_BESIDE_CONDITIONS) return [];
  const message = `can be combined with at most ${MAXIMUM_DISCRETE_BESIDE_CONDITIONS} inputs that are integers or have steps or levels, there are ${count}.`;
  return [makeViolation(['constraints'], message)];
}

interface ReadConstraint {
  readonly condition?: Condition;
  readonly violations: readonly Violation[];
}

/** A constraint at `path` as the optimizer understands it; expressions call the inputs by `names`. */
export function readConstraint(
  space: InputSpace,
  names: readonly string[],
  one: SentConstraint,
  path: ViolationPath,
): ReadConstraint {
  if (typeof one !== 'string') return readCoefficients(space, one, path);
  const parsed = parseCondition(one, new Map(names.map((name, i) => [name, i])));
  if (parsed.kind === 'refused') {
    const { message, position, unknownName } = parsed.fault;
    const meant = unknownName === undefined ? undefined : findNearestName(unknownName, names);
    const advice = meant === undefined ? '' : `; did you mean ${meant}?`;
    return {
      violations: [makeViolation(path, `cannot be read at character ${position + 1}: ${message}${advice || '.'}`)],
    };
  }
  const category = inputsOf(parsed.condition).find((i) => space.inputTypes[i] === InputType.category);
  if (category !== undefined) {
    return {
      violations: [makeViolation(path, `cannot calculate with ${names[category]}, which is a ${refTerm('category')}.`)],
    };
  }
  return { condition: parsed.condition, violations: [] };
}

/** Input numbers that a condition mentions. */
function inputsOf({ left, right }: ParsedCondition): readonly number[] {
  const found = new Set<number>();
  const open = [left, right];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one.kind === 'input') found.add(one.input);
    else if (one.kind !== 'number') open.push(...one.of);
  }
  return [...found];
}

function readCoefficients(
  space: InputSpace,
  { coefficients, relation, bound }: Exclude<SentConstraint, string>,
  path: ViolationPath,
): ReadConstraint {
  const violations = checkLength([...path, 'coefficients'], coefficients, space.inputCount, 'input');
  if (violations.length > 0) return { violations };
  const category = coefficients.findIndex((value, i) => value !== 0 && space.inputTypes[i] === InputType.category);
  if (category >= 0) {
    return {
      violations: [
        makeViolation(
          [...path, 'coefficients', category],
          `must be 0: ${refInput(category)} is a ${refTerm('category')}.`,
        ),
      ],
    };
  }
  const terms = coefficients.map((value, input) => ({
    kind: 'operation' as const,
    operator: '*' as const,
    of: [
      { kind: 'number' as const, value },
      { kind: 'input' as const, input },
    ],
  }));
  const left = terms.reduce<Condition['left']>((sum, term) => ({ kind: 'operation', operator: '+', of: [sum, term] }), {
    kind: 'number',
    value: 0,
  });
  return { condition: { left, relation, right: { kind: 'number', value: bound } }, violations: [] };
}

/**
 * The constraints with other names for the inputs; what they mean stays the same. Violations where a new name cannot stand in an
 * expression. A text with names that are not among `from` stays as it is.
 *
 * @param owner  completes "constraints[0]", such as " of objective 7"
 */
export function renameConstraints(
  constraints: readonly SentConstraint[],
  from: readonly string[],
  to: readonly string[],
  owner = '',
): { readonly constraints: readonly SentConstraint[]; readonly violations: readonly Violation[] } {
  const violations: Violation[] = [];
  const newNames = new Map(from.map((name, i) => [name, to[i]!]));
  const inputs = new Map(to.map((name, i) => [name, i]));
  const renamed = constraints.map((one, c) => {
    if (typeof one !== 'string') return one;
    const { text, mentioned } = renameInputs(one, newNames);
    const wrong = [...mentioned].filter((name) => !isWord(newNames.get(name)!));
    for (const name of wrong) {
      const message = `must consist of letters, digits and _ and begin with no digit, because ${refField('constraints', c)}${owner} mentions the input.`;
      violations.push(makeViolation(['inputNames', from.indexOf(name)], message));
    }
    const parsed = wrong.length > 0 ? undefined : parseCondition(text, inputs);
    if (parsed?.kind !== 'refused') return text;
    if (parsed.fault.unknownName !== undefined) return one;
    const message = `would make ${refField('constraints', c)}${owner} too long: ${parsed.fault.message}.`;
    violations.push(makeViolation(['inputNames'], message));
    return text;
  });
  return { constraints: renamed, violations };
}

/** Reasons why the conditions leave no input, as violations; none if they leave some. */
export function checkRegion(
  { constraints, feasibleInput }: InputDetails,
  { inputNames, ...space }: InputSpace & Pick<ProjectNames, 'inputNames'>,
  report: RegionReport,
): readonly Violation[] {
  if (report.kind === 'open') return [];
  if (report.kind === 'nonlinear-equation') {
    const message =
      'can be an equation only if it is a sum of multiples of inputs; solve it for one input, or give a band with <= and >=.';
    return [makeViolation(['constraints', report.condition], message)];
  }
  if (report.kind === 'nothing-found' && feasibleInput !== null) {
    const message =
      'must satisfy all constraints, within the bounds and on steps and levels; correct it, or leave it out.';
    return [makeViolation(['feasibleInput'], message)];
  }
  if (report.kind === 'nothing-found') {
    const message = report.isForWholeNumbers
      ? `leave no input with whole numbers, steps and levels that could be found; loosen one of them, or state one that satisfies them as ${refField('feasibleInput')}.`
      : `leave no input that could be found; state one that satisfies them as ${refField('feasibleInput')}.`;
    return [makeViolation(['constraints'], message)];
  }
  if (report.kind === 'out-of-work') {
    const message = `take more work than the service may spend on a design: shorten them, state fewer, loosen those that few inputs satisfy, or state an input that satisfies them as ${refField('feasibleInput')}.`;
    return [makeViolation(['constraints'], message)];
  }
  const names = inputNamesOf(space.inputCount, inputNames);
  const others = report.conditions.map((i) => `${refField('constraints', i)} (${describe(constraints![i]!, names)})`);
  const bounds = report.variables.map((i) => `the bounds of ${names[i]}`);
  const message = describeContradiction([...others, ...bounds]);
  return [makeViolation(['constraints', ...report.conditions.slice(0, 1)], message)];
}

/** @param limits  those that leave no input together, in words */
export function describeContradiction(limits: readonly string[]): string {
  return `leaves no input: none satisfies ${limits.length > 1 ? 'all of ' : ''}${limits.join(', ')}.`;
}

/** A constraint in the words of the client. */
export function describe(constraint: SentConstraint, names: readonly string[]): string {
  if (typeof constraint === 'string') return constraint;
  const terms = constraint.coefficients.flatMap((factor, i) =>
    factor === 0 ? [] : [factor === 1 ? names[i]! : `${factor}*${names[i]}`],
  );
  return (
    constraint.name ?? `${terms.join(' + ').replaceAll('+ -', '- ') || '0'} ${constraint.relation} ${constraint.bound}`
  );
}
