/**
 * The outbox: events, their deliveries and the leases of deliveries, which no other file touches. The database sets token and expiry,
 * by its own clock. Every later write repeats the token; zero rows mean that the lease was lost.
 */
import { type RawBuilder, sql } from 'kysely';
import {
  type EventName,
  type LeasedDelivery,
  MAXIMUM_DELIVERY_ATTEMPTS,
  type NewEvent,
} from '../../domain/webhooks/event.ts';
import { TOLD_AFTER_SECONDS } from '../../domain/webhooks/recipient.ts';
import { deleteStored } from '../accounts/account-usage.ts';
import type { Db, Trx } from '../connection/transaction.ts';

/** Notifies workers that a delivery may be claimable. */
export const EVENTS_CHANNEL = 'backsolve_events';

/**
 * Common table expressions that record events with one delivery per webhook that takes them, if the condition holds. An
 * account without such a webhook costs one probe of webhooks_account and no write. The webhooks are held against deletion
 * until the commit, so that a webhook deleted meanwhile cannot fail the caller. The statement has to select `eventsTold` too.
 */
export function recordingEvents(
  accountId: number,
  names: readonly string[],
  resourceIds: readonly number[],
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    hooks as materialized (
      select id, event_names, kind, objective_id from webhooks
      where account_id = ${accountId}::bigint and enabled and (kind = 'http' or confirmed_at is not null) and ${condition}
      for key share),
    recorded as (
      insert into events (account_id, name, resource_id)
      select ${accountId}::bigint, n.name, n.resource_id
      from unnest(${names}::text[], ${resourceIds}::bigint[]) with ordinality as n (name, resource_id, position)
      where exists (select from hooks h where ${takes('n')})
      order by n.position
      returning id, name, resource_id),
    deliveries as (
      insert into webhook_deliveries (account_id, webhook_id, event_id, visible_at)
      select ${accountId}::bigint, h.id, r.id,
        case when h.kind = 'mail' and r.name = 'inverse.suggested' then now() + ${PATIENCE} else now() end
      from recorded r join hooks h on ${takes('r')}
      order by r.id, h.id
      returning id)`;
}

/** An input that a program runs has its output by then, and nobody is told. */
const PATIENCE = sql`make_interval(secs => ${sql.lit(TOLD_AFTER_SECONDS)})`;

/**
 * Whether the webhook h takes an event. People hear of an objective only if no batch works on it, which runs unattended, and those of one
 * objective of that one alone.
 */
function takes(event: 'n' | 'r'): RawBuilder<boolean> {
  const [name, resource] = [sql.ref(`${event}.name`), sql.ref(`${event}.resource_id`)];
  return sql<boolean>`(h.event_names is null or ${name} = any (h.event_names)) and case
    when h.kind = 'http' then true
    when ${name} like 'batch.%' then h.objective_id is null
    else exists (
      select from objectives o
      where o.id = case when ${name} like 'inverse.%' then (select i.objective_id from inverses i where i.id = ${resource}) else ${resource} end
        and o.batch_id is null and (h.objective_id is null or h.objective_id = o.id)) end`;
}

/** Events as recordingEvents takes them. */
export interface EventLists {
  readonly eventNames: readonly string[];
  readonly eventResourceIds: readonly number[];
}

export function listEvents(events: readonly NewEvent[]): EventLists {
  return {
    eventNames: events.map(({ name }) => name),
    eventResourceIds: events.map(({ resourceId }) => resourceId),
  };
}

/** Notifies workers when recordingEvents has made a delivery. */
export function eventsTold(): RawBuilder<unknown> {
  return sql`(select pg_notify(${sql.lit(EVENTS_CHANNEL)}, '') from deliveries limit 1)`;
}

/** Records events on the caller's transaction; see recordingEvents. */
export async function insertEvents(trx: Trx, accountId: number, events: readonly NewEvent[]): Promise<void> {
  const { eventNames, eventResourceIds } = listEvents(events);
  await sql`with ${recordingEvents(accountId, eventNames, eventResourceIds, sql`true`)} select ${eventsTold()}`.execute(
    trx,
  );
}

export interface ClaimOptions {
  /** Most deliveries to webhooks whose last attempt succeeded. */
  readonly healthyLimit: number;
  /** Most deliveries to webhooks whose last attempt failed. */
  readonly failingLimit: number;
  /** Most deliveries of one webhook under way at a time; a failing webhook gets one. */
  readonly perWebhook: number;
  readonly leaseMs: number;
  readonly workerName: string;
}

/**
 * Claims due deliveries, per webhook the oldest first. Each webhook is searched separately (a skip scan along
 * webhook_deliveries_open), so that the backlog of one never delays another. Two workers that claim at the same moment may
 * together exceed `perWebhook`.
 */
export async function claimDeliveries(db: Db, options: ClaimOptions): Promise<readonly LeasedDelivery[]> {
  const { rows } = await sql<LeasedRow>`
    with recursive busy (webhook_id) as (
      (select webhook_id from webhook_deliveries
       where state in ('waiting', 'leased') order by webhook_id, visible_at, id limit 1)
      union all
      select (select d.webhook_id from webhook_deliveries d
              where d.state in ('waiting', 'leased') and d.webhook_id > b.webhook_id
              order by d.webhook_id, d.visible_at, d.id limit 1)
      from busy b where b.webhook_id is not null),
    due as materialized (
      select c.id, c.visible_at, w.failing_since is not null as is_failing
      from busy b
      join webhooks w on w.id = b.webhook_id and w.enabled
      cross join lateral (
        select d.id, d.visible_at from webhook_deliveries d
        where d.webhook_id = w.id and d.state in ('waiting', 'leased') and d.visible_at <= now()
          and d.attempts < ${MAXIMUM_DELIVERY_ATTEMPTS}
        order by d.visible_at, d.id
        limit greatest(0, case when w.failing_since is null then ${options.perWebhook}::int else 1 end - (
          select count(*) from webhook_deliveries l
          where l.webhook_id = w.id and l.state = 'leased' and l.visible_at > now()))
        for update skip locked) c),
    chosen as (
      (select id from due where not is_failing order by visible_at, id limit ${options.healthyLimit})
      union all
      (select id from due where is_failing order by visible_at, id limit ${options.failingLimit}))
    update webhook_deliveries d set
      state = 'leased',
      attempts = d.attempts + 1,
      attempted_at = clock_timestamp(),
      lease_token = gen_random_uuid(),
      leased_by = ${options.workerName},
      visible_at = clock_timestamp() + ${options.leaseMs} * interval '1 millisecond'
    from chosen c, webhooks w, events e
    where d.id = c.id and w.id = d.webhook_id and e.id = d.event_id
    returning w.kind, d.id, d.webhook_id as "webhookId", d.lease_token as "leaseToken", d.attempts as "attempt",
      w.url, array(
        select s.secret from (
          select w.secret, 'infinity'::timestamptz as until
          union all
          select p.secret, p.until from webhook_previous_secrets p where p.webhook_id = w.id and p.until > now()) s
        order by s.until desc) as secrets, w.failing_since is not null as "isFailing",
      e.id as "eventId", e.account_id as "accountId", e.name, e.resource_id as "resourceId",
      e.created_at as "createdAt"`.execute(db);
  return rows.map(toLeasedDelivery);
}

interface LeasedRow extends Omit<LeasedDelivery, 'event'> {
  readonly eventId: number;
  readonly accountId: number;
  readonly name: string;
  readonly resourceId: number;
  readonly createdAt: Date;
}

/** Names were checked before they were stored. */
function toLeasedDelivery(row: LeasedRow): LeasedDelivery {
  const { eventId, accountId, name, resourceId, createdAt, ...delivery } = row;
  return { ...delivery, event: { id: eventId, accountId, name: name as EventName, resourceId, createdAt } };
}

type Lease = Pick<LeasedDelivery, 'id' | 'webhookId' | 'leaseToken' | 'isFailing'>;

/**
 * Records that the receiver accepted the event. False: the lease was lost. The row of the webhook is written only when its health
 * changes, and in a separate statement: a deletion takes the two locks in the opposite order.
 */
export async function markDelivered(db: Db, lease: Lease, status: number | null): Promise<boolean> {
  const { rows } = await sql`
    update webhook_deliveries set
      state = 'delivered', lease_token = null, leased_by = null, delivered_at = clock_timestamp(),
      last_status = ${status}, last_error = null
    where id = ${lease.id} and lease_token = ${lease.leaseToken}::uuid and state = 'leased'
    returning id`.execute(db);
  if (rows.length === 1 && lease.isFailing) {
    await sql`update webhooks set failing_since = null where id = ${lease.webhookId}`.execute(db);
    // The deliveries that queued up one by one behind the failure may now be sent at full width.
    await sql`select pg_notify(${EVENTS_CHANNEL}, '')`.execute(db);
  }
  return rows.length === 1;
}

export interface FailedAttempt {
  readonly status: number | null;
  readonly error: string;
  /** Pause before the next attempt; undefined when none follows. */
  readonly delayMs: number | undefined;
}

/** Records a failed attempt. False: the lease was lost. */
export async function markFailed(db: Db, lease: Lease, failed: FailedAttempt): Promise<boolean> {
  const { rows } = await sql`
    update webhook_deliveries set
      state = ${failed.delayMs === undefined ? 'dead' : 'waiting'}, lease_token = null, leased_by = null,
      last_status = ${failed.status}, last_error = ${failed.error},
      visible_at = clock_timestamp() + ${failed.delayMs ?? 0} * interval '1 millisecond'
    where id = ${lease.id} and lease_token = ${lease.leaseToken}::uuid and state = 'leased'
    returning id`.execute(db);
  if (rows.length === 1 && !lease.isFailing) {
    await sql`
      update webhooks set failing_since = clock_timestamp()
      where id = ${lease.webhookId} and failing_since is null`.execute(db);
  }
  return rows.length === 1;
}

/** Ends deliveries to a receiver that is gone for good. */
export async function disableReceiver(db: Db, accountId: number, id: number): Promise<void> {
  await sql`
    update webhooks set enabled = false, updated_at = now() where account_id = ${accountId} and id = ${id}`.execute(db);
}

/** Hands a delivery back immediately, without counting the attempt: the worker is shutting down. */
export async function releaseDelivery(db: Db, lease: Lease): Promise<void> {
  await sql`
    with released as (
      update webhook_deliveries set
        state = 'waiting', lease_token = null, leased_by = null, attempts = attempts - 1,
        visible_at = clock_timestamp()
      where id = ${lease.id} and lease_token = ${lease.leaseToken}::uuid and state = 'leased'
      returning id)
    select pg_notify(${EVENTS_CHANNEL}, '') from released`.execute(db);
}

/**
 * Marks deliveries as dead whose worker was killed during the last attempt, and returns how many. Served by
 * webhook_deliveries_exhausted, whose condition is written out: with a parameter a generic plan could not use it.
 */
export async function buryExhaustedDeliveries(db: Db): Promise<number> {
  const { rows } = await sql`
    update webhook_deliveries set
      state = 'dead', lease_token = null, leased_by = null,
      last_error = 'the worker ended while it was sending'
    where state in ('waiting', 'leased') and visible_at <= now()
      and attempts >= ${sql.lit(MAXIMUM_DELIVERY_ATTEMPTS)}
    returning id`.execute(db);
  return rows.length;
}

/**
 * Deletes up to `limit` events older than `days` with their deliveries, oldest first, and returns how many. Events with an unfinished
 * delivery are kept.
 */
export async function deleteOldEvents(db: Db, days: number, limit: number): Promise<number> {
  const deletion = sql`
    delete from events where id in (
      select e.id from events e
      where e.created_at < now() - ${days} * interval '1 day' and not exists (
        select from webhook_deliveries d where d.event_id = e.id and d.state in ('waiting', 'leased'))
      order by e.id limit ${limit})`;
  return (await deleteStored(db, 'events', deletion)).length;
}
