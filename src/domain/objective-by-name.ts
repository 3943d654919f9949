/** New objectives whose lists were sent by name. The names belong to the project, so the use case reads these lists. */
import { makeViolation, type Violation } from './errors.ts';
import type { InputSpace } from './input-space.ts';
import {
  type ByName,
  inputNamesOf,
  makeInputReader,
  makeListReader,
  makeOutputReader,
  outputNamesOf,
  type ProjectNames,
} from './names.ts';
import { FIELDS_BY_NAME, type NewObjective, OBJECTIVE_TYPES } from './objective.ts';
import { toPositiveZero } from './vectors.ts';

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
  const outputNames = outputNamesOf(outputCount, project.names.outputNames);
  const readInput = makeInputReader(project, project.names.inputNames);
  const readOutput = makeOutputReader(outputCount, project.names.outputNames);
  const lists: Record<string, readonly unknown[]> = {};
  for (const field of FIELDS_BY_NAME) {
    const sent = byName[field];
    if (sent === undefined) continue;
    const ofInputs = field === 'initialInput';
    named.set(`/${field}`, ofInputs ? inputNamesOf(project.inputCount, project.names.inputNames) : outputNames);
    if (field === 'objectiveTypes' || field === 'minimumBounds' || field === 'maximumBounds') {
      const { list, violations: wrong } = readEntries(field, outputNames, sent);
      lists[field] = list;
      violations.push(...wrong);
    } else {
      const { vector, violations: wrong } = (ofInputs ? readInput : readOutput)(sent, [field]);
      lists[field] = vector;
      violations.push(...wrong);
    }
  }
  return { objective: { ...objective, ...lists }, named, violations };
}

/** Bounds that are left out are null. */
function readEntries(
  field: 'objectiveTypes' | 'minimumBounds' | 'maximumBounds',
  names: readonly string[],
  sent: ByName,
): { readonly list: readonly unknown[]; readonly violations: readonly Violation[] } {
  const isType = field === 'objectiveTypes';
  const read = makeListReader(names, 'output', { isComplete: isType })(sent, [field]);
  const wanted = isType ? `one of ${OBJECTIVE_TYPES.join(', ')}` : 'a finite number or null';
  const isValid = (entry: unknown) =>
    isType ? OBJECTIVE_TYPES.includes(entry as never) : entry === null || Number.isFinite(entry);
  const wrong = read.list.flatMap((entry, j) =>
    entry === undefined || isValid(entry) ? [] : [makeViolation([field, names[j]!], `must be ${wanted}.`)],
  );
  const list = read.list.map((entry) => (typeof entry === 'number' ? toPositiveZero(entry) : (entry ?? null)));
  return { list, violations: [...read.violations, ...wrong] };
}
