/**
 * Deleted records are kept for a set time and then purged: removed for good with everything below them, in transactions of
 * some rows each. Any number of workers purge simultaneously, each a different deletion. What a worker leaves unfinished is purged in
 * the next pass of any worker.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Db, inTransaction, isDatabaseAway, type Trx } from '../../db/connection/transaction.ts';
import * as deletions from '../../db/deletion/deletions.ts';
import { isDeleted, removeSome } from '../../db/deletion/purge.ts';
import { enableTree, holdDeletion } from '../../db/deletion/restore.ts';
import { makeNotesDue } from '../../db/notes/notes.ts';
import type { Deletion } from '../../domain/accounts/storage.ts';
import { DomainError, makeViolation, notFound } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { refusingTakenName } from '../problem/manage-models.ts';

export function listDeleted(db: Db, accountId: number, keptDays: number, page: PageRequest): Promise<Page<Deletion>> {
  return deletions.listDeletions(db, accountId, keptDays, page);
}

/** Makes all deletions so far, those of notes too, or one of them, due at the next pass. Throws NOT_FOUND for an unknown deletion. */
export async function purgeAtOnce(db: Db, accountId: number, deletionId: number | null): Promise<void> {
  // Again after a deadlock: a purge locks the deletions within a model after that of the model.
  const count = await inTransaction(db, async (trx) => {
    if (deletionId === null) await makeNotesDue(trx, accountId);
    return deletions.makeDue(trx, accountId, deletionId);
  });
  if (count === 0 && deletionId !== null) throw notFound('deletion', deletionId);
}

/**
 * Takes a deletion back, with everything that fell with it; searches that it stopped and batches that it cancelled stay so. One
 * transaction. Throws NOT_FOUND for an unknown deletion or one whose purge has begun, VALIDATION_FAILED for a name that is taken by now
 * and for a record whose parent is deleted as well.
 */
export async function restoreDeletion(db: Db, accountId: number, deletionId: number): Promise<void> {
  let name = '';
  await refusingTakenName(
    () =>
      inTransaction(db, async (trx) => {
        const held = await holdDeletion(trx, accountId, deletionId);
        if (held === undefined || held.isBeingPurged) throw notFound('deletion', deletionId);
        const { kind, recordId } = held;
        name = held.name ?? '';
        if (held.isOrphan) {
          const message = `The ${kind} ${recordId} is in something that is deleted as well: restore that first.`;
          throw new DomainError('VALIDATION_FAILED', message, { violations: [makeViolation([], message)] });
        }
        await enableTree(trx, accountId, deletionId, kind, recordId);
      }),
    () => name,
  );
}

export interface PurgeOptions {
  /** Days between a deletion and its purge. */
  readonly keptDays: number;
  /** Ends the pass between two transactions. */
  readonly signal?: AbortSignal;
  /** The longest pass; the next one continues. Unless given, 20 of the 60 seconds between passes, to leave time for other work. */
  readonly limitMs?: number;
}

const LIMIT_MS = 20_000;

/**
 * One pass: purges what is due. Returns how many rows and how many deletions are gone. A deletion that cannot be purged does
 * not hold up the others; its error is thrown at the end.
 */
export async function purgeDeleted(
  db: Db,
  { keptDays, signal, limitMs = LIMIT_MS }: PurgeOptions,
): Promise<{ readonly rows: number; readonly deletions: number }> {
  const startedAt = performance.now();
  const counts = { rows: 0, deletions: 0 };
  const passedOver: number[] = [];
  const failures: unknown[] = [];
  while (!signal?.aborted && performance.now() - startedAt < limitMs) {
    let id: number | undefined;
    try {
      const removed = await inTransaction(db, async (trx) => {
        const deletion = await deletions.lockDueDeletion(trx, keptDays, passedOver);
        id = deletion?.id;
        return deletion && purgeSome(trx, deletion);
      });
      if (removed === undefined) break;
      if (removed === 'gone') counts.deletions += 1;
      else if (removed === 'busy') passedOver.push(id!);
      else counts.rows += removed;
    } catch (error) {
      if (id === undefined || isDatabaseAway(error)) throw error;
      passedOver.push(id);
      failures.push(error);
    }
    await yieldToEventLoop();
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} deletions could not be purged`);
  return counts;
}

/** A record that an operator has restored is left alone. */
async function purgeSome(trx: Trx, deletion: deletions.DueDeletion): Promise<number | 'busy' | 'gone'> {
  const removed = (await isDeleted(trx, deletion)) ? await removeSome(trx, deletion) : 'gone';
  if (removed === 'gone') await deletions.endDeletion(trx, deletion);
  return removed;
}
