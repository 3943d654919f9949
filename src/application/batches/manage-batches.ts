/** Changes of a batch by its owner, and its end. */
import { cancelEvaluations } from '../../db/batches/batch-evaluations.ts';
import * as objectivesOf from '../../db/batches/batch-objectives.ts';
import * as batches from '../../db/batches/batches.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import {
  type Batch,
  BatchStatus,
  type BatchWithProgress,
  isOpen,
  refuseEndedBatch,
} from '../../domain/batches/batch.ts';
import { notFound } from '../../domain/errors.ts';
import { recordEvents } from '../record-event.ts';
import { stopObjective } from '../search/stop-objective.ts';

export interface BatchPatch {
  readonly name?: string | null | undefined;
  readonly parallelism?: number | undefined;
}

/** The name can be changed at any time. Throws NOT_FOUND, and BATCH_ENDED for another parallelism of a batch that has ended. */
export function updateBatch(db: Db, accountId: number, batchId: number, patch: BatchPatch): Promise<BatchWithProgress> {
  return change(db, accountId, batchId, async (trx, batch) => {
    const { name, parallelism } = patch;
    if (parallelism !== undefined && parallelism !== batch.parallelism) refuseEndedBatch(batch);
    await batches.updateBatch(trx, batchId, {
      ...(name !== undefined && { name }),
      ...(parallelism !== undefined && { parallelism }),
    });
  });
}

/**
 * While a batch is paused nothing of it is handed out and nothing new is suggested; outputs of what is under way are taken. Pausing
 * again changes nothing. Throws NOT_FOUND, BATCH_ENDED.
 */
export function pauseBatch(db: Db, accountId: number, batchId: number): Promise<BatchWithProgress> {
  return setPaused(db, accountId, batchId, true);
}

/** Throws NOT_FOUND, BATCH_ENDED. */
export function resumeBatch(db: Db, accountId: number, batchId: number): Promise<BatchWithProgress> {
  return setPaused(db, accountId, batchId, false);
}

function setPaused(db: Db, accountId: number, batchId: number, isPaused: boolean): Promise<BatchWithProgress> {
  return change(db, accountId, batchId, async (trx, batch) => {
    refuseEndedBatch(batch);
    if (batch.isPaused !== isPaused) await batches.updateBatch(trx, batchId, { isPaused });
    if (!isPaused) await batches.tellClaimable(trx, batchId);
  });
}

/**
 * Stops the running objectives of the batch and cancels its evaluations. One that has ended stays as it is: cancelling again is not
 * an error. Throws NOT_FOUND.
 */
export function cancelBatch(db: Db, accountId: number, batchId: number): Promise<BatchWithProgress> {
  return change(db, accountId, batchId, async (trx, batch) => {
    if (isOpen(batch.status)) await endBatch(trx, accountId, batchId, { status: BatchStatus.cancelled, reason: null });
  });
}

async function change(
  db: Db,
  accountId: number,
  batchId: number,
  apply: (trx: Trx, batch: Batch) => Promise<void>,
): Promise<BatchWithProgress> {
  return inTransaction(db, async (trx) => {
    await apply(trx, await lockBatch(trx, accountId, batchId));
    return (await batches.findBatch(trx, accountId, batchId))!;
  });
}

/** The batch, locked. Throws NOT_FOUND. */
export async function lockBatch(trx: Trx, accountId: number, batchId: number): Promise<Batch> {
  const batch = await batches.lockBatch(trx, accountId, batchId);
  if (batch === undefined) throw notFound('batch', batchId);
  return batch;
}

export interface BatchEnd {
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** null: none is needed. */
  readonly reason: string | null;
}

/**
 * Ends an open batch whose lock the caller holds. Evaluations come before objectives, as everywhere. Events: objective.stopped for what
 * still runs, and batch.completed or batch.failed.
 */
export async function endBatch(
  trx: Trx,
  accountId: number,
  batchId: number,
  { status, reason }: BatchEnd,
): Promise<void> {
  await batches.updateBatch(trx, batchId, { status, failureReason: reason });
  await cancelEvaluations(trx, batchId, 'all');
  for (const objectiveId of await objectivesOf.listRunningIds(trx, batchId)) {
    await stopObjective(trx, accountId, { objectiveId }, { kind: 'batch' });
  }
  if (status !== BatchStatus.cancelled) {
    await recordEvents(trx, accountId, [{ name: `batch.${status}`, resourceId: batchId }]);
  }
}
