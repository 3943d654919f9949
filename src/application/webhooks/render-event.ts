/**
 * From an event to its body: reads no more of the record than can fit, then renders it. The largest records, a set of output cases
 * or an objective with hundreds of inverses, have tens of megabytes.
 */
import { findBatch } from '../../db/batches/batches.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { findOutputCaseSet, findOutputCaseSetWithCases } from '../../db/data/output-case-sets.ts';
import { findTrial } from '../../db/data/trials.ts';
import { findProject, findProjectWithCases } from '../../db/problem/projects.ts';
import { findInverse, listNewestInverses } from '../../db/search/inverses.ts';
import { findObjective } from '../../db/search/objectives.ts';
import { type EventForm, type EventRecord, kindOf, type RecordedEvent } from '../../domain/webhooks/event.ts';
import { readAnswer } from '../search/read-answers.ts';

export interface RenderDeps {
  readonly db: Db;
  readonly form: EventForm;
  /** Limit of the body. */
  readonly maximumBytes: number;
}

/** Rendering a record failed; `cause` says why. */
export class EventNotRendered extends Error {
  constructor(cause: unknown) {
    super('the event could not be rendered', { cause });
    this.name = 'EventNotRendered';
  }
}

/**
 * The body, with the record as it is now. Deleted records are included, so that events from before the deletion are delivered.
 * Undefined when the record has been purged. Throws EventNotRendered, and what a read throws.
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
    case 'batch':
      return readBatch(deps, event);
    case 'recipient':
      // For people alone.
      return Promise.resolve(undefined);
  }
}

/** Smallest size of a number in a list: a digit and a comma. */
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
    answer: await readAnswer(db, objective),
    isCut: inverses.length < total,
  };
}

async function readInverse({ db }: RenderDeps, event: RecordedEvent): Promise<EventRecord | undefined> {
  const { accountId, resourceId: id } = event;
  const inverse = await findInverse(db, accountId, id);
  const objective = inverse && (await findObjective(db, accountId, inverse.objectiveId));
  return inverse && objective && { kind: 'inverse', objective, inverse };
}

async function readBatch(
  { db }: RenderDeps,
  { accountId, resourceId }: RecordedEvent,
): Promise<EventRecord | undefined> {
  const batch = await findBatch(db, accountId, resourceId);
  return batch && { kind: 'batch', batch };
}
