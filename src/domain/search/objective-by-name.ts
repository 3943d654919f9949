/** New objectives whose lists were sent by name. The names belong to the project, so the use case reads these lists. */
import { describeWrongType, makeViolation, type Violation } from '../errors.ts';
import { refTerm } from '../messages.ts';
import { findNearestName } from '../nearest-name.ts';
import type { InputSpace } from '../problem/input-space.ts';
import {
  type ByName,
  inputNamesOf,
  isByName,
  makeListReader,
  outputNamesOf,
  type ProjectNames,
  readInputValue,
  readNumber,
} from '../problem/names.ts';
import {
  ALL_OBJECTIVE_TYPES,
  FIELDS_BY_NAME,
  type NewObjective,
  type ObjectiveType,
  outputsWithoutTarget,
  storedTargets,
} from './objective.ts';

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
  const readOption = (path: readonly string[], sent: ByName, names: readonly string[], isOfInputs: boolean) => {
    const read = makeListReader(names, isOfInputs ? 'input' : 'output', { isComplete: !isOfInputs })(sent, path);
    violations.push(...read.violations);
    named.set(`/${path.join('/')}`, names);
    return read.list.map((value, i) => {
      if (typeof value === 'number' || (isOfInputs && value == null)) return value ?? null;
      const wanted = isOfInputs ? 'a finite number or null' : 'a finite number';
      if (value !== undefined) violations.push(makeViolation([...path, names[i]!], describeWrongType(wanted, value)));
      return null;
    });
  };
  const { inputTolerances, front, fits } = objective;
  const options: Pick<NewObjective, 'inputTolerances' | 'front' | 'fits'> = {};
  if (fits != null) {
    const names = outputNamesOf(outputCount, project.names.outputNames);
    const numbered = fits.map((fit, k) => {
      const outputs = fit.outputs?.map((output, i) => {
        if (typeof output === 'number') return output;
        const j = names.indexOf(output);
        const known = findNearestName(output, names);
        const hint = known === undefined ? '' : ` Did you mean ${known}?`;
        const message = `must be the number or the name of an output, is ${JSON.stringify(output)}.${hint}`;
        if (j < 0) violations.push(makeViolation(['fits', k, 'outputs', i], message));
        return j;
      });
      return outputs === undefined ? fit : { ...fit, outputs };
    });
    Object.assign(options, { fits: numbered });
  }
  if (inputTolerances != null && isByName(inputTolerances.values)) {
    const names = inputNamesOf(project.inputCount, project.names.inputNames);
    const values = readOption(['inputTolerances', 'values'], inputTolerances.values, names, true);
    Object.assign(options, { inputTolerances: { ...inputTolerances, values } });
  }
  if (front != null && isByName(front.reference)) {
    const all = outputNamesOf(outputCount, project.names.outputNames);
    const names = outputsWithoutTarget({ ...resolved, objectives }).map((j) => all[j]!);
    Object.assign(options, { front: { reference: readOption(['front', 'reference'], front.reference, names, false) } });
  }
  return { objective: { ...resolved, objectives, ...options }, named, violations };
}

/** Lists whose missing entries are null: outputs without bounds, inputs that are free, weights and priorities of 1. */
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
    const isType = ALL_OBJECTIVE_TYPES.includes(value as ObjectiveType);
    return isType
      ? { value }
      : { message: describeWrongType(`one of ${ALL_OBJECTIVE_TYPES.map((type) => refTerm(type)).join(', ')}`, value) };
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
