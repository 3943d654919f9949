/** Deliveries: attempts, pauses, leases, fairness, and what receivers get. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deliverEvent, releaseDelivery, tidyEvents } from '../../../src/application/webhooks/deliver-events.ts';
import { deleteWebhook, redeliver, updateWebhook } from '../../../src/application/webhooks/manage-webhooks.ts';
import { renderEvent } from '../../../src/application/webhooks/render-event.ts';
import { inTransaction } from '../../../src/db/connection/transaction.ts';
import { insertEvents, markDelivered, markFailed } from '../../../src/db/webhooks/events.ts';
import {
  type EventForm,
  type EventName,
  type LeasedDelivery,
  MAXIMUM_DELIVERY_ATTEMPTS,
  RETRY_DELAYS_MS,
  type RecordedEvent,
} from '../../../src/domain/webhooks/event.ts';
import { eventSchema, sdkEvents } from '../../../src/http/sdk/events.wire.ts';
import { loadLinearObjective } from '../../support/fixtures.ts';
import { judgeUrl, MAXIMUM_BYTES, type Outbox, openOutbox, send } from './outbox.ts';
import { closedPort, openReceiver, type Receiver } from './receiver.ts';

let outbox: Outbox;
let receiver: Receiver;
let projectId: number;
beforeAll(async () => {
  outbox = await openOutbox();
  receiver = await openReceiver();
  projectId = (await loadLinearObjective(outbox)).project.id;
});
afterEach(async () => {
  receiver.reply = 204;
  await outbox.clear();
});
afterAll(async () => {
  await receiver.close();
  await outbox.close();
});

/** Records `count` events about one project. */
async function record(count = 1, name: EventName = 'project.created'): Promise<void> {
  const events = Array.from({ length: count }, () => ({ name, resourceId: projectId }));
  await inTransaction(outbox.db, (trx) => insertEvents(trx, outbox.accountId, events));
}

const path = (name: string) => `${receiver.url}/${name}`;
const receivedAt = (name: string) => receiver.received.filter((one) => one.path === `/hook/${name}`);

