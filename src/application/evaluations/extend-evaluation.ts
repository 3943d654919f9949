/** A heartbeat: the evaluator still runs the evaluation, and learns whether anybody still wants its output. */

import type { Db, Trx } from '../../db/connection/transaction.ts';
import { extendLease, findEndedLease, type Heartbeat } from '../../db/evaluations/evaluations.ts';
import { notFound } from '../../domain/errors.ts';
import { leaseLost } from './finish-evaluation.ts';

export interface HeartbeatAnswer {
  /** null when the evaluation is over. */
  readonly leaseExpiresAt: Date | null;
  readonly isWanted: boolean;
}

/** Throws NOT_FOUND, LEASE_LOST. */
export async function extendEvaluation(db: Db | Trx, heartbeat: Heartbeat): Promise<HeartbeatAnswer> {
  const extended = await extendLease(db, heartbeat);
  if (extended !== undefined) return extended;
  const ended = await findEndedLease(db, heartbeat);
  const { id } = heartbeat;
  if (ended === undefined) throw notFound('evaluation', id);
  const { state, isOwn, timeoutSeconds } = ended;
  if (!isOwn) throw leaseLost(id, 'another evaluator has claimed it');
  if (state === 'waiting') throw leaseLost(id, 'it was handed back');
  if (state === 'leased') throw leaseLost(id, `one try may take ${timeoutSeconds} s, and this one took longer`);
  return { leaseExpiresAt: null, isWanted: false };
}
