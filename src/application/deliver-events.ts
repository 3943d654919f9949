/**
 * From a claimed delivery to its outcome: read the record, render the body, send it, note what came of it. Nothing is
 * locked while it is sent. A worker that ends between the answer and the note leaves a lease that runs out, and the same
 * event is sent again under the same id: at least once.
 */
import { buryExhaustedDeliveries, deleteOldEvents, markDelivered, markFailed } from '../db/events.ts';
import { findInverse } from '../db/inverses.ts';
import { findObjective } from '../db/objectives.ts';
import { findOutputCaseSetWithCases } from '../db/output-case-sets.ts';
import { findProjectWithCases } from '../db/projects.ts';
import type { Db } from '../db/transaction.ts';
import { findTrial } from '../db/trials.ts';
import { updateWebhook } from '../db/webhooks.ts';
import { deliveryDelayMs, type EventRecord, kindOf, type LeasedDelivery, type RecordedEvent } from '../domain/event.ts';
import type { Attempt, PresentEvent, SendEvent } from '../webhooks/deliver.ts';
import { withInverses } from './read-objectives.ts';
import { untilWritten } from './until-written.ts';

export { claimDeliveries, EVENTS_CHANNEL, releaseDelivery } from '../db/events.ts';

export interface DeliverDeps {
  readonly db: Db;
  readonly send: SendEvent;
  readonly present: PresentEvent;
}

export type DeliveryOutcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /** Another attempt follows, unless `isDead`. */
  | { readonly kind: 'failed'; readonly error: string; readonly isDead: boolean; readonly cause?: unknown }
  /** Another worker has the delivery, or it was reopened or deleted meanwhile. */
  | { readonly kind: 'lost' };

/** The receiver says that it is gone for good (Standard Webhooks): its webhook is switched off. */
const GONE = 410;

/** Throws when the database is away, and the signal's reason when that fires; the lease then runs out by itself. */
export async function deliverEvent(
  deps: DeliverDeps,
  delivery: LeasedDelivery,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const record = await readRecord(deps.db, delivery.event);
  if (record === undefined) return fail(deps.db, delivery, { status: null, error: 'the record is gone' }, true);
  let body: string;
  try {
    body = JSON.stringify(deps.present(delivery.event, record));
  } catch (cause) {
    const outcome = await fail(deps.db, delivery, { status: null, error: 'the event could not be rendered' }, false);
    return { ...outcome, ...(outcome.kind === 'failed' && { cause }) };
  }
  const { url, secrets } = delivery;
  const attempt = await deps.send({ url, secrets, id: `evt_${delivery.event.id}`, body }, signal);
  // Unnoted, it would be sent again.
  return untilWritten(signal, () => settle(deps.db, delivery, attempt));
}

async function settle(db: Db, delivery: LeasedDelivery, attempt: Attempt): Promise<DeliveryOutcome> {
  if (attempt.kind === 'unanswered') return fail(db, delivery, { status: null, error: attempt.reason }, false);
  const { status } = attempt;
  if (status >= 200 && status < 300) {
    return (await markDelivered(db, delivery, status)) ? { kind: 'delivered', status } : { kind: 'lost' };
  }
  const isRedirect = status >= 300 && status < 400;
  const error = isRedirect ? `answered ${status}; redirects are not followed` : `answered ${status}`;
  const outcome = await fail(db, delivery, { status, error }, status === GONE);
  if (status === GONE && outcome.kind === 'failed') {
    await updateWebhook(db, delivery.event.accountId, delivery.webhookId, { enabled: false });
  }
  return outcome;
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

/** The record as it is now; deleted ones are still read, so that what happened before is told. */
async function readRecord(db: Db, event: RecordedEvent): Promise<EventRecord | undefined> {
  const { accountId, resourceId: id } = event;
  const kind = kindOf(event.name);
  switch (kind) {
    case 'project': {
      const project = await findProjectWithCases(db, accountId, id);
      return project && { kind, project };
    }
    case 'trial': {
      const trial = await findTrial(db, accountId, id);
      const set = trial && (await findOutputCaseSetWithCases(db, accountId, trial.outputCaseSetId));
      return trial && set && { kind, trial, set };
    }
    case 'objective': {
      const objective = await findObjective(db, accountId, id);
      return objective && { kind, objective: await withInverses(db, accountId, objective) };
    }
    case 'inverse': {
      const inverse = await findInverse(db, accountId, id);
      const objective = inverse && (await findObjective(db, accountId, inverse.objectiveId));
      return inverse && objective && { kind, objective, inverse };
    }
  }
}

/** Long enough to look into a failure after a holiday. */
const KEPT_DAYS = 30;
/** Events of one pass; the rest is left for the next. */
const PASS_LIMIT = 5_000;

/** One pass of tidying up: deliveries without an attempt left are dead, old events go. */
export async function tidyEvents(db: Db): Promise<{ readonly buried: number; readonly deleted: number }> {
  const buried = await buryExhaustedDeliveries(db);
  return { buried, deleted: await deleteOldEvents(db, KEPT_DAYS, PASS_LIMIT) };
}