describe('a receiver', () => {
  it('A receiver gets the body that clients expect, with a signature that the official verifier accepts', async () => {
    const { secret } = await outbox.register(path('signed'));
    await record();
    expect(await outbox.drain()).toEqual([{ kind: 'delivered', status: 204 }]);
    const [got] = receivedAt('signed');
    const body = new Verifier(secret).verify(got!.body, { ...got!.headers });
    const event = eventSchema.parse(body);
    expect(event).toMatchObject({
      name: 'project.created',
      subject: `project/${projectId}`,
      disabledAt: null,
      data: { id: projectId, name: 'linear', inputTypes: ['float', 'float'], trials: [] },
    });
    expect(got!.headers['webhook-id']).toBe(`evt_${event.id}`);
  });

  it('A receiver gets each kind of record', async () => {
    await outbox.register(path('kinds'));
    const { trial, objective } = await loadLinearObjective(outbox);
    const suggested = { name: 'inverse.suggested', resourceId: objective.inverses[0]!.id } as const;
    const output = { name: 'inverse.output_loaded', resourceId: objective.id } as const;
    await inTransaction(outbox.db, (trx) => insertEvents(trx, outbox.accountId, [suggested, output]));
    await outbox.drain();
    const events = receivedAt('kinds').map(({ body }) => eventSchema.parse(JSON.parse(body)));
    expect(events.map(({ name, subject, data }) => [name, subject, data.id])).toEqual([
      ['project.created', `project/${trial.projectId}`, trial.projectId],
      ['output_cases.loaded', `trial/${trial.id}`, trial.id],
      ['objectives.loaded', `objective/${objective.id}`, objective.id],
      ['inverse.suggested', `inverse/${suggested.resourceId}`, suggested.resourceId],
      ['inverse.output_loaded', `objective/${objective.id}`, objective.id],
    ]);
  });

  it('A receiver gets the same event again when the worker is killed between the answer and its record', async () => {
    await outbox.register(path('twice'));
    await record();
    const [first] = await outbox.claim();
    const { url, secrets, event } = first!;
    await send({ url, secrets, id: `evt_${event.id}`, body: Buffer.from('{}') }, new AbortController().signal);
    // Nothing was recorded: the lease expires, and another worker takes over.
    await outbox.expire();
    expect(await outbox.drain()).toEqual([{ kind: 'delivered', status: 204 }]);
    expect(receivedAt('twice').map(({ headers }) => headers['webhook-id'])).toEqual([
      `evt_${event.id}`,
      `evt_${event.id}`,
    ]);
    expect(await markDelivered(outbox.db, first!, 204)).toBe(false);
    expect(await outbox.delivery(first!.id)).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('that answers 410 is disabled', async () => {
    receiver.reply = 410;
    const { webhook } = await outbox.register(path('gone'));
    await record();
    expect(await outbox.drain()).toEqual([{ kind: 'failed', error: 'answered 410', isDead: true }]);
    expect(await outbox.webhook(webhook.id)).toMatchObject({ enabled: false });
  });

  it('A receiver gets events about records that have been deleted since', async () => {
    await outbox.register(path('deleted'));
    await record();
    await sql`update projects set disabled_at = now() where id = ${projectId}`.execute(outbox.db);
    await outbox.drain();
    expect(JSON.parse(receivedAt('deleted')[0]!.body).data.disabledAt).not.toBeNull();
  });
});

describe('a failed attempt', () => {
  it('A failed attempt is followed by the next after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h and 12 h, and then by none', async () => {
    receiver.reply = 500;
    const { webhook } = await outbox.register(path('500'));
    await record();
    const pausesMs: number[] = [];
    const outcomes = [];
    for (let attempt = 1; attempt <= MAXIMUM_DELIVERY_ATTEMPTS; attempt++) {
      const [outcome] = await outbox.drain();
      outcomes.push(outcome);
      const { rows } = await sql<{ ms: number; state: string }>`
        select extract(epoch from visible_at - attempted_at)::float8 * 1000 as ms, state
        from webhook_deliveries`.execute(outbox.db);
      if (rows[0]!.state === 'waiting') pausesMs.push(rows[0]!.ms);
      expect(await outbox.drain()).toEqual([]);
      await outbox.expire();
    }
    expect(pausesMs).toHaveLength(RETRY_DELAYS_MS.length);
    const minute = 60_000;
    const expected = [5_000, 30_000, 2 * minute, 10 * minute, 30 * minute, 120 * minute, 360 * minute, 720 * minute];
    // The pause begins with the answer, the measurement with the claim; on a busy machine seconds lie between them.
    pausesMs.forEach((ms, k) => {
      expect(ms).toBeGreaterThanOrEqual(expected[k]!);
      expect(ms).toBeLessThan(expected[k]! + 20_000);
    });
    expect(outcomes.map((outcome) => outcome!.kind === 'failed' && outcome!.isDead)).toEqual([
      ...expected.map(() => false),
      true,
    ]);
    expect(await outbox.claim()).toEqual([]);
    expect(await outbox.webhook(webhook.id)).toMatchObject({ failingSince: expect.any(Date) });
  });

  it('A failed attempt shows the reason to the owner of the webhook', async () => {
    const port = await closedPort();
    receiver.reply = 302;
    await outbox.register(path('redirect'));
    await outbox.register(`http://127.0.0.1:${port}/`);
    await record();
    const errors = (await outbox.drain()).map((outcome) => outcome.kind === 'failed' && outcome.error);
    expect(errors).toEqual(['answered 302; redirects are not followed', 'the connection failed: ECONNREFUSED']);
  });

  it('to render an event is reported with its cause and tried again', async () => {
    await outbox.register(path('unrendered'));
    await record();
    const [delivery] = await outbox.claim();
    const form: EventForm = {
      ...sdkEvents,
      render: () => {
        throw new Error('no such field');
      },
    };
    const bodyOf = (event: RecordedEvent) => renderEvent({ db: outbox.db, form, maximumBytes: MAXIMUM_BYTES }, event);
    const deps = { db: outbox.db, send, bodyOf };
    const outcome = await deliverEvent(deps, delivery!, new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'failed', isDead: false, cause: new Error('no such field') });
    await outbox.expire();
    expect(await outbox.drain()).toMatchObject([{ kind: 'delivered' }]);
  });

  it('for a record that is gone is not repeated', async () => {
    await outbox.register(path('none'));
    const event = { name: 'inverse.suggested', resourceId: 999_999_999 } as const;
    await inTransaction(outbox.db, (trx) => insertEvents(trx, outbox.accountId, [event]));
    expect(await outbox.drain()).toEqual([{ kind: 'failed', error: 'the record is gone', isDead: true }]);
    expect(receivedAt('none')).toEqual([]);
  });
});

describe('a webhook', () => {
  it('A webhook gets a limited number of deliveries at a time, and a failing webhook a single one until it succeeds', async () => {
    const { webhook } = await outbox.register(path('width'));
    await record(10);
    const [first, ...others] = await outbox.claim({ perWebhook: 3 });
    expect(others).toHaveLength(2);
    expect(await outbox.claim({ perWebhook: 3 })).toEqual([]);
    await markFailed(outbox.db, first!, { status: 500, error: 'answered 500', delayMs: 60_000 });
    for (const other of others)
      await markFailed(outbox.db, other, { status: 500, error: 'answered 500', delayMs: 60_000 });
    const [probe, none] = await outbox.claim({ perWebhook: 3 });
    expect(probe).toMatchObject({ webhookId: webhook.id, isFailing: true });
    expect(none).toBeUndefined();
    expect(await outbox.claim({ perWebhook: 3 })).toEqual([]);
    await markDelivered(outbox.db, probe!, 204);
    expect((await outbox.webhook(webhook.id)).failingSince).toBeNull();
    expect(await outbox.claim({ perWebhook: 3 })).toHaveLength(3);
  });

  it('with a long backlog does not use the slots of others', async () => {
    const { webhook: dead } = await outbox.register(path('dead'));
    await record(50);
    await outbox.expire();
    const { webhook: live } = await outbox.register(path('live'));
    await record(2);
    const ids = (claimed: readonly LeasedDelivery[]) => claimed.map(({ webhookId }) => webhookId);
    const claimed = await outbox.claim({ perWebhook: 4 });
    expect(ids(claimed).filter((id) => id === dead.id)).toHaveLength(4);
    expect(ids(claimed).filter((id) => id === live.id)).toHaveLength(2);
  });

  it('that fails does not use the slots reserved for others', async () => {
    receiver.reply = 500;
    const { webhook: failing } = await outbox.register(path('failing'));
    await record();
    await outbox.drain();
    await outbox.expire();
    const { webhook: healthy } = await outbox.register(path('healthy'));
    await record();
    expect(await outbox.claim({ failingLimit: 0 })).toMatchObject([{ webhookId: healthy.id }]);
    expect(await outbox.claim({ healthyLimit: 0 })).toMatchObject([{ webhookId: failing.id, isFailing: true }]);
  });

  it('that is disabled keeps its waiting deliveries and gets them when it is enabled again', async () => {
    const { webhook } = await outbox.register(path('toggled'));
    const toggle = (enabled: boolean) =>
      updateWebhook({ db: outbox.db, judgeUrl }, outbox.accountId, webhook.id, { enabled });
    await record();
    await toggle(false);
    await record();
    expect(await outbox.drain()).toEqual([]);
    await toggle(true);
    expect(await outbox.drain()).toHaveLength(1);
  });

  it('that is deleted takes its deliveries with it, including one under way', async () => {
    const { webhook } = await outbox.register(path('removed'));
    await record(2);
    const [under] = await outbox.claim({ perWebhook: 1 });
    await deleteWebhook(outbox.db, outbox.accountId, webhook.id);
    expect(await outbox.deliver(under!)).toEqual({ kind: 'lost' });
    expect(await outbox.claim()).toEqual([]);
  });
});

describe('redelivery by hand', () => {
  it('Redelivery by hand sends a delivered, a dead and a waiting event again under its id', async () => {
    await outbox.register(path('again'));
    await record();
    const [delivery] = await outbox.claim();
    await outbox.deliver(delivery!);
    const repeat = () => redeliver(outbox.db, outbox.accountId, { deliveryId: delivery!.id });
    expect(await repeat()).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await outbox.drain()).toMatchObject([{ kind: 'delivered' }]);
    await sql`update webhook_deliveries set state = 'dead', attempts = 9`.execute(outbox.db);
    await repeat();
    expect(await outbox.drain()).toMatchObject([{ kind: 'delivered' }]);
    await sql`update webhook_deliveries set state = 'waiting', visible_at = now() + interval '6 hours'`.execute(
      outbox.db,
    );
    await repeat();
    expect(await outbox.drain()).toMatchObject([{ kind: 'delivered' }]);
    expect(new Set(receivedAt('again').map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(receivedAt('again')).toHaveLength(4);
  });

  it('Redelivery by hand takes the lease from an attempt under way, so that another one follows', async () => {
    await outbox.register(path('taken'));
    await record();
    const [under] = await outbox.claim();
    await redeliver(outbox.db, outbox.accountId, { deliveryId: under!.id });
    expect(await outbox.deliver(under!)).toEqual({ kind: 'lost' });
    expect(await outbox.drain()).toMatchObject([{ kind: 'delivered' }]);
    expect(receivedAt('taken')).toHaveLength(2);
  });

  it('Redelivery by hand finds only deliveries of the account', async () => {
    await outbox.register(path('private'));
    await record();
    const [delivery] = await outbox.claim();
    await expect(redeliver(outbox.db, outbox.accountId + 1, { deliveryId: delivery!.id })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('the scheduled pass', () => {
  it('marks deliveries as dead whose worker was killed during the last attempt', async () => {
    await outbox.register(path('buried'));
    await record();
    await sql`update webhook_deliveries set attempts = ${MAXIMUM_DELIVERY_ATTEMPTS - 1}`.execute(outbox.db);
    const [last] = await outbox.claim();
    expect(await tidyEvents(outbox.db)).toEqual({ buried: 0, deleted: 0 });
    await outbox.expire();
    expect(await outbox.claim()).toEqual([]);
    expect(await tidyEvents(outbox.db)).toEqual({ buried: 1, deleted: 0 });
    expect(await outbox.delivery(last!.id)).toMatchObject({ state: 'dead', lastError: expect.any(String) });
  });

  it('deletes old events, except those with an unfinished delivery', async () => {
    await outbox.register(path('old'));
    await record(2);
    const [delivery] = await outbox.claim({ perWebhook: 1 });
    await outbox.deliver(delivery!);
    expect(await tidyEvents(outbox.db)).toEqual({ buried: 0, deleted: 0 });
    await sql`update events set created_at = now() - interval '31 days'`.execute(outbox.db);
    expect(await tidyEvents(outbox.db)).toEqual({ buried: 0, deleted: 1 });
    expect(await outbox.eventNames()).toHaveLength(1);
    await expect(outbox.delivery(delivery!.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('a delivery has at most one live holder and stays delivered once recorded, in any order of events', async () => {
  const actions = fc.array(
    fc.record({
      action: fc.constantFrom('claim', 'expire', 'fail', 'release', 'deliver', 'redeliver'),
      holder: fc.nat({ max: 5 }),
    }),
    { minLength: 5, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(actions, async (steps) => {
      await outbox.clear();
      await outbox.register(path('any'));
      await record();
      const leases: LeasedDelivery[] = [];
      let live: string | undefined;
      for (const { action, holder } of steps) {
        const lease = leases[holder % Math.max(1, leases.length)];
        const isLive = lease !== undefined && lease.leaseToken === live;
        if (action === 'claim') {
          const claimed = await outbox.claim();
          expect(claimed.length).toBeLessThanOrEqual(1);
          leases.push(...claimed);
          live = claimed[0]?.leaseToken ?? live;
        } else if (action === 'expire') await outbox.expire();
        else if (lease === undefined) continue;
        else if (action === 'redeliver') {
          await redeliver(outbox.db, outbox.accountId, { deliveryId: lease.id });
          live = undefined;
        } else {
          if (action === 'release') await releaseDelivery(outbox.db, lease);
          else if (action === 'deliver') expect(await markDelivered(outbox.db, lease, 204)).toBe(isLive);
          else expect(await markFailed(outbox.db, lease, { status: 500, error: 'x', delayMs: 0 })).toBe(isLive);
          if (isLive) live = undefined;
        }
      }
    }),
    { numRuns: 25 },
  );
});
