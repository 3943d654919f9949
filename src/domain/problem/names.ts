/**
 * Names and units of the inputs and outputs of a project. They are labels: they decide no design and no suggestion. Without
 * names of their own, inputs are called x1, x2, ... and outputs y1, y2, ...
 *
 * An object by name stands for a vector: `{"T": 380, "material": "steel"}`.
 */
import { describeWrongType, LISTED_VIOLATIONS, makeViolation, type Violation, type ViolationPath } from '../errors.ts';
import { refField } from '../messages.ts';
import { findNearestName } from '../nearest-name.ts';
import { checkLength, toPositiveZero } from '../vectors.ts';
import { type InputSpace, InputType } from './input-space.ts';

/** Characters of a name, at least 1, or of a unit. */
export const MAXIMUM_LABEL_LENGTH = 64;

export interface ProjectNames {
  readonly inputNames: readonly string[] | null;
  readonly inputUnits: readonly string[] | null;
  readonly outputNames: readonly string[] | null;
  readonly outputUnits: readonly string[] | null;
}

export const NO_NAMES: ProjectNames = { inputNames: null, inputUnits: null, outputNames: null, outputUnits: null };

/** Everything needed to show vectors by name. */
export interface Labels
  extends Pick<ProjectNames, 'inputNames' | 'outputNames'>,
    Pick<InputSpace, 'minimums' | 'inputTypes' | 'categories'> {}

/** The labels of a project; null when it names neither inputs nor outputs. */
export function labelsOf(project: InputSpace & { readonly names: ProjectNames }): Labels | null {
  const { inputNames, outputNames } = project.names;
  if (inputNames === null && outputNames === null) return null;
  const { minimums, inputTypes, categories } = project;
  return { inputNames, outputNames, minimums, inputTypes, categories };
}

/** Names of the inputs, x1 and so on by default. */
export function inputNamesOf(count: number, names: readonly string[] | null): readonly string[] {
  return names ?? numbered('x', count);
}

/** Names of the outputs, y1 and so on by default. */
export function outputNamesOf(count: number, names: readonly string[] | null): readonly string[] {
  return names ?? numbered('y', count);
}

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
}

/** Violations of the names and units of a project; those of outputs are not counted while nothing says how many there are. */
export function checkNames(
  names: ProjectNames,
  { inputCount, outputCount }: { readonly inputCount: number; readonly outputCount: number | null },
): readonly Violation[] {
  const violations: Violation[] = [];
  for (const field of ['inputNames', 'inputUnits', 'outputNames', 'outputUnits'] as const) {
    const list = names[field];
    if (list === null) continue;
    const [count, what] = field.startsWith('input') ? [inputCount, 'input'] : [outputCount ?? list.length, 'output'];
    violations.push(...checkLength([field], list, count, what));
    if (field === 'inputNames' || field === 'outputNames') violations.push(...checkRepeats(field, list));
  }
  return violations;
}

function checkRepeats(field: string, names: readonly string[]): readonly Violation[] {
  const first = new Map<string, number>();
  return names.flatMap((name, i) => {
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, i);
    else return [makeViolation([field, i], `must differ from ${refField(field, earlier)}, is ${name} too.`)];
    return [];
  });
}

/** An object by name as a client sends it. */
export type ByName = Readonly<Record<string, unknown>>;

export function isByName(value: unknown): value is ByName {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an object by name as a list in the order of the names; undefined where a name is missing. */
export type ListReader = (
  sent: ByName,
  path: ViolationPath,
) => { readonly list: readonly unknown[]; readonly violations: readonly Violation[] };

/** Reads an object by name as a vector in the order of the names. Where there are violations its numbers mean nothing. */
export type VectorReader = (
  sent: ByName,
  path: ViolationPath,
) => { readonly vector: number[]; readonly violations: readonly Violation[] };

/** Misspelled names that one reader compares with all names. */
const MAXIMUM_PROPOSALS = 3;
/** Names that a message lists. */
const LISTED_NAMES = 20;

/** @param isComplete  whether every name must be there */
export function makeListReader(
  names: readonly string[],
  what: 'input' | 'output',
  { isComplete }: { readonly isComplete: boolean },
): ListReader {
  let proposals = MAXIMUM_PROPOSALS;
  const known = new Set(names);
  return (sent, path) => {
    const isThere = names.map((name) => Object.hasOwn(sent, name));
    const list = names.map((name, i) => (isThere[i] ? sent[name] : undefined));
    const sentNames = Object.keys(sent);
    const violations: Violation[] = [];
    const meant = new Set<string>();
    if (sentNames.length > isThere.filter(Boolean).length) {
      for (const name of sentNames.filter((one) => !known.has(one)).slice(0, LISTED_VIOLATIONS)) {
        const nearest = proposals-- > 0 ? findNearestName(name, names) : undefined;
        if (nearest !== undefined) meant.add(nearest);
        const advice = nearest === undefined ? `the ${what}s are ${listNames(names)}` : `did you mean ${nearest}?`;
        const end = nearest === undefined ? '.' : '';
        violations.push(makeViolation([...path, name], `is not an ${what}; ${advice}${end}`));
      }
    }
    for (const [i, name] of names.entries()) {
      if (!isComplete || isThere[i] || meant.has(name) || violations.length >= LISTED_VIOLATIONS) continue;
      violations.push(makeViolation([...path, name], `is required: send one value per ${what}.`));
    }
    return { list, violations };
  };
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, LISTED_NAMES).join(', ');
  return names.length > LISTED_NAMES ? `${shown}, ... (${names.length} in all)` : shown;
}

