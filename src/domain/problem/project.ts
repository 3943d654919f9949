/**
 * The input space of a project and its invariants. A space is checked when the project is created; everything else relies
 * on it.
 */
import { LISTED_VIOLATIONS, makeViolation, type Violation, type ViolationPath } from '../errors.ts';
import { Matrix } from '../matrix.ts';
import { refField, refInput, refTerm } from '../messages.ts';
import { checkLength } from '../vectors.ts';
import { type InputSpace, InputType } from './input-space.ts';
import type { ProjectNames } from './names.ts';
import type { Source } from './sources.ts';

/** A Map, because a plain object also has names such as `constructor`. */
const INPUT_TYPE_SYNONYMS: ReadonlyMap<string, InputType> = new Map([
  ['float', InputType.float],
  ['continuous', InputType.float],
  ['integer', InputType.integer],
  ['boolean', InputType.boolean],
  ['logical', InputType.boolean],
  ['category', InputType.category],
  ['categorical', InputType.category],
]);

export const MAXIMUM_INPUT_COUNT = 200;
export const PROJECT_NAME_MINIMUM_LENGTH = 4;

export interface Project extends InputSpace {
  readonly id: number;
  readonly modelId: number;
  readonly name: string;
  readonly names: ProjectNames;
  /** Number of outputs that the client announced; output cases must match it. */
  readonly outputCount: number | null;
  readonly caseCount: number;
  readonly seed: number;
  /** Cheaper sources of its outputs; null for none. */
  readonly sources: readonly Source[] | null;
  /** The evaluations of its batches that may be open at a time; null: any number. */
  readonly maximumEvaluations: number | null;
  readonly developedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}

/** Cases are read only where they are needed: they may be a thousand times larger than the rest. */
export interface ProjectWithCases extends Project {
  /** caseCount x inputCount. */
  readonly inputCases: Matrix;
}

/** The input type that a client's word stands for, in any case, or undefined. */
export function parseInputType(word: string): InputType | undefined {
  return INPUT_TYPE_SYNONYMS.get(word.toLowerCase());
}

/**
 * The client's categories as one list per input. Accepts one list per input (null for none), or one flat list of names if
 * exactly one input is a category; otherwise returns undefined.
 */
export function toCategoryLists(
  categories: readonly (string | readonly string[] | null)[],
  inputTypes: readonly InputType[],
): readonly (readonly string[])[] | undefined {
  const isFlat = categories.every((entry) => typeof entry === 'string');
  if (categories.length === 0 && !inputTypes.includes(InputType.category)) return inputTypes.map(() => []);
  if (isFlat) {
    if (inputTypes.filter((type) => type === InputType.category).length !== 1) return undefined;
    return inputTypes.map((type) => (type === InputType.category ? (categories as readonly string[]) : []));
  }
  if (categories.length !== inputTypes.length) return undefined;
  if (categories.some((entry) => typeof entry === 'string')) return undefined;
  return categories.map((entry) => (entry as readonly string[] | null) ?? []);
}

/** All violations of a space. */
export function checkInputSpace(space: InputSpace): readonly Violation[] {
  const violations: Violation[] = [];
  for (const field of ['minimums', 'maximums', 'inputTypes', 'categories'] as const) {
    violations.push(...checkLength([field], space[field], space.inputCount, 'input'));
  }
  if (violations.length > 0) return violations;
  for (let i = 0; i < space.inputCount; i++) violations.push(...checkVariable(space, i));
  return violations;
}

function checkVariable(space: InputSpace, i: number): Violation[] {
  const violations: Violation[] = [];
  const minimum = space.minimums[i]!;
  const maximum = space.maximums[i]!;
  const type = space.inputTypes[i]!;
  const names = space.categories[i]!;
  if (!(maximum >= minimum)) {
    violations.push(
      makeViolation(['maximums', i], `must be at least ${refField('minimums', i)} (${minimum}), is ${maximum}.`),
    );
  } else if (!Number.isFinite(maximum - minimum)) {
    violations.push(
      makeViolation(
        ['maximums', i],
        `must be closer to ${refField('minimums', i)}: the difference must be a finite number.`,
      ),
    );
  }
  if (type === InputType.boolean && (minimum !== 0 || maximum !== 1)) {
    violations.push(makeViolation(['minimums', i], 'must be 0 for a boolean input, with the maximum 1.'));
  }
  if (type === InputType.integer || type === InputType.category) {
    for (const [field, bound] of [
      ['minimums', minimum],
      ['maximums', maximum],
    ] as const) {
      // Beyond 2^53 - 1, doubles cannot distinguish neighboring whole numbers.
      if (!Number.isSafeInteger(bound)) {
        violations.push(
          makeViolation([field, i], `must be a whole number for ${refTerm(type)}, at most 2^53 - 1, is ${bound}.`),
        );
      }
    }
  }
  violations.push(...checkCategoryNames(type, names, minimum, maximum, i));
  return violations;
}

