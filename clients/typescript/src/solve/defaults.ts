/** Gives a problem the defaults for what its author did not state, and keeps those under which it was begun. */
import { isDeepStrictEqual } from 'node:util';
import type { NewObjectives, NewProject } from '../generated/schemas.ts';
import type { Plan, ProjectBody, Words } from './plan.ts';
import { describeLogByRange, isLogByRange } from './wide-range.ts';

/** Something that a person can act on, from this machine or from the service. */
export interface Advice {
  /** Such as `log-scale` or `sum-of-squares`; further ones may come. */
  readonly kind: string;
  readonly sentence: string;
}

/** The inputs of a project here are lists, never maps. */
interface ListedInputs {
  readonly inputNames: readonly string[];
  readonly inputTypes: readonly string[];
  readonly minimums: readonly number[];
  readonly maximums: readonly number[];
  readonly scales?: readonly ('linear' | 'log' | null)[];
  readonly steps?: readonly (number | null)[];
  readonly levels?: readonly (readonly number[] | null)[];
}

function listed(project: NewProject): ListedInputs {
  return project as unknown as ListedInputs;
}

/** The numbers of the inputs whose scale would follow from their range. */
function withoutScale(project: NewProject): readonly number[] {
  const { inputTypes, minimums, maximums, scales, steps, levels } = listed(project);
  return minimums.flatMap((minimum, i) => {
    const number = { type: inputTypes[i]!, minimum, maximum: maximums[i]! };
    const details = { scale: scales?.[i], step: steps?.[i], levels: levels?.[i] };
    return isLogByRange({ ...number, ...details }) ? [i] : [];
  });
}

/**
 * The project with a logarithmic scale for inputs of a wide range that state none.
 *
 * @param begun  the project as it was begun, whose scales stay
 */
export function withScales(project: ProjectBody, begun: NewProject | undefined): ProjectBody {
  const logs = withoutScale(project).filter((i) => begun === undefined || listed(begun).scales?.[i] === 'log');
  if (logs.length === 0) return project;
  const { minimums, scales } = listed(project);
  return { ...project, scales: minimums.map((_, i) => (logs.includes(i) ? 'log' : (scales?.[i] ?? null))) };
}

/** A sentence for each input whose scale follows from its range. */
export function adviseOnScales(stated: ProjectBody, made: ProjectBody, { refuseLog }: Words): readonly Advice[] {
  const { inputNames, minimums, maximums } = listed(stated);
  return withoutScale(stated).flatMap((i) => {
    if (listed(made).scales?.[i] !== 'log') return [];
    const range = { minimum: minimums[i]!, maximum: maximums[i]! };
    return [{ kind: 'log-scale', sentence: describeLogByRange(inputNames[i]!, range, refuseLog) }];
  });
}

/** The rule that ends a search by evidence. */
const BY_EVIDENCE: NonNullable<NewObjectives['stop']> = {};

/**
 * Whether a search was begun with these targets. It may have been begun under another default: by evidence, or with no rule at all.
 */
export function hasSameTargets(begun: readonly NewObjectives[], { objectives, statesStop }: Targets): boolean {
  if (statesStop) return isSame(begun, objectives);
  const isDefault = begun.every(({ stop }) => !stop || isSame(stop, BY_EVIDENCE));
  return isDefault && isSame(begun.map(withoutStop), objectives.map(withoutStop));
}

/** @param stops  of a search begun with the same targets, one per target set; undefined for a first one, which ends by evidence */
export function withStops(
  { objectives, statesStop }: Targets,
  stops: readonly NewObjectives['stop'][] | undefined,
): readonly NewObjectives[] {
  if (statesStop) return objectives;
  return objectives.map((objective, k) => {
    const stop = stops === undefined ? BY_EVIDENCE : stops[k];
    return stop == null ? withoutStop(objective) : { ...withoutStop(objective), stop };
  });
}

type Targets = Pick<Plan, 'objectives' | 'statesStop'>;

function withoutStop({ stop: _, ...objective }: NewObjectives): NewObjectives {
  return objective;
}

function isSame(before: unknown, now: unknown): boolean {
  return isDeepStrictEqual(throughFile(before), throughFile(now));
}

/** As it is after a round trip through a file. */
export function throughFile(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
