/**
 * Creates what a problem needs on the service, or finds it again: model, project, batch. Every creation carries an Idempotency-Key
 * made of the identity of the problem, and what exists is recorded, so that a crash between any two of them creates nothing twice.
 */
import { createHash } from 'node:crypto';
import type { Backsolve } from '../client.ts';
import type { Retries } from '../evaluator/retries.ts';
import type { Batch } from '../generated/schemas.ts';
import type { BatchRecord, ProblemFolder, ProblemRecord } from './folder.ts';
import { nameOf, type Problem, toBatch, toObjective, toProject } from './problem.ts';

/** The folder belongs to another problem, or to one on another service. */
export class ChangedProblemError extends Error {
  override readonly name = 'ChangedProblemError';
}

/** The budget leaves no run to the search. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

export interface OpenOptions {
  readonly client: Backsolve;
  readonly folder: ProblemFolder;
  readonly problem: Problem;
  /** The address of a service, or null for a local one. */
  readonly service: string | null;
  /** Runs that the journal holds. */
  readonly runsBefore: number;
  /** The text of the black box, if it is known. */
  readonly code: string | null;
  readonly retries: Retries;
}

/** Where a problem lives on the service. */
export interface OpenedProblem {
  readonly record: ProblemRecord;
  readonly batch: Batch;
}

/** Throws ChangedProblemError, BudgetError, and BacksolveError when the service refuses. */
export async function openProblem(options: OpenOptions): Promise<OpenedProblem> {
  const { client, folder, problem, service } = options;
  const project = toProject(problem);
  const known = await folder.read();
  if (known !== undefined) refuseChanges(known, project, options);
  const code = options.code === null ? null : createHash('sha256').update(options.code).digest('hex');
  let record = known ?? (await folder.begin(project, service, code));
  if (known !== undefined && options.runsBefore > 0 && known.code !== null && code !== null && known.code !== code) {
    process.emitWarning(
      `The black box has changed since earlier runs of this problem, whose results stay (${folder.path}). retryFailed: true runs the failed ones again, fresh: true starts over.`,
    );
  }
  const note = async (change: Partial<ProblemRecord>) => {
    record = { ...record, ...change };
    await folder.write(record);
  };
  const keyOf = (role: string) => `${record.id} ${role}`;
  if (record.modelId === null) {
    // Names of models are unique within an account.
    const name = `${nameOf(problem)} ${record.id.slice(0, 8)}`;
    const { body } = await client.call('createModel', { body: { name }, idempotencyKey: keyOf('model') });
    await note({ modelId: body.id });
  }
  const model_id = record.modelId!;
  if (record.projectId === null) {
    const path = { model_id };
    const { body } = await client.call('createProject', {
      path,
      body: record.project,
      idempotencyKey: keyOf('project'),
    });
    await note({ projectId: body.id, designed: body.inputCases.length });
  }
  const path = { model_id, project_id: record.projectId! };
  const batches = () => record.batches;
  const replaceNewest = (batch: BatchRecord) => note({ batches: [...batches().slice(0, -1), batch] });

  const wanted = { objective: toObjective(problem), budget: problem.budget ?? null };
  let newest = batches().at(-1);
  let trialId: number | null = null;
  const isOutdated = newest?.id != null && (await retryRuns(newest, record, options));
  if (newest?.id != null && (isOutdated || !isSame(newest, wanted))) {
    const { body } = await client.call('getBatch', { path: { batch_id: newest.id } });
    trialId = body.trialId;
    if (isOpen(body)) await client.call('cancelBatch', { path: { batch_id: newest.id } });
  }
  if (newest === undefined || isOutdated || !isSame(newest, wanted)) {
    const attemptsLeft = attemptsOf(problem, record.designed!, trialId === null ? 0 : options.runsBefore);
    newest = { id: null, ...wanted, body: toBatch(problem, { trialId, attemptsLeft }), retried: options.retries.count };
    await note({ batches: [...batches(), newest] });
  }
  if (newest.id !== null) return { record, batch: await follow(client, newest.id, problem) };
  const idempotencyKey = keyOf(`batch ${batches().length}`);
  const { body: batch } = await client.call('createBatch', { path, body: newest.body, idempotencyKey });
  await replaceNewest({ ...newest, id: batch.id });
  return { record, batch };
}

function refuseChanges(
  record: ProblemRecord,
  project: ProblemRecord['project'],
  { folder, service }: OpenOptions,
): void {
  const how = 'start over with fresh: true, or give another name.';
  if (record.service !== service) {
    const where = record.service ?? 'a local service';
    throw new ChangedProblemError(`The problem in ${folder.path} was begun on ${where}: go on there, ${how}`);
  }
  const fields = [...new Set([...Object.keys(record.project), ...Object.keys(project)])] as (keyof typeof project)[];
  const changed = fields.filter(
    (field) => field !== 'name' && field !== 'caseCount' && textOf(record.project[field]) !== textOf(project[field]),
  );
  if (changed.length === 0) return;
  const list = changed.map((field) => `${field}: ${textOf(record.project[field])} became ${textOf(project[field])}`);
  throw new ChangedProblemError(
    `The runs in ${folder.path} are of other inputs or outputs: ${list.join('; ')}. Take the change back, ${how}`,
  );
}

/** Whether the batch ended for want of the outputs that failed runs give now. */
async function retryRuns(
  { id, retried = 0 }: BatchRecord,
  { modelId, projectId }: ProblemRecord,
  { client, problem, retries, runsBefore }: OpenOptions,
): Promise<boolean> {
  if (retries.count === 0) return false;
  const path = { batch_id: id! };
  const { status, trialId } = (await client.call('getBatch', { path })).body;
  if (trialId !== null) await retries.run({ modelId: modelId!, projectId: projectId!, trialId });
  if (!retries.areNews(retried, trialId !== null)) return false;
  if (status === 'failed') return true;
  if (status !== 'completed' || (problem.budget !== undefined && runsBefore >= problem.budget)) return false;
  const { body: objectives } = await client.call('listBatchObjectives', { path });
  return objectives.some(({ stopReason }) => stopReason === 'STOPPED');
}

function isSame(batch: BatchRecord, wanted: Pick<BatchRecord, 'objective' | 'budget'>): boolean {
  return textOf(batch.objective) === textOf(wanted.objective) && batch.budget === wanted.budget;
}

/** As it is after a round trip through a file. */
function textOf(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

function attemptsOf({ budget }: Problem, designed: number, runsBefore: number): number | undefined {
  if (budget === undefined) return undefined;
  const before = Math.max(designed, runsBefore);
  if (before < budget) return budget - before;
  throw new BudgetError(
    runsBefore > designed
      ? `All ${budget} runs of the budget are used up, ${runsBefore} so far: raise budget to go on.`
      : `A budget of ${budget} leaves nothing after the ${designed} designed runs: allow more, or design fewer with cases.`,
  );
}

async function follow(client: Backsolve, id: number, { parallel = 1 }: Problem): Promise<Batch> {
  const path = { batch_id: id };
  const { body: batch } = await client.call('getBatch', { path });
  if (!isOpen(batch)) return batch;
  if (batch.isPaused) await client.call('resumeBatch', { path });
  if (batch.parallelism !== parallel) await client.call('updateBatch', { path, body: { parallelism: parallel } });
  return batch;
}

export function isOpen({ status }: Pick<Batch, 'status'>): boolean {
  return status === 'evaluating-cases' || status === 'solving';
}
