/**
 * Finds everything that the service would refuse in a definition, without a service: the code of the operations reads the bodies, and cases
 * are designed as for a project. Commands check a problem file with it before anything starts.
 */

import type { DesignEngine } from '../application/problem/designs.ts';
import { withInputCases } from '../application/problem/input-cases.ts';
import { isOutsideBounds, readAddedCases } from '../domain/data/added-cases.ts';
import { DomainError, makeViolation, type Violation } from '../domain/errors.ts';
import { inside } from '../domain/messages.ts';
import { areConditionsMet } from '../domain/problem/conditions.ts';
import { NO_NAMES } from '../domain/problem/names.ts';
import { checkInput, type NewProject } from '../domain/problem/project.ts';
import { checkNewObjective } from '../domain/search/objective.ts';
import { newTrialCases } from '../http/native/data/trial-cases.wire.ts';
import { newModel } from '../http/native/problem/models.wire.ts';
import { newProject } from '../http/native/problem/projects.wire.ts';
import { newObjectives } from '../http/native/search/new-objective.wire.ts';
import { initialDesign } from '../optimizer/initial-design.ts';

type Body = Readonly<Record<string, unknown>>;

export interface Definition {
  /** Bodies of createModel, createProject and, one per target set, createObjective. */
  readonly model: Body;
  readonly project: Body;
  readonly objectives: readonly Body[];
  /** The input to run first, in natural units. */
  readonly start: readonly number[] | null;
  /** The bytes of a CSV file of known runs. */
  readonly known: Uint8Array | null;
}

/** Known runs; an output of null is a failed run. */
interface KnownRun {
  readonly input: readonly number[];
  readonly output: readonly number[] | null;
  /** Within the bounds and the constraints. */
  readonly isInside: boolean;
}

export interface CheckedDefinition {
  /** Pointers begin with /model, /project, /objectives/POSITION, /start or /known. */
  readonly violations: readonly Violation[];
  /** Number of cases that the service designs; 0 if violations keep it from being known. */
  readonly designedCount: number;
  /** The start, where the constraints leave no other input that the service would find by itself. */
  readonly feasibleInput: readonly number[] | null;
  /** Whether the start keeps the constraints, so that it may be the answer; true without one. */
  readonly isStartInside: boolean;
  readonly known: readonly KnownRun[];
}

/** Cells of a file of known runs: the default limit of a service. */
const MAXIMUM_CELLS = 2_000_000;

/** Calls the optimizer in this thread: a command needs no others. */
const engine: DesignEngine = { design: async (request) => initialDesign(request) };

export async function checkDefinition(definition: Definition): Promise<CheckedDefinition> {
  const model = newModel.read(definition.model);
  const project = newProject.read(definition.project);
  const violations = [...under('model', model), ...under('project', project)];
  for (const [k, body] of definition.objectives.entries()) violations.push(...checkObjective(body, k));
  if (project.kind === 'violations')
    return { violations, designedCount: 0, feasibleInput: null, isStartInside: true, known: [] };
  const { start } = definition;
  const designed = await design(project.value, start);
  violations.push(...designed.violations);
  const { space } = project.value;
  if (start !== null) violations.push(...checkInput(space, start, ['start']));
  const isStartInside = start === null || areConditionsMet(space, space.details?.conditions ?? [], start);
  const known = definition.known === null ? NOTHING_KNOWN : readKnown(definition.known, project.value);
  violations.push(...known.violations);
  const { count: designedCount, feasibleInput } = designed;
  return { violations, designedCount, feasibleInput, isStartInside, known: known.runs };
}

type Read = { readonly kind: 'value' } | { readonly kind: 'violations'; readonly violations: readonly Violation[] };

function under(prefix: string, read: Read): readonly Violation[] {
  return read.kind === 'value' ? [] : prefixed(`/${prefix}`, read.violations);
}

function prefixed(prefix: string, violations: readonly Violation[]): readonly Violation[] {
  return violations.map(({ parts, ...one }) => ({
    ...one,
    pointer: prefix + one.pointer,
    ...(parts && { parts: parts.map((part) => inside(prefix, part)) }),
  }));
}

function checkObjective(body: Body, k: number): readonly Violation[] {
  const read = newObjectives.read(body);
  const violations = read.kind === 'value' ? checkNewObjective(read.value) : read.violations;
  return prefixed(`/objectives/${k}`, violations);
}

/** Constraints that leave no input are found here. */
async function design(project: NewProject, start: readonly number[] | null) {
  try {
    const { inputCases, space } = await withInputCases(engine, project, undefined, start);
    return { count: inputCases!.rows, violations: [], feasibleInput: space.details?.feasibleInput ?? null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { count: 0, violations: prefixed('/project', error.facts.violations ?? []), feasibleInput: null };
  }
}

interface Known {
  readonly runs: readonly KnownRun[];
  readonly violations: readonly Violation[];
}

const NOTHING_KNOWN: Known = { runs: [], violations: [] };

function readKnown(bytes: Uint8Array, { space, names = NO_NAMES, outputCount, sources }: NewProject): Known {
  const refuse = (violations: readonly Violation[]): Known => ({
    runs: [],
    // The message names rows and columns of the CSV file.
    violations: violations.map(({ property, message }) =>
      makeViolation(['known'], property === '' ? message : `${property}: ${message}`),
    ),
  });
  const text = newTrialCases.csv!.read(bytes, { values: MAXIMUM_CELLS });
  if (text.kind === 'unreadable') return refuse([makeViolation([], text.message)]);
  if (text.value.kind === 'violations') return refuse(text.value.violations);
  // Result files have the runs of cheaper sources too, which are no known runs of the black box.
  const only = sources ? { source: null, sources: sources.map(({ name }) => name) } : undefined;
  const read = readAddedCases(text.value.value, { space, outputCount: outputCount!, names, ...(only && { only }) });
  if (read.kind === 'violations') return refuse(read.violations);
  const failed = new Set(read.cases.failed);
  const outputs = read.cases.outputs.toRows();
  const runs = read.cases.inputs.toRows().map((input, row) => ({
    input: [...input],
    output: failed.has(row) ? null : [...outputs[row]!],
    isInside:
      !isOutsideBounds(space, Float64Array.from(input)) &&
      areConditionsMet(space, space.details?.conditions ?? [], input),
  }));
  return { runs, violations: [] };
}
