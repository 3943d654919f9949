import type { Trx } from '../db/connection/transaction.ts';
import { insertEvents } from '../db/webhooks/events.ts';
import type { Objective } from '../domain/search/objective.ts';
import { endEvent, type NewEvent } from '../domain/webhooks/event.ts';

/** The given events, with one more when the objective has ended with them. */
export function withEnd(
  happened: readonly NewEvent[],
  objective: Pick<Objective, 'id' | 'stopReason'>,
): readonly NewEvent[] {
  const end = endEvent(objective.stopReason);
  return end === undefined ? happened : [...happened, { name: end, resourceId: objective.id }];
}

/** Records events on the caller's transaction: they are delivered if and only if it commits. Workers hear of it then. */
export async function recordEvents(
  trx: Trx,
  accountId: number,
  happened: readonly NewEvent[],
  objective?: Pick<Objective, 'id' | 'stopReason'>,
): Promise<void> {
  const events = objective === undefined ? happened : withEnd(happened, objective);
  if (events.length > 0) await insertEvents(trx, accountId, events);
}
