/** Batches as their owner sees them, and what became of their objectives. */
import * as objectivesOf from '../../db/batches/batch-objectives.ts';
import * as batches from '../../db/batches/batches.ts';
import type { Db, Trx } from '../../db/connection/transaction.ts';
import { findProject } from '../../db/problem/projects.ts';
import { findObjectives } from '../../db/search/objectives.ts';
import type { BatchWithProgress } from '../../domain/batches/batch.ts';
import { type CaseColumns, toCaseColumns } from '../../domain/data/case-columns.ts';
import { notFound } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Answer } from '../../domain/search/answer.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { readAnswers } from '../search/read-answers.ts';
import { rowsPerRead } from '../search/read-objectives.ts';

/** Throws NOT_FOUND. */
export async function getBatch(db: Db | Trx, accountId: number, batchId: number): Promise<BatchWithProgress> {
  const batch = await batches.findBatch(db, accountId, batchId);
  if (batch === undefined) throw notFound('batch', batchId);
  return batch;
}

export function listBatches(
  db: Db,
  accountId: number,
  filter: batches.BatchFilter,
  page: PageRequest,
): Promise<Page<BatchWithProgress>> {
  return batches.listBatches(db, accountId, filter, page);
}

/** An objective of a batch, with its answer so far. */
export interface BatchObjective extends objectivesOf.BatchObjectiveRow {
  /** null until its time has come, and once it is purged. */
  readonly objective: Objective | null;
  readonly answer: Answer | null;
}

export interface BatchObjectives {
  readonly columns: CaseColumns;
  /** The position after which the next page begins; null on the last one. */
  readonly nextAfter: number | null;
  readonly batches: AsyncIterable<readonly BatchObjective[]>;
}

/** In the order of the batch, read while they are written. Throws NOT_FOUND. */
export async function listBatchObjectives(
  db: Db,
  accountId: number,
  batchId: number,
  { limit, after }: PageRequest,
): Promise<BatchObjectives> {
  const batch = await getBatch(db, accountId, batchId);
  const project = (await findProject(db, accountId, batch.projectId))!;
  const from = after ?? 0;
  const { planned } = batch.progress.objectives;
  const nextAfter = from + limit < planned ? from + limit : null;
  const numbers = 6 * batch.outputCount + 3 * project.inputCount;
  return {
    columns: toCaseColumns({ ...project, ...project.names, outputCount: batch.outputCount }),
    nextAfter,
    batches: readRows(db, accountId, batchId, { limit, after: from }, rowsPerRead(numbers)),
  };
}

async function* readRows(
  db: Db,
  accountId: number,
  batchId: number,
  { limit, after }: PageRequest,
  size: number,
): AsyncGenerator<readonly BatchObjective[], void> {
  let last = after ?? 0;
  for (let left = limit; left > 0; ) {
    const request = { limit: Math.min(size, left), after: last };
    const rows = await objectivesOf.listBatchObjectives(db, accountId, batchId, request);
    if (rows.length === 0) return;
    yield await withAnswers(db, accountId, rows);
    last = rows.at(-1)!.position;
    left -= rows.length;
  }
}

async function withAnswers(
  db: Db,
  accountId: number,
  rows: readonly objectivesOf.BatchObjectiveRow[],
): Promise<readonly BatchObjective[]> {
  const ids = rows.flatMap(({ objectiveId }) => objectiveId ?? []);
  const found = await findObjectives(db, accountId, ids);
  const objectives = new Map(found.map((one) => [one.id, one]));
  const answers = await readAnswers(db, found);
  return rows.map((row) => {
    const objective = objectives.get(row.objectiveId ?? 0) ?? null;
    return { ...row, objective, answer: answers.get(row.objectiveId ?? 0)?.answer ?? null };
  });
}
