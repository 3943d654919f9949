/** An account with webhooks, and the steps of a delivery as functions that tests call one by one. */
import { sql } from 'kysely';
import { claimDeliveries, deliverEvent } from '../../../src/application/webhooks/deliver-events.ts';
import { createWebhook, getDelivery, getWebhook } from '../../../src/application/webhooks/manage-webhooks.ts';
import { renderEvent } from '../../../src/application/webhooks/render-event.ts';
import type { ClaimOptions } from '../../../src/db/webhooks/events.ts';
import type { EventName, LeasedDelivery, RecordedEvent } from '../../../src/domain/webhooks/event.ts';
import { sdkEvents } from '../../../src/http/sdk/events.wire.ts';
import { makeSender } from '../../../src/outside/webhooks/deliver.ts';
import { makeUrlJudge, resolveBySystem } from '../../../src/outside/webhooks/target-guard.ts';
import { openTestAccount, type TestAccount } from '../../support/fixtures.ts';

export const judgeUrl = makeUrlJudge({ allowPrivate: true });

/** Long enough for a busy machine, short enough for tests of a receiver that never answers. */
const TIMEOUT_MS = 1_500;

/** The default setting. */
export const MAXIMUM_BYTES = 256 * 1024;

export const send = makeSender({
  allowPrivate: true,
  timeoutMs: TIMEOUT_MS,
  resolve: resolveBySystem,
  userAgent: 'Backsolve',
  now: Date.now,
});

const LIMITS: ClaimOptions = {
  healthyLimit: 100,
  failingLimit: 100,
  perWebhook: 100,
  leaseMs: 60_000,
  workerName: 'test',
};

export interface Outbox extends TestAccount {
  /** Registers a webhook and returns it with the text of its secret. */
  register(url: string, eventNames?: readonly EventName[] | null): ReturnType<typeof createWebhook>;
  claim(limits?: Partial<ClaimOptions>): Promise<readonly LeasedDelivery[]>;
  /** Sends the due deliveries one after the other and returns their outcomes. */
  drain(): Promise<readonly Awaited<ReturnType<typeof deliverEvent>>[]>;
  deliver(delivery: LeasedDelivery): ReturnType<typeof deliverEvent>;
  /** Names of all recorded events, oldest first. */
  eventNames(): Promise<readonly string[]>;
  /** Ends all leases and pauses, by the database's clock. */
  expire(): Promise<unknown>;
  webhook(id: number): ReturnType<typeof getWebhook>;
  delivery(id: number): ReturnType<typeof getDelivery>;
  /** Empties the outbox and removes the webhooks. */
  clear(): Promise<unknown>;
}

export async function openOutbox(maximumBytes = MAXIMUM_BYTES): Promise<Outbox> {
  const account = await openTestAccount();
  const { db, accountId } = account;
  const bodyOf = (event: RecordedEvent) => renderEvent({ db, form: sdkEvents, maximumBytes }, event);
  const deps = { db, send, bodyOf };
  const deliver = (delivery: LeasedDelivery) => deliverEvent(deps, delivery, new AbortController().signal);
  const claim = (limits: Partial<ClaimOptions> = {}) => claimDeliveries(db, { ...LIMITS, ...limits });
  return {
    ...account,
    register: (url, eventNames = null) =>
      createWebhook({ db, judgeUrl }, accountId, { url, description: null, eventNames }),
    claim,
    deliver,
    drain: async () => {
      const outcomes = [];
      const claimed = (await claim()).toSorted((a, b) => a.id - b.id);
      for (const delivery of claimed) outcomes.push(await deliver(delivery));
      return outcomes;
    },
    eventNames: async () => {
      const rows = await db.selectFrom('events').select('name').orderBy('id').execute();
      return rows.map(({ name }) => name);
    },
    expire: () =>
      sql`update webhook_deliveries set visible_at = now() - interval '1 ms' where state in ('waiting', 'leased')`.execute(
        db,
      ),
    webhook: (id) => getWebhook(db, accountId, id),
    delivery: (deliveryId) => getDelivery(db, accountId, { deliveryId }),
    clear: async () => {
      await sql`delete from webhooks`.execute(db);
      await sql`delete from events`.execute(db);
    },
  };
}
