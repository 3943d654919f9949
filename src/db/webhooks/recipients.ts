/** People who are told by e-mail: webhooks of the kind mail. */
import { sql } from 'kysely';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import type { EventName } from '../../domain/webhooks/event.ts';
import {
  type Recipient,
  TOGETHER_SECONDS,
  TOLD,
  TOLD_KINDS,
  type ToldKind,
  UNCONFIRMED_DAYS,
} from '../../domain/webhooks/recipient.ts';
import { deleteStored } from '../accounts/account-usage.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { EVENTS_CHANNEL } from './events.ts';

const COLUMNS = sql`w.id, substr(w.url, 8) as email, w.objective_id as "objectiveId", w.event_names as "eventNames",
  w.created_at as "createdAt", w.confirmed_at as "confirmedAt", w.failing_since as "failingSince", w.enabled as "isEnabled",
  case when w.failing_since is not null or not w.enabled then (
    select d.last_error from webhook_deliveries d where d.webhook_id = w.id and d.last_error is not null
    order by d.id desc limit 1) end as "lastError"`;

interface Row extends Omit<Recipient, 'tells'> {
  readonly eventNames: readonly EventName[];
}

function toRecipient({ eventNames, ...row }: Row): Recipient {
  return { ...row, tells: TOLD_KINDS.filter((kind) => TOLD[kind].some((name) => eventNames.includes(name))) };
}

export interface NewRecipient {
  readonly email: string;
  readonly objectiveId: number | null;
  readonly tells: readonly ToldKind[];
  readonly secret: Uint8Array;
}

/**
 * Stores a person, or what they are told if they are there already, and sends the question whether they agree unless they have. Undefined:
 * the account has no such objective.
 */
export async function putRecipient(
  trx: Trx,
  accountId: number,
  { email, objectiveId, tells, secret }: NewRecipient,
): Promise<Recipient | undefined> {
  const names: readonly string[] = tells.flatMap((kind) => TOLD[kind]);
  const { rows } = await sql<Row>`
    insert into webhooks as w (account_id, url, event_names, secret, kind, objective_id)
    select ${accountId}, ${`mailto:${email}`}, ${names}::text[], ${Buffer.from(secret)}, 'mail', ${objectiveId}::bigint
    where ${objectiveId}::bigint is null or exists (
      select from objectives o where o.id = ${objectiveId}::bigint and o.account_id = ${accountId} and o.disabled_at is null)
    on conflict (account_id, url, coalesce(objective_id, 0)) where kind = 'mail'
      do update set event_names = excluded.event_names, enabled = true, updated_at = now()
    returning ${COLUMNS}`.execute(trx);
  const [row] = rows;
  if (row === undefined) return undefined;
  if (row.confirmedAt === null) await ask(trx, accountId, row.id);
  return toRecipient(row);
}

async function ask(trx: Trx, accountId: number, id: number): Promise<void> {
  await sql`
    with asked as (
      insert into events (account_id, name, resource_id) values (${accountId}, 'recipient.added', ${id}) returning id),
    sent as (
      insert into webhook_deliveries (account_id, webhook_id, event_id) select ${accountId}, ${id}, id from asked returning id)
    select pg_notify(${EVENTS_CHANNEL}, '') from sent`.execute(trx);
}

/** Served by webhooks_account. */
export async function countRecipients(trx: Trx, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhooks where account_id = ${accountId} and kind = 'mail'`.execute(trx);
  return rows[0]!.count;
}

export async function listRecipients(db: Db, accountId: number, page: PageRequest): Promise<Page<Recipient>> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from webhooks w
    where w.account_id = ${accountId} and w.kind = 'mail' and w.id > ${page.after ?? 0}
    order by w.id limit ${page.limit + 1}`.execute(db);
  return toPage(rows.map(toRecipient), page);
}

