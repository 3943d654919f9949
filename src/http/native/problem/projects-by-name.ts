/**
 * Objects by name in the body of a new project, which has the names itself. Each becomes the array that it stands for before
 * the schema of the body reads it.
 */
import { LISTED_VIOLATIONS, type Violation } from '../../../domain/errors.ts';
import type { InputSpace } from '../../../domain/problem/input-space.ts';
import { inputNamesOf, isByName, makeInputReader, makeListReader } from '../../../domain/problem/names.ts';
import { MAXIMUM_INPUT_COUNT } from '../../../domain/problem/project.ts';
import type { SentFields } from '../../body/spec.ts';
import { MAXIMUM_CASE_COUNT } from '../../wire/limits.ts';

/** Lists with one entry per input; those with `absent` leave out inputs about which they say nothing. */
const LISTS: Readonly<Record<string, { readonly absent?: null }>> = {
  minimums: {},
  maximums: {},
  inputTypes: {},
  categories: { absent: null },
  scales: { absent: null },
  steps: { absent: null },
  levels: { absent: null },
  likelyMinimums: { absent: null },
  likelyMaximums: { absent: null },
};
/** Lists of values of inputs, which are read once the types of the inputs are known. */
const POINTS = ['feasibleInput', 'inputCases'] as const;

export interface ExpandedBody {
  readonly body: SentFields;
  readonly violations: readonly Violation[];
  /** Fields with objects by name that are still to be read, or cannot be. */
  readonly unread: readonly string[];
  /** The names by the pointers of the lists that were sent by name. */
  readonly named: Map<string, readonly string[]>;
}

/** The body with arrays for all lists by name, except points. A body without objects by name is returned as it is. */
export function expandLists(body: SentFields): ExpandedBody {
  const lists = Object.keys(LISTS).filter((field) => isByName(body[field]));
  const points = POINTS.filter((field) => (field === 'inputCases' ? hasRowsByName : isByName)(body[field]));
  const hasNamed = hasCoefficientsByName(body.constraints);
  const named = new Map<string, readonly string[]>();
  if (lists.length === 0 && !hasNamed) return { body, violations: [], unread: points, named };
  const names = namesOf(body);
  if (names === undefined) {
    return { body, violations: [], unread: [...lists, ...points, ...(hasNamed ? ['constraints'] : [])], named };
  }
  const violations: Violation[] = [];
  const unread: string[] = [...points];
  const expanded: Record<string, unknown> = { ...body };
  for (const field of lists) {
    const { absent } = LISTS[field]!;
    const read = makeListReader(names, 'input', { isComplete: absent === undefined });
    const { list, violations: misnamed } = read(body[field] as SentFields, [field]);
    violations.push(...misnamed);
    if (misnamed.length > 0) unread.push(field);
    named.set(`/${field}`, names);
    expanded[field] = list.map((value) => (value === undefined ? absent : value));
  }
  if (hasNamed) {
    const read = makeListReader(names, 'input', { isComplete: false });
    expanded.constraints = (body.constraints as readonly unknown[]).map((one, i) => {
      if (!isByName(one) || !isByName(one.coefficients)) return one;
      const { list, violations: misnamed } = read(one.coefficients, ['constraints', i, 'coefficients']);
      violations.push(...misnamed);
      named.set(`/constraints/${i}/coefficients`, names);
      return { ...one, coefficients: list.map((value) => value ?? 0) };
    });
    if (violations.some(({ pointer }) => pointer.startsWith('/constraints/'))) unread.push('constraints');
  }
  return { body: expanded, violations, unread, named };
}

/**
 * The points of the body with arrays for objects by name; absent where there are none.
 *
 * @param space  valid
 * @param inputNames  valid
 */
export function expandPoints(
  body: SentFields,
  space: InputSpace,
  inputNames: readonly string[] | null,
  named: Map<string, readonly string[]>,
): { readonly body: SentFields; readonly violations: readonly Violation[] } {
  const expanded: Record<string, unknown> = {};
  const violations: Violation[] = [];
  const read = makeInputReader(space, inputNames);
  const names = inputNamesOf(space.inputCount, inputNames);
  const expand = (point: SentFields, path: readonly (string | number)[]) => {
    const { vector, violations: wrong } = read(point, path);
    violations.push(...wrong);
    named.set(`/${path.join('/')}`, names);
    return vector;
  };
  const { feasibleInput, inputCases } = body;
  if (isByName(feasibleInput)) expanded.feasibleInput = expand(feasibleInput, ['feasibleInput']);
  if (hasRowsByName(inputCases)) {
    const rows = inputCases.map((row: unknown, i) =>
      isByName(row) && violations.length < LISTED_VIOLATIONS ? expand(row, ['inputCases', i]) : row,
    );
    // Rows that are left by name would be refused for that.
    if (violations.length < LISTED_VIOLATIONS) expanded.inputCases = rows;
  }
  return { body: expanded, violations };
}

function hasRowsByName(sent: unknown): sent is readonly unknown[] {
  return Array.isArray(sent) && sent.length <= MAXIMUM_CASE_COUNT && sent.some(isByName);
}

function hasCoefficientsByName(constraints: unknown): boolean {
  return Array.isArray(constraints) && constraints.some((one) => isByName(one) && isByName(one.coefficients));
}

/** The names of the inputs in the body; undefined if they are wrong, for which the body is refused anyway. */
function namesOf({ inputCount, inputNames }: SentFields): readonly string[] | undefined {
  const count = inputCount as number;
  if (!Number.isInteger(count) || count < 1 || count > MAXIMUM_INPUT_COUNT) return undefined;
  if (inputNames === undefined || inputNames === null) return inputNamesOf(count, null);
  if (!Array.isArray(inputNames) || inputNames.length !== count) return undefined;
  const areNames = inputNames.every((name) => typeof name === 'string') && new Set(inputNames).size === count;
  return areNames ? inputNames : undefined;
}
