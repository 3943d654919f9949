import { insertEvents } from '../db/events.ts';
import type { Trx } from '../db/transaction.ts';
import { endEvent, type NewEvent } from '../domain/event.ts';
import type { Objective } from '../domain/objective.ts';

/**
 * Records what happened on the caller's transaction: it is told to webhooks if and only if that commits. An `objective`
 * that has ended with it makes one more event. Workers hear of it on commit.
 */
export async function recordEvents(
  trx: Trx,
  accountId: number,
  happened: readonly NewEvent[],
  objective?: Pick<Objective, 'id' | 'stopReason'>,
): Promise<void> {
  const end = objective && endEvent(objective.stopReason);
  const events = end === undefined ? happened : [...happened, { name: end, resourceId: objective!.id }];
  if (events.length > 0) await insertEvents(trx, accountId, events);
}