/** With their deliveries. False: the account has none with this id. `accountId` null: of any. */
export async function removeRecipient(db: Db, accountId: number | null, id: number): Promise<boolean> {
  const deletion = sql`
    delete from webhooks where id = ${id} and kind = 'mail' and (${accountId}::bigint is null or account_id = ${accountId}::bigint)`;
  return (await deleteStored(db, 'webhooks', deletion)).length === 1;
}

/** Finds the secret of a recipient of any active account, for the links in e-mails. Primary key. */
export async function findSecretOf(db: Db, id: number): Promise<Buffer | undefined> {
  const { rows } = await sql<{ secret: Buffer }>`
    select w.secret from webhooks w join accounts a on a.id = w.account_id
    where w.id = ${id} and w.kind = 'mail' and a.disabled_at is null`.execute(db);
  return rows[0]?.secret;
}

/** They have agreed; a second time changes nothing. */
export async function confirmRecipient(db: Db, id: number): Promise<void> {
  await sql`
    update webhooks set confirmed_at = coalesce(confirmed_at, now()), enabled = true where id = ${id} and kind = 'mail'`.execute(
    db,
  );
}

export async function removeUnconfirmed(db: Db): Promise<void> {
  const deletion = sql`
    delete from webhooks where kind = 'mail' and confirmed_at is null
      and updated_at < now() - make_interval(days => ${sql.lit(UNCONFIRMED_DAYS)})`;
  await deleteStored(db, 'webhooks', deletion);
}

export interface ToldObjective {
  readonly objectiveId: number;
  readonly title: string;
  readonly modelName: string;
  readonly stopReason: StopReason;
  readonly attemptCount: number;
}

const OBJECTIVE = sql`o.id as "objectiveId", coalesce(o.label, p.name) as title, m.name as "modelName",
  o.stop_reason as "stopReason", o.attempt_count as "attemptCount"`;
const PARENTS = sql`objectives o join projects p on p.id = o.project_id join models m on m.id = o.model_id`;

/** Primary keys; undefined: it is gone or deleted. */
export async function readToldObjective(db: Db, accountId: number, id: number): Promise<ToldObjective | undefined> {
  const { rows } = await sql<ToldObjective>`
    select ${OBJECTIVE} from ${PARENTS} where o.id = ${id} and o.account_id = ${accountId} and o.disabled_at is null`.execute(
    db,
  );
  return rows[0];
}

export interface ToldInputs extends ToldObjective {
  /** Those that wait, oldest first. */
  readonly iterations: readonly number[];
}

/**
 * The objective of an input that still waits, with all that do; undefined if it does not, or if one that was suggested shortly before tells
 * of it.
 */
export async function readToldInputs(db: Db, accountId: number, inverseId: number): Promise<ToldInputs | undefined> {
  const waits = sql`status = 'active' and input is not null and output is null`;
  const { rows } = await sql<ToldInputs>`
    select ${OBJECTIVE}, (
      select array_agg(w.iteration order by w.iteration) from inverses w where w.objective_id = o.id and ${waits}) as iterations
    from inverses i join ${PARENTS} on o.id = i.objective_id
    where i.id = ${inverseId} and i.account_id = ${accountId} and o.disabled_at is null and o.stop_reason = ${StopReason.running}
      and i.status = 'active' and i.input is not null and i.output is null
      and not exists (
        select from inverses e where e.objective_id = o.id and e.iteration < i.iteration and ${waits}
          and e.suggested_at > i.suggested_at - make_interval(secs => ${sql.lit(TOGETHER_SECONDS)}))`.execute(db);
  return rows[0];
}

export interface ToldBatch {
  readonly id: number;
  readonly name: string | null;
  readonly status: string;
}

export async function readToldBatch(db: Db, accountId: number, id: number): Promise<ToldBatch | undefined> {
  const { rows } = await sql<ToldBatch>`
    select id, name, status from batches where id = ${id} and account_id = ${accountId}`.execute(db);
  return rows[0];
}

/** The name of the account that asks. */
export async function readAsker(db: Db, accountId: number): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from accounts where id = ${accountId}`.execute(db);
  return rows[0]?.name;
}
