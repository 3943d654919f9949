/**
 * From a claimed delivery to its outcome: renders the body, sends it and records the outcome. Nothing is locked in between. If the
 * worker is killed between the answer and the record, the lease expires and the event is sent again under the same id:
 * delivery is at least once.
 */

import type { Db } from '../../db/connection/transaction.ts';
import {
  buryExhaustedDeliveries,
  deleteOldEvents,
  disableReceiver,
  markDelivered,
  markFailed,
} from '../../db/webhooks/events.ts';
import { removeUnconfirmed } from '../../db/webhooks/recipients.ts';
import {
  deliveryDelayMs,
  type LeasedDelivery,
  type ReceiverKind,
  type RecordedEvent,
} from '../../domain/webhooks/event.ts';
import type { Attempt, SendEvent } from '../../outside/webhooks/deliver.ts';
import { untilWritten } from '../until-written.ts';
import { EventNotRendered } from './render-event.ts';

export { claimDeliveries, EVENTS_CHANNEL, releaseDelivery } from '../../db/webhooks/events.ts';

export interface DeliverDeps {
  readonly db: Db;
  readonly send: SendEvent;
  /** The body of an event; undefined when its record is gone, null where there is nothing to tell any more. Throws as renderEvent does. */
  readonly bodyOf: (event: RecordedEvent, delivery: LeasedDelivery) => Promise<Uint8Array | undefined | null>;
}

export type DeliveryOutcome =
  /** null: there was nothing to tell any more. */
  | { readonly kind: 'delivered'; readonly status: number | null }
  /** Another attempt follows, unless `isDead`. */
  | { readonly kind: 'failed'; readonly error: string; readonly isDead: boolean; readonly cause?: unknown }
  /** Another worker has the delivery, or it was reopened or deleted in the meantime. */
  | { readonly kind: 'lost' };

/** Statuses of a receiver that is gone for good, which is disabled: of HTTP (Standard Webhooks), and of SMTP for an unknown mailbox. */
const GONE: Readonly<Record<ReceiverKind, readonly number[]>> = { http: [410], mail: [550, 551, 553] };

/** Throws when the database is unreachable, and the signal's reason when the signal fires; the lease then expires. */
export async function deliverEvent(
  deps: DeliverDeps,
  delivery: LeasedDelivery,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  let body: Uint8Array | undefined | null;
  try {
    body = await deps.bodyOf(delivery.event, delivery);
  } catch (error) {
    if (!(error instanceof EventNotRendered)) throw error;
    const outcome = await fail(deps.db, delivery, { status: null, error: error.message }, false);
    return { ...outcome, ...(outcome.kind === 'failed' && { cause: error.cause }) };
  }
  if (body === undefined) return fail(deps.db, delivery, { status: null, error: 'the record is gone' }, true);
  if (body === null) return untilWritten(signal, () => succeed(deps.db, delivery, null));
  const { kind, url, secrets } = delivery;
  const attempt = await deps.send({ kind, url, secrets, id: `evt_${delivery.event.id}`, body }, signal);
  // Without a record it would be sent again.
  return untilWritten(signal, () => finish(deps.db, delivery, attempt));
}

async function finish(db: Db, delivery: LeasedDelivery, attempt: Attempt): Promise<DeliveryOutcome> {
  if (attempt.kind === 'unanswered') return fail(db, delivery, { status: null, error: attempt.reason }, false);
  const { status } = attempt;
  if (status >= 200 && status < 300) return succeed(db, delivery, status);
  const isRedirect = status >= 300 && status < 400;
  const error = isRedirect ? `answered ${status}; redirects are not followed` : `answered ${status}`;
  const isGone = GONE[delivery.kind].includes(status);
  const outcome = await fail(db, delivery, { status, error: attempt.reason ?? error }, isGone);
  if (isGone && outcome.kind === 'failed') {
    await disableReceiver(db, delivery.event.accountId, delivery.webhookId);
  }
  return outcome;
}

async function succeed(db: Db, delivery: LeasedDelivery, status: number | null): Promise<DeliveryOutcome> {
  return (await markDelivered(db, delivery, status)) ? { kind: 'delivered', status } : { kind: 'lost' };
}

async function fail(
  db: Db,
  delivery: LeasedDelivery,
  failed: { readonly status: number | null; readonly error: string },
  isHopeless: boolean,
): Promise<DeliveryOutcome> {
  const delayMs = isHopeless ? undefined : deliveryDelayMs(delivery.attempt);
  const isMarked = await markFailed(db, delivery, { ...failed, delayMs });
  return isMarked ? { kind: 'failed', error: failed.error, isDead: delayMs === undefined } : { kind: 'lost' };
}

/** Long enough to investigate a failure after a holiday. */
const KEPT_DAYS = 30;
/** Most events of one pass. */
const PASS_LIMIT = 5_000;

/** One pass: marks deliveries without attempts left as dead and deletes old events. */
export async function tidyEvents(db: Db): Promise<{ readonly buried: number; readonly deleted: number }> {
  const buried = await buryExhaustedDeliveries(db);
  await removeUnconfirmed(db);
  return { buried, deleted: await deleteOldEvents(db, KEPT_DAYS, PASS_LIMIT) };
}