/** Reader of inputs: categories by their names or numbers, booleans as true, false, 0 or 1. Bounds are left to checkInput. */
export function makeInputReader(space: InputSpace, inputNames: readonly string[] | null): VectorReader {
  const names = inputNamesOf(space.inputCount, inputNames);
  return makeVectorReader(names, 'input', (i, value) => readInputValue(space, i, value));
}

export function makeOutputReader(outputCount: number, outputNames: readonly string[] | null): VectorReader {
  return makeVectorReader(outputNamesOf(outputCount, outputNames), 'output', (_, value) => readNumber(value));
}

type ReadValue =
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'fault'; readonly message: string };

function makeVectorReader(
  names: readonly string[],
  what: 'input' | 'output',
  read: (i: number, value: unknown) => ReadValue,
): VectorReader {
  const readList = makeListReader(names, what, { isComplete: true });
  return (sent, path) => {
    const { list, violations: misnamed } = readList(sent, path);
    const violations = [...misnamed];
    const vector = list.map((value, i) => {
      if (value === undefined) return 0;
      const one = read(i, value);
      if (one.kind === 'number') return one.number;
      if (violations.length < LISTED_VIOLATIONS) violations.push(makeViolation([...path, names[i]!], one.message));
      return 0;
    });
    return { vector, violations };
  };
}

/** One value of input i; not checked against its bounds. */
export function readInputValue(
  { inputTypes, categories, minimums }: Pick<InputSpace, 'inputTypes' | 'categories' | 'minimums'>,
  i: number,
  value: unknown,
): ReadValue {
  const type = inputTypes[i];
  if (type === InputType.boolean && typeof value === 'boolean') return { kind: 'number', number: value ? 1 : 0 };
  if (type === InputType.boolean) return readNumber(value, 'true, false, 0 or 1');
  if (type !== InputType.category) return readNumber(value);
  const known = categories[i]!;
  if (typeof value !== 'string') return readNumber(value, 'the name of a category or its number');
  const position = known.indexOf(value);
  if (position >= 0) return { kind: 'number', number: minimums[i]! + position };
  const nearest = findNearestName(value, known.slice(0, COMPARED_CATEGORIES));
  const advice = nearest === undefined ? '.' : `; did you mean ${nearest}?`;
  return { kind: 'fault', message: `must be one of ${listNames(known)}${advice}` };
}

/** Comparing a name with more would take milliseconds. */
const COMPARED_CATEGORIES = 100;

export function readNumber(value: unknown, wanted = 'a finite number'): ReadValue {
  if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'number', number: toPositiveZero(value) };
  return { kind: 'fault', message: describeWrongType(wanted, value) };
}

/** The vector by the names of the inputs: categories by their names, booleans as true or false. null without names. */
export function toInputByName(
  labels: Labels | null,
  input: readonly number[] | null,
): Record<string, number | string | boolean> | null {
  if (labels === null || labels.inputNames === null || labels.inputNames.length !== input?.length) return null;
  return Object.fromEntries(labels.inputNames.map((name, i) => [name, showInputValue(labels, i, input[i]!)]));
}

/** The name of the category that a number stands for, the first that of `minimum`; undefined where there is none. */
export function categoryOf(
  { categories, minimum }: { readonly categories: readonly string[]; readonly minimum: number },
  value: number,
): string | undefined {
  return categories[value - minimum];
}

/** One value of input i as objects by name show it. */
function showInputValue(
  { inputTypes, categories, minimums }: Pick<InputSpace, 'inputTypes' | 'categories' | 'minimums'>,
  i: number,
  value: number,
): number | string | boolean {
  const type = inputTypes[i];
  if (type === InputType.boolean) return value !== 0;
  return type === InputType.category
    ? (categoryOf({ categories: categories[i]!, minimum: minimums[i]! }, value) ?? value)
    : value;
}

/** The vector by the names of the outputs. null without names. */
export function toOutputByName(labels: Labels | null, output: readonly number[] | null): Record<string, number> | null {
  const names = labels?.outputNames ?? null;
  if (names === null || names.length !== output?.length) return null;
  return Object.fromEntries(names.map((name, i) => [name, output[i]!]));
}

/**
 * The violations with names instead of positions where the client sent names.
 *
 * @param named  the names by the pointers of the lists that were sent by name, such as /initialInput or /inputCases/3
 */
export function atNames(
  violations: readonly Violation[],
  named: ReadonlyMap<string, readonly string[]>,
): readonly Violation[] {
  if (named.size === 0) return violations;
  return violations.map((violation) => {
    const segments = violation.pointer.split('/').slice(1);
    for (let end = 1; end < segments.length; end++) {
      const name = named.get(`/${segments.slice(0, end).join('/')}`)?.[Number(segments[end])];
      if (name === undefined) continue;
      const path = segments.map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment)).with(end, name);
      return { ...violation, ...makeViolation(path, violation.message) };
    }
    return violation;
  });
}
