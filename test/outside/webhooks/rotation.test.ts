/** Rotation of a webhook's secret: which secrets sign deliveries until when, and when the old one is deleted. */
import { sql } from 'kysely';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { dropEndedSecrets, MAXIMUM_SECRETS, rotateSecret } from '../../../src/application/webhooks/manage-webhooks.ts';
import { inTransaction } from '../../../src/db/connection/transaction.ts';
import { insertEvents } from '../../../src/db/webhooks/events.ts';
import { loadLinearObjective } from '../../support/fixtures.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { openReceiver, type Received, type Receiver } from './receiver.ts';

let outbox: Outbox;
let receiver: Receiver;
let projectId: number;
beforeAll(async () => {
  outbox = await openOutbox();
  receiver = await openReceiver();
  projectId = (await loadLinearObjective(outbox)).project.id;
});
afterEach(() => outbox.clear());
afterAll(async () => {
  await receiver.close();
  await outbox.close();
});

const HOUR = 3_600;

async function register() {
  const { webhook, secret } = await outbox.register(receiver.url);
  const rotate = async (overlapSeconds: number) => {
    const rotated = await rotateSecret(outbox.db, outbox.accountId, webhook.id, overlapSeconds);
    return { ...rotated, until: rotated.webhook.previousSecretUntil };
  };
  return { id: webhook.id, secret, rotate };
}

/** Sends one event and returns what arrived. */
async function deliver(): Promise<Received> {
  const event = { name: 'project.created', resourceId: projectId } as const;
  await inTransaction(outbox.db, (trx) => insertEvents(trx, outbox.accountId, [event]));
  expect(await outbox.drain()).toEqual([{ kind: 'delivered', status: 204 }]);
  return receiver.received.at(-1)!;
}

function verifies(secret: string, { body, headers }: Received): boolean {
  try {
    new Verifier(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

const signatureCount = ({ headers }: Received) => headers['webhook-signature']!.split(' ').length;
/** Moves the expiry of previous secrets `seconds` closer. */
const pass = (seconds: number) =>
  sql`update webhook_previous_secrets set until = until - ${seconds} * interval '1 second'`.execute(outbox.db);
const stored = async () => {
  const { rows } = await sql<{ text: string }>`
    select w::text as text from webhooks w union all select p::text from webhook_previous_secrets p`.execute(outbox.db);
  return rows.map(({ text }) => text).join('\n');
};
const hex = (secret: string) => Buffer.from(secret.replace('whsec_', ''), 'base64').toString('hex');

it('the official verifier accepts a delivery with the old and with the new secret until the overlap ends', async () => {
  const { id, secret: old, rotate } = await register();
  const { secret: fresh, until } = await rotate(HOUR);
  expect(fresh).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(fresh).not.toBe(old);
  expect(Math.abs(until!.getTime() - Date.now() - HOUR * 1_000)).toBeLessThan(60_000);
  const during = await deliver();
  expect([verifies(old, during), verifies(fresh, during), signatureCount(during)]).toEqual([true, true, 2]);
  // The newest first, for receivers that check only one.
  expect(
    verifies(fresh, {
      ...during,
      headers: { ...during.headers, 'webhook-signature': during.headers['webhook-signature']!.split(' ')[0]! },
    }),
  ).toBe(true);
  expect(await outbox.webhook(id)).toMatchObject({ previousSecretUntil: until });

  await pass(HOUR);
  const after = await deliver();
  expect([verifies(old, after), verifies(fresh, after), signatureCount(after)]).toEqual([false, true, 1]);
  expect(await outbox.webhook(id)).toMatchObject({ previousSecretUntil: null });
});

it('the old secret is deleted from the database when its overlap has ended', async () => {
  const { secret: old, rotate } = await register();
  const { secret: fresh } = await rotate(HOUR);
  expect(await stored()).toContain(hex(old));
  expect(await dropEndedSecrets(outbox.db)).toEqual({ dropped: 0 });
  await pass(HOUR);
  expect(await dropEndedSecrets(outbox.db)).toEqual({ dropped: 1 });
  const left = await stored();
  expect([left.includes(hex(old)), left.includes(hex(fresh))]).toEqual([false, true]);
});

it('a rotation without overlap deletes every older secret immediately', async () => {
  const { secret: first, rotate } = await register();
  const { secret: second } = await rotate(HOUR);
  const { secret: third, until } = await rotate(0);
  expect(until).toBeNull();
  const got = await deliver();
  expect([first, second, third].map((secret) => verifies(secret, got))).toEqual([false, false, true]);
  const left = await stored();
  for (const secret of [first, second]) expect(left).not.toContain(hex(secret));
});

it('a second rotation within the overlap keeps older secrets no longer than its own overlap', async () => {
  const { secret: first, rotate } = await register();
  const { secret: second } = await rotate(24 * HOUR);
  const { secret: third, until } = await rotate(HOUR);
  expect(until!.getTime()).toBeLessThan(Date.now() + 2 * HOUR * 1_000);
  const during = await deliver();
  expect([first, second, third].map((secret) => verifies(secret, during))).toEqual([true, true, true]);
  await pass(HOUR);
  const after = await deliver();
  expect([first, second, third].map((secret) => verifies(secret, after))).toEqual([false, false, true]);
});

it('a repeated attempt is signed with the secrets valid at that time', async () => {
  const { secret: old, rotate } = await register();
  receiver.reply = 500;
  const event = { name: 'project.created', resourceId: projectId } as const;
  await inTransaction(outbox.db, (trx) => insertEvents(trx, outbox.accountId, [event]));
  await outbox.drain();
  receiver.reply = 204;
  const { secret: fresh } = await rotate(0);
  await outbox.expire();
  await outbox.drain();
  const [first, second] = receiver.received.slice(-2);
  expect([verifies(old, first!), verifies(old, second!), verifies(fresh, second!)]).toEqual([true, false, true]);
});

it(`a webhook has at most ${MAXIMUM_SECRETS} secrets at a time, and the refusal says what to do`, async () => {
  const { rotate } = await register();
  for (let count = 2; count <= MAXIMUM_SECRETS; count++) await rotate(HOUR);
  expect(signatureCount(await deliver())).toBe(MAXIMUM_SECRETS);
  await expect(rotate(HOUR)).rejects.toMatchObject({
    code: 'LIMIT_REACHED',
    message: expect.stringContaining('overlapSeconds 0'),
  });
  await rotate(0);
  expect(signatureCount(await deliver())).toBe(1);
});

it('concurrent rotations lose no secret', async () => {
  const { id, secret: first, rotate } = await register();
  // Opens the connections that the rotations use at the same time.
  await Promise.all([1, 2, 3, 4].map(() => outbox.webhook(id)));
  const rotated = await Promise.all([1, 2, 3, 4].map(() => rotate(HOUR)));
  const got = await deliver();
  const secrets = [first, ...rotated.map(({ secret }) => secret)];
  expect(secrets.map((secret) => verifies(secret, got))).toEqual(secrets.map(() => true));
});

it('a deleted webhook takes its older secrets with it', async () => {
  const { id, rotate } = await register();
  await rotate(HOUR);
  await sql`delete from webhooks where id = ${id}`.execute(outbox.db);
  const { rows } = await sql`select from webhook_previous_secrets`.execute(outbox.db);
  expect(rows).toEqual([]);
});

it("another account's webhook is not found", async () => {
  const { id } = await register();
  await expect(rotateSecret(outbox.db, outbox.accountId + 1, id, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
