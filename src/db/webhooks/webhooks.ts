import { sql } from 'kysely';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { Delivery, DeliveryState, EventName, Webhook } from '../../domain/webhooks/event.ts';
import { deleteStored } from '../accounts/account-usage.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { rowsOfPage } from '../pages.ts';
import { EVENTS_CHANNEL } from './events.ts';

/** Without the secrets, which only the claim of a delivery reads. */
const COLUMNS = [
  'id',
  'url',
  'description',
  'event_names as eventNames',
  'enabled',
  'failing_since as failingSince',
  sql<Date | null>`(select max(p.until) from webhook_previous_secrets p where p.webhook_id = webhooks.id and p.until > now())`.as(
    'previousSecretUntil',
  ),
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

interface WebhookRow extends Omit<Webhook, 'eventNames'> {
  readonly eventNames: readonly string[] | null;
}

/** Names were checked before they were stored. */
function toWebhook(row: WebhookRow): Webhook {
  return { ...row, eventNames: row.eventNames as readonly EventName[] | null };
}

function webhooks(db: Db | Trx, accountId: number) {
  return db.selectFrom('webhooks').select(COLUMNS).where('account_id', '=', accountId).where('kind', '=', 'http');
}

/** Primary key. */
export async function findWebhook(db: Db, accountId: number, id: number): Promise<Webhook | undefined> {
  const row = await webhooks(db, accountId).where('id', '=', id).executeTakeFirst();
  return row && toWebhook(row);
}

export async function listWebhooks(db: Db, accountId: number, page: PageRequest): Promise<Page<Webhook>> {
  const rows = await webhooks(db, accountId)
    .where('id', '>', page.after ?? 0)
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return toPage(rows.map(toWebhook), page);
}

export interface NewWebhookRow {
  readonly url: string;
  readonly description: string | null;
  readonly eventNames: readonly EventName[] | null;
  readonly secret: Uint8Array;
}

/** Served by webhooks_account. */
export async function countWebhooks(trx: Trx, accountId: number): Promise<number> {
  const { count } = await trx
    .selectFrom('webhooks')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('account_id', '=', accountId)
    .where('kind', '=', 'http')
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertWebhook(db: Db | Trx, accountId: number, webhook: NewWebhookRow): Promise<Webhook> {
  const row = await db
    .insertInto('webhooks')
    .values({
      account_id: accountId,
      url: webhook.url,
      description: webhook.description,
      event_names: webhook.eventNames,
      secret: Buffer.from(webhook.secret),
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toWebhook(row);
}

export interface WebhookChange {
  readonly url?: string;
  readonly description?: string | null;
  readonly eventNames?: readonly EventName[] | null;
  readonly enabled?: boolean;
}

/** Undefined when the account has no such webhook. Notifies workers: enabling a webhook makes its deliveries claimable. */
export async function updateWebhook(
  db: Db,
  accountId: number,
  id: number,
  change: WebhookChange,
): Promise<Webhook | undefined> {
  const row = await db
    .updateTable('webhooks')
    .set({
      ...(change.url === undefined ? {} : { url: change.url }),
      ...(change.description === undefined ? {} : { description: change.description }),
      ...(change.eventNames === undefined ? {} : { event_names: change.eventNames }),
      ...(change.enabled === undefined ? {} : { enabled: change.enabled }),
      updated_at: sql<Date>`now()`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('kind', '=', 'http')
    .returning(COLUMNS)
    .executeTakeFirst();
  if (row !== undefined) await sql`select pg_notify(${EVENTS_CHANNEL}, '')`.execute(db);
  return row && toWebhook(row);
}

/** Locks the webhook to change its secrets and counts the previous ones still in use. Undefined when there is no such webhook. */
export async function lockSecrets(trx: Trx, accountId: number, id: number): Promise<number | undefined> {
  const webhook = await trx
    .selectFrom('webhooks')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('kind', '=', 'http')
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (webhook === undefined) return undefined;
  const { count } = await trx
    .selectFrom('webhook_previous_secrets')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('webhook_id', '=', id)
    .where('until', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Replaces the secret. The previous ones stay in use for at most `overlapSeconds`; with 0 they are deleted. The caller holds the
 * lock of the webhook.
 */
export async function replaceSecret(
  trx: Trx,
  id: number,
  { secret, overlapSeconds }: { readonly secret: Uint8Array; readonly overlapSeconds: number },
): Promise<Webhook> {
  const end = sql<Date>`now() + ${overlapSeconds} * interval '1 second'`;
  if (overlapSeconds === 0) {
    await trx.deleteFrom('webhook_previous_secrets').where('webhook_id', '=', id).execute();
  } else {
    await sql`update webhook_previous_secrets set until = least(until, ${end}) where webhook_id = ${id}`.execute(trx);
    await sql`
      insert into webhook_previous_secrets (account_id, webhook_id, secret, until)
      select account_id, id, secret, ${end} from webhooks where id = ${id}`.execute(trx);
  }
  const row = await trx
    .updateTable('webhooks')
    .set({ secret: Buffer.from(secret), updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toWebhook(row);
}

/** Deletes expired secrets and returns how many. Reads the whole table, which holds only rotations under way. */
export async function deleteEndedSecrets(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`delete from webhook_previous_secrets where until <= now()`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes the webhook with its secrets and deliveries. False when the account has no such webhook. */
export async function deleteWebhook(db: Db, accountId: number, id: number): Promise<boolean> {
  const deletion = sql`delete from webhooks where account_id = ${accountId} and id = ${id} and kind = 'http'`;
  return (await deleteStored(db, 'webhooks', deletion)).length === 1;
}

function deliveries(db: Db, accountId: number) {
  return db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .innerJoin('webhooks as w', (join) => join.onRef('w.id', '=', 'd.webhook_id').on('w.kind', '=', 'http'))
    .select([
      'd.id as id',
      'd.webhook_id as webhookId',
      'd.event_id as eventId',
      'e.name as eventName',
      'd.state as state',
      'd.attempts as attempts',
      'd.attempted_at as attemptedAt',
      'd.last_status as lastStatus',
      'd.last_error as lastError',
      'd.delivered_at as deliveredAt',
      'd.created_at as createdAt',
      sql<Date | null>`case when d.state = 'waiting' then d.visible_at end`.as('nextAttemptAt'),
    ])
    .where('d.account_id', '=', accountId);
}

interface DeliveryRow extends Omit<Delivery, 'eventName' | 'state'> {
  readonly eventName: string;
  readonly state: string;
}

/** A check constraint allows known states only. */
function toDelivery(row: DeliveryRow): Delivery {
  return { ...row, eventName: row.eventName as EventName, state: row.state as DeliveryState };
}

/** Primary key. */
export async function findDelivery(db: Db, accountId: number, id: number): Promise<Delivery | undefined> {
  const row = await deliveries(db, accountId).where('d.id', '=', id).executeTakeFirst();
  return row && toDelivery(row);
}

/** Served by webhook_deliveries_webhook. */
export async function listDeliveries(
  db: Db,
  accountId: number,
  webhookId: number,
  page: PageRequest,
): Promise<Page<Delivery>> {
  const { condition, order } = rowsOfPage('d.id', page);
  const rows = await deliveries(db, accountId)
    .where('d.webhook_id', '=', webhookId)
    .where(condition)
    .orderBy(order)
    .limit(page.limit + 1)
    .execute();
  return toPage(rows.map(toDelivery), page);
}

/**
 * Makes a delivery due immediately with all its attempts left, whatever its state. An attempt under way loses its lease, so that another
 * one always follows. The commit notifies workers.
 */
export async function reopenDelivery(db: Db, accountId: number, id: number): Promise<void> {
  await sql`
    with reopened as (
      update webhook_deliveries set
        state = 'waiting', lease_token = null, leased_by = null, attempts = 0, visible_at = now()
      where account_id = ${accountId} and id = ${id}
      returning id)
    select pg_notify(${EVENTS_CHANNEL}, '') from reopened`.execute(db);
}
