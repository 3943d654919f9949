/** New objectives whose lists were sent by name. The names belong to the project, so the use case reads these lists. */
import { describeWrongType, makeViolation, type Violation } from './errors.ts';
import type { InputSpace } from './input-space.ts';
import {
  type ByName,
  inputNamesOf,
  makeListReader,
  outputNamesOf,
  type ProjectNames,
  readInputValue,
  readNumber,
} from './names.ts';
import { FIELDS_BY_NAME, type NewObjective, OBJECTIVE_TYPES, type ObjectiveType, storedTargets } from './objective.ts';

export interface ResolvedObjective {
  readonly objective: NewObjective;
  /** The names by the pointers of the lists that were sent by name. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  readonly violations: readonly Violation[];
}

/** The objective with arrays for its lists by name. With violations it means nothing. */
export function resolveObjective(
  objective: NewObjective,
  project: InputSpace & { readonly names: ProjectNames },
  outputCount: number,
): ResolvedObjective {
  const { byName = {} } = objective;
  const named = new Map<string, readonly string[]>();
  const violations: Violation[] = [];
  const lists: Record<string, readonly unknown[]> = {};
  for (const field of FIELDS_BY_NAME) {
    const sent = byName[field];
    if (sent === undefined) continue;
    const ofInputs = field === 'initialInput' || field === 'fixedInputs';
    const names = ofInputs
      ? inputNamesOf(project.inputCount, project.names.inputNames)
      : outputNamesOf(outputCount, project.names.outputNames);
    named.set(`/${field}`, names);
    const isComplete = !MAY_LEAVE_OUT.has(field);
    const read = makeListReader(names, ofInputs ? 'input' : 'output', { isComplete })(sent, [field]);
    violations.push(...read.violations);
    lists[field] = read.list.map((value, i) => {
      if (value === undefined || (value === null && (!isComplete || field === 'objectives'))) return null;
      const entry = readEntry(field, project, i, value);
      if ('message' in entry) violations.push(makeViolation([field, names[i]!], entry.message));
      return 'message' in entry ? null : entry.value;
    });
  }
  const resolved: NewObjective = { ...objective, ...lists };
  // A target that the object by name leaves out is a violation above.
  const objectives = storedTargets(resolved.objectives, resolved.objectiveTypes);
  named.get('/objectives')?.forEach((name, j) => {
    const isNull = byName.objectives?.[name] === null;
    if (isNull && Number.isNaN(objectives[j]))
      violations.push(makeViolation(['objectives', name], describeWrongType('a finite number', null)));
  });
  const { inputTolerances } = objective;
  if (inputTolerances == null || Array.isArray(inputTolerances.values))
    return { objective: { ...resolved, objectives }, named, violations };
  const path = ['inputTolerances', 'values'];
  const names = inputNamesOf(project.inputCount, project.names.inputNames);
  const read = makeListReader(names, 'input', { isComplete: false })(inputTolerances.values as ByName, path);
  violations.push(...read.violations);
  named.set('/inputTolerances/values', names);
  const values = read.list.map((value, i) => {
    if (value == null || typeof value === 'number') return value ?? null;
    violations.push(makeViolation([...path, names[i]!], describeWrongType('a finite number or null', value)));
    return null;
  });
  return { objective: { ...resolved, objectives, inputTolerances: { ...inputTolerances, values } }, named, violations };
}

/** What is left out of these is null: outputs without bounds, inputs that are free, weights and priorities of 1. */
const MAY_LEAVE_OUT: ReadonlySet<string> = new Set([
  'minimumBounds',
  'maximumBounds',
  'fixedInputs',
  'weights',
  'priorities',
]);

function readEntry(
  field: string,
  space: InputSpace,
  i: number,
  value: unknown,
): { readonly value: unknown } | { readonly message: string } {
  if (field === 'objectiveTypes') {
    const isType = OBJECTIVE_TYPES.includes(value as ObjectiveType);
    return isType ? { value } : { message: describeWrongType(`one of ${OBJECTIVE_TYPES.join(', ')}`, value) };
  }
  const ofInputs = field === 'initialInput' || field === 'fixedInputs';
  const read = ofInputs ? readInputValue(space, i, value) : readNumber(value, WANTED[field]);
  return read.kind === 'number' ? { value: read.number } : read;
}

const WANTED: Readonly<Record<string, string>> = {
  minimumBounds: 'a finite number or null',
  maximumBounds: 'a finite number or null',
  weights: 'a finite number or null',
  priorities: 'a finite number or null',
};
