/** The delivery loop with real receivers. The tests wait for requests and log lines only. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { renderEvent } from '../../../src/application/webhooks/render-event.ts';
import { Listener } from '../../../src/db/connection/listen.ts';
import type { LeasedDelivery } from '../../../src/domain/webhooks/event.ts';
import { sdkEvents } from '../../../src/http/sdk/events.wire.ts';
import { makeSender } from '../../../src/outside/webhooks/deliver.ts';
import { resolveBySystem } from '../../../src/outside/webhooks/target-guard.ts';
import { type DeliveryLoopDeps, makeDeliveryLoop } from '../../../src/worker/delivery-loop.ts';
import type { WorkLoop } from '../../../src/worker/work-loop.ts';
import { loadLinearObjective } from '../../support/fixtures.ts';
import { MAXIMUM_BYTES, type Outbox, openOutbox } from './outbox.ts';
import { openReceiver, type Receiver, type Reply } from './receiver.ts';

/** Longer than any test. */
const NEVER_MS = 3_600_000;

interface Logged {
  readonly event: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Setup {
  readonly outbox: Outbox;
  receiver(reply?: Reply): Promise<Receiver>;
  loop(change?: Partial<DeliveryLoopDeps>): WorkLoop<LeasedDelivery>;
  /** The next log entry of that name that was not returned before. */
  logged(event: string): Promise<Logged>;
  close(): Promise<void>;
}

async function setUp(): Promise<Setup> {
  const outbox = await openOutbox();
  const closers: (() => Promise<unknown>)[] = [];
  const entries: Logged[] = [];
  const waiting: { readonly event: string; readonly take: (entry: Logged) => void }[] = [];
  const note = (facts: object, event: string) => {
    const entry = { event, facts: facts as Logged['facts'] };
    const at = waiting.findIndex((waiter) => waiter.event === event);
    if (at < 0) entries.push(entry);
    else waiting.splice(at, 1)[0]!.take(entry);
  };
  const listener = new Listener({
    url: outbox.directUrl,
    applicationName: 'backsolve-test-listen',
    heartbeatMs: 5_000,
    reconnectMs: 100,
    onError: () => undefined,
  });
  const listening = Promise.withResolvers<void>();
  listener.subscribe('backsolve_events', () => listening.resolve());
  listener.start();
  await listening.promise;
  return {
    outbox,
    receiver: async (reply) => {
      const receiver = await openReceiver(reply);
      closers.push(() => receiver.close());
      return receiver;
    },
    loop: (change = {}) => {
      const loop = makeDeliveryLoop({
        db: outbox.db,
        listener,
        log: { info: note, warn: note, error: note },
        send: makeSender({
          allowPrivate: true,
          timeoutMs: NEVER_MS,
          resolve: resolveBySystem,
          userAgent: 'Backsolve',
          now: Date.now,
        }),
        bodyOf: (event) => renderEvent({ db: outbox.db, form: sdkEvents, maximumBytes: MAXIMUM_BYTES }, event),
        workerName: 'test',
        concurrency: 8,
        perWebhook: 2,
        leaseMs: NEVER_MS,
        pollIntervalMs: NEVER_MS,
        ...change,
      });
      closers.unshift(() => loop.stop(0));
      loop.start();
      return loop;
    },
    logged: (event) => {
      const at = entries.findIndex((entry) => entry.event === event);
      if (at >= 0) return Promise.resolve(entries.splice(at, 1)[0]!);
      return new Promise((take) => waiting.push({ event, take }));
    },
    close: async () => {
      for (const close of closers) await close();
      await listener.stop();
      await outbox.close();
    },
  };
}

let t: Setup;
beforeEach(async () => {
  t = await setUp();
});
afterEach(() => t.close());

it('an event reaches its receiver without waiting for the poll', async () => {
  const receiver = await t.receiver();
  await t.outbox.register(receiver.url);
  t.loop();
  await loadLinearObjective(t.outbox);
  const names = new Set<string>();
  for (let k = 0; k < 3; k++) names.add(JSON.parse((await receiver.next()).body).name);
  expect(names).toEqual(new Set(['project.created', 'output_cases.loaded', 'objectives.loaded']));
  for (let k = 0; k < 3; k++) await t.logged('event.delivered');
  expect(await t.outbox.claim()).toEqual([]);
});

it('deliveries due before the start are sent, and the poll finds those that become due', async () => {
  const receiver = await t.receiver(500);
  await t.outbox.register(receiver.url, ['project.created']);
  await loadLinearObjective(t.outbox);
  t.loop({ pollIntervalMs: 20 });
  expect((await t.logged('event.not-delivered')).facts).toMatchObject({ attempt: 1, error: 'answered 500' });
  receiver.reply = 204;
  await t.outbox.expire();
  expect((await t.logged('event.delivered')).facts).toMatchObject({ attempt: 2, status: 204 });
});

it('receivers that hang do not delay another, however many deliveries wait for them', async () => {
  const hanging = await Promise.all([1, 2, 3].map(() => t.receiver('hang')));
  for (const { url } of hanging) await t.outbox.register(url);
  for (let k = 0; k < 3; k++) await loadLinearObjective(t.outbox);
  // They hung before: one slot each, and never more than half of all slots.
  await sql`update webhooks set failing_since = now()`.execute(t.outbox.db);
  const live = await t.receiver();
  t.loop({ concurrency: 4 });
  for (const { next } of hanging.slice(0, 2)) await next();
  await t.outbox.register(live.url);
  for (let k = 0; k < 5; k++) {
    await loadLinearObjective(t.outbox);
    for (let n = 0; n < 3; n++) await live.next();
  }
  expect(hanging.map(({ received }) => received.length)).toEqual([1, 1, 0]);
});

it('a receiver that hangs for the first time gets no more than its own slots', async () => {
  const hanging = await t.receiver('hang');
  const live = await t.receiver();
  await t.outbox.register(hanging.url);
  t.loop();
  await loadLinearObjective(t.outbox);
  await hanging.next();
  await hanging.next();
  await t.outbox.register(live.url);
  await loadLinearObjective(t.outbox);
  for (let n = 0; n < 3; n++) await live.next();
  expect(hanging.received).toHaveLength(2);
});

it('a stopping worker hands back unfinished attempts without counting them', async () => {
  const receiver = await t.receiver('hang');
  await t.outbox.register(receiver.url, ['project.created']);
  const loop = t.loop();
  await loadLinearObjective(t.outbox);
  await receiver.next();
  await loop.stop(0);
  expect((await t.logged('event.interrupted')).facts).toMatchObject({ isLeaving: true });
  expect(await t.outbox.claim()).toMatchObject([{ attempt: 1 }]);
});

it('a stopping worker lets an attempt finish within the grace period', async () => {
  const answered = Promise.withResolvers<void>();
  const receiver = await t.receiver((response) => void answered.promise.then(() => response.writeHead(204).end()));
  await t.outbox.register(receiver.url, ['project.created']);
  const loop = t.loop();
  await loadLinearObjective(t.outbox);
  await receiver.next();
  const stopped = loop.stop(NEVER_MS);
  answered.resolve();
  await stopped;
  expect((await t.logged('event.delivered')).facts).toMatchObject({ attempt: 1 });
});

it('a receiver that recovers gets its backlog with all its slots', async () => {
  const receiver = await t.receiver(500);
  await t.outbox.register(receiver.url);
  t.loop({ pollIntervalMs: 20 });
  await loadLinearObjective(t.outbox);
  for (let k = 0; k < 3; k++) await t.logged('event.not-delivered');
  receiver.reply = 204;
  await t.outbox.expire();
  for (let k = 0; k < 3; k++) await t.logged('event.delivered');
  expect(await t.outbox.claim()).toEqual([]);
});

it('the log names neither the URL nor the secret', async () => {
  const receiver = await t.receiver(500);
  const { secret } = await t.outbox.register(`${receiver.url}?token=t0ken`, ['project.created']);
  t.loop();
  await loadLinearObjective(t.outbox);
  const text = JSON.stringify(await t.logged('event.not-delivered'));
  expect(text).not.toContain('t0ken');
  expect(text).not.toContain(secret.slice('whsec_'.length));
  expect(text).toContain('project.created');
});