function checkCategoryNames(
  type: InputType,
  names: readonly string[],
  minimum: number,
  maximum: number,
  i: number,
): Violation[] {
  if (type !== InputType.category) {
    return names.length === 0
      ? []
      : [
          makeViolation(
            ['categories', i],
            `must be ${refTerm('left out', 'empty')}: ${refInput(i)} is ${refTerm(type)}.`,
          ),
        ];
  }
  const violations: Violation[] = [];
  const needed = maximum - minimum + 1;
  if (Number.isInteger(needed) && names.length !== needed) {
    violations.push(
      makeViolation(['categories', i], `must have maximum - minimum + 1 = ${needed} names, has ${names.length}.`),
    );
  }
  if (new Set(names).size !== names.length)
    violations.push(makeViolation(['categories', i], 'must not repeat a name.'));
  return violations;
}

/** A float this far outside its bounds, relative to their width, is accepted as a rounding error. */
const BOUND_SLACK = 1e-9;

/** Violations of one input vector against the space: length, bounds, whole numbers. */
export function checkInput(space: InputSpace, input: ArrayLike<number>, path: ViolationPath): readonly Violation[] {
  const violations: Violation[] = [...checkLength(path, input, space.inputCount, 'input')];
  if (violations.length > 0) return violations;
  for (let i = 0; i < input.length; i++) {
    const value = input[i]!;
    const minimum = space.minimums[i]!;
    const maximum = space.maximums[i]!;
    const type = space.inputTypes[i]!;
    const slack = type === InputType.float ? BOUND_SLACK * (maximum - minimum) : 0;
    if (!(value >= minimum - slack && value <= maximum + slack)) {
      violations.push(makeViolation([...path, i], `must be between ${minimum} and ${maximum}, is ${value}.`));
    } else if (type !== InputType.float && !Number.isInteger(value)) {
      violations.push(
        makeViolation([...path, i], `must be a whole number (the input is ${refTerm(type)}), is ${value}.`),
      );
    }
  }
  return violations;
}

/** A project as a client describes it; `toNewProject` makes and checks it. */
export interface NewProject {
  readonly name: string;
  /** Default: none. */
  readonly names?: ProjectNames;
  readonly space: InputSpace;
  /** The client's own points, rows x inputCount; null: they are designed. */
  readonly inputCases: Matrix | null;
  readonly caseCount: number | null;
  /** Evaluations that will run at a time: unless `caseCount` is given, so many cases are designed at least. */
  readonly parallelism?: number;
  readonly outputCount: number | null;
  /** Default: none. */
  readonly sources?: readonly Source[] | null;
}

/** Numbers in the cases of a project, the client's own or designed; 0 if the design alone decides how many there are. */
export function countCaseNumbers({ space, inputCases, caseCount, parallelism }: NewProject): number {
  return space.inputCount * (inputCases?.rows ?? caseCount ?? parallelism ?? 0);
}

/** The same, before it was checked: its cases are still rows. */
interface SentProject extends Omit<NewProject, 'inputCases'> {
  readonly inputCases: readonly (readonly number[])[] | null;
}

/** The project with everything that is wrong with it, at most 100 of its cases. */
export function toNewProject(sent: SentProject): {
  readonly project: NewProject;
  readonly violations: readonly Violation[];
} {
  const { space, inputCases: rows, caseCount } = sent;
  const read = rows === null ? null : Matrix.fromSent(rows, space.inputCount);
  const inputCases = read?.matrix ?? null;
  const violations = [...checkInputSpace(space)];
  if (read !== null && read.uneven.length > 0) {
    violations.push(...checkRowLengths(space, rows!, read.uneven));
  } else if (inputCases !== null && violations.length === 0) {
    violations.push(...checkInputCases(space, inputCases, caseCount));
  }
  return { project: { ...sent, inputCases }, violations };
}

function checkRowLengths(
  { inputCount }: InputSpace,
  rows: readonly (readonly number[])[],
  uneven: readonly number[],
): readonly Violation[] {
  return uneven
    .slice(0, LISTED_VIOLATIONS)
    .flatMap((i) => checkLength(['inputCases', i], rows[i]!, inputCount, 'input'));
}

function checkInputCases(space: InputSpace, inputCases: Matrix, caseCount: number | null): readonly Violation[] {
  const violations: Violation[] = [];
  for (let i = 0; i < inputCases.rows && violations.length < LISTED_VIOLATIONS; i++) {
    const row = inputCases.values.subarray(i * inputCases.columns, (i + 1) * inputCases.columns);
    violations.push(...checkInput(space, row, ['inputCases', i]));
  }
  if (caseCount !== null && caseCount !== inputCases.rows) {
    const message = `must be the number of ${refField('inputCases')} (${inputCases.rows}) or left out, is ${caseCount}.`;
    violations.push(makeViolation(['caseCount'], message));
  }
  return violations;
}
