/**
 * From an event to its body: the record is read as far as it can fit, then rendered in the form of whoever receives it. The
 * largest records, a set of output cases or an objective after hundreds of inverses, have tens of megabytes.
 */
import { findInverse, listNewestInverses } from '../db/inverses.ts';
import { findObjective } from '../db/objectives.ts';
import { findOutputCaseSet, findOutputCaseSetWithCases } from '../db/output-case-sets.ts';
import { findProject, findProjectWithCases } from '../db/projects.ts';
import type { Db } from '../db/transaction.ts';
import { findTrial } from '../db/trials.ts';
import { type EventForm, type EventRecord, kindOf, type RecordedEvent } from '../domain/event.ts';

export interface RenderDeps {
  readonly db: Db;
  readonly form: EventForm;
  /** Of a body. */
  readonly maximumBytes: number;
}

/** The form failed on a record; `cause` tells how. */
export class EventNotRendered extends Error {
  constructor(cause: unknown) {
    super('the event could not be rendered', { cause });
    this.name = 'EventNotRendered';
  }
}

/**
 * The body, with the record as it is now; deleted ones are still read, so that what happened before is told. Undefined when
 * the record is gone. Throws EventNotRendered, and what a read throws.
 */
export async function renderEvent(deps: RenderDeps, event: RecordedEvent): Promise<Uint8Array | undefined> {
  const record = await readRecord(deps, event);
  if (record === undefined) return undefined;
  try {
    return deps.form.render(event, record, deps.maximumBytes);
  } catch (error) {
    throw new EventNotRendered(error);
  }
}

function readRecord(deps: RenderDeps, event: RecordedEvent): Promise<EventRecord | undefined> {
  switch (kindOf(event.name)) {
    case 'project':
      return readProject(deps, event);
    case 'trial':
      return readTrial(deps, event);
    case 'objective':
      return readObjective(deps, event);
    case 'inverse':
      return readInverse(deps, event);
  }
}

/** Fewest bytes of a number in a list: a digit and a comma. */
const NUMBER_BYTES = 2;

async function readProject({ db, maximumBytes }: RenderDeps, event: RecordedEvent): Promise<EventRecord | undefined> {
  const { accountId, resourceId: id } = event;
  const project = await findProject(db, accountId, id);
  if (project === undefined) return undefined;
  const isLarge = NUMBER_BYTES * project.caseCount * project.inputCount > maximumBytes;
  const whole = isLarge ? undefined : await findProjectWithCases(db, accountId, id);
  return { kind: 'project', project, inputCases: whole?.inputCases ?? null };
}

async function readTrial({ db, maximumBytes }: RenderDeps, event: RecordedEvent): Promise<EventRecord | undefined> {
  const { accountId, resourceId: id } = event;
  const trial = await findTrial(db, accountId, id);
  const set = trial && (await findOutputCaseSet(db, accountId, trial.outputCaseSetId));
  if (trial === undefined || set === undefined) return undefined;
  const isLarge = NUMBER_BYTES * set.caseCount * set.outputCount > maximumBytes;
  const whole = isLarge ? undefined : await findOutputCaseSetWithCases(db, accountId, set.id);
  return { kind: 'trial', trial, set, outputCases: whole?.outputCases ?? null };
}

async function readObjective(
  { db, form, maximumBytes }: RenderDeps,
  event: RecordedEvent,
): Promise<EventRecord | undefined> {
  const { accountId, resourceId: id } = event;
  const objective = await findObjective(db, accountId, id);
  if (objective === undefined) return undefined;
  const size = { inputCount: objective.initialInput.length, outputCount: objective.objectives.length };
  const { inverses, total } = await listNewestInverses(db, accountId, id, {
    maximumBytes,
    withOutputBytes: form.fewestInverseBytes({ ...size, hasOutput: true }),
    withoutOutputBytes: form.fewestInverseBytes({ ...size, hasOutput: false }),
  });
  const { optimalInverseId } = objective;
  const optimal =
    inverses.find((inverse) => inverse.id === optimalInverseId) ??
    (optimalInverseId === null ? undefined : await findInverse(db, accountId, optimalInverseId));
  return {
    kind: 'objective',
    objective: { ...objective, inverses },
    optimalInverse: optimal ?? null,
    isCut: inverses.length < total,
  };
}

async function readInverse({ db }: RenderDeps, event: RecordedEvent): Promise<EventRecord | undefined> {
  const { accountId, resourceId: id } = event;
  const inverse = await findInverse(db, accountId, id);
  const objective = inverse && (await findObjective(db, accountId, inverse.objectiveId));
  return inverse && objective && { kind: 'inverse', objective, inverse };
}
