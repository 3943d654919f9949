/**
 * Counts what accounts store. Requests only read it; the schedule counts it in slices: every table has positions (its ids; times for keys),
 * and the records of 16384 positions are counted together, with their account as it is. A slice is counted again while it grows,
 * after records in it were purged, and after that ever more rarely, so that a count costs what has changed. What a slice
 * holds replaces what it held at its last count: nothing is added up that could drift.
 *
 * The view stored_records (migrations/repeatable/stored-records.sql) says what each record takes.
 */
import { type RawBuilder, sql } from 'kysely';
import type { StorageQuota, StorageUsage } from '../../domain/accounts/storage.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';

const selectUsage = compileSqlOnce<{ readonly accountId: number }, StorageUsage>(
  (value) => sql`
    select stored_bytes as bytes, stored_rows as rows from account_usage where account_id = ${value('accountId')}`,
);

/** As of the last count; nothing for an account that was never counted. Primary key. */
export async function readUsage(db: Db | Trx, accountId: number): Promise<StorageUsage> {
  const [usage] = await selectUsage(db, { accountId });
  return usage ?? { bytes: 0, rows: 0 };
}

/** A condition whose values may be placeholders: whether the account may keep another record. Primary key. */
export function isWithinQuota(accountId: number, { storedBytes, storedRows }: StorageQuota): RawBuilder<boolean> {
  const bytes = sql`${storedBytes}::bigint`;
  const rows = sql`${storedRows}::bigint`;
  return sql<boolean>`(${bytes} = 0 and ${rows} = 0 or coalesce((
    select (${bytes} = 0 or stored_bytes < ${bytes}) and (${rows} = 0 or stored_rows < ${rows})
    from account_usage where account_id = ${accountId}), true))`;
}

const SLICE = 16_384;

/** The time of an idempotent request as its position, in sixteenths of a second. Served by idempotency_keys_position. */
export function positionOf(time: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${time} at time zone 'UTC') * 16)::bigint`;
}

/** The tables of the view stored_records, each with its position. */
const POSITIONS = {
  models: sql.ref('id'),
  projects: sql.ref('id'),
  output_case_sets: sql.ref('id'),
  trials: sql.ref('id'),
  added_cases: sql.ref('id'),
  corrections: sql.ref('id'),
  objectives: sql.ref('id'),
  explanations: sql.ref('objective_id'),
  inverses: sql.ref('id'),
  batches: sql.ref('id'),
  batch_objectives: sql.ref('batch_id'),
  evaluations: sql.ref('id'),
  workbooks: sql.ref('id'),
  shared_links: sql.ref('id'),
  notes: sql.ref('id'),
  webhooks: sql.ref('id'),
  events: sql.ref('id'),
  idempotency_keys: positionOf(sql.ref('created_at')),
} as const satisfies Record<string, RawBuilder<unknown>>;

export type StoredKind = keyof typeof POSITIONS;

export interface Slice {
  readonly kind: StoredKind;
  readonly slice: number;
}

const extentOf = (kind: string, position: RawBuilder<unknown>) => sql`
  select ${sql.lit(kind)} as kind, min(${position}) as first, max(${position}) as last from ${sql.table(kind)}`;
const EXTENTS = sql.join(
  Object.entries(POSITIONS).map(([kind, position]) => extentOf(kind, position)),
  sql` union all `,
);

/**
 * The slices to be counted, those that were never counted first. A count of a slice sees what was committed by then; what comes later,
 * such as a record of a longer transaction or the output of a run, is found by counts after 1 minute, then each after
 * half of the time for which the slice has not grown, at most a day.
 */
export async function listDueSlices(db: Db): Promise<readonly Slice[]> {
  const { rows } = await sql<Slice>`
    with extents as materialized (select * from (${EXTENTS}) e where last is not null),
    fresh as (
      select e.kind, slice from extents e cross join lateral generate_series(
        coalesce((select max(s.slice) + 1 from storage_slices s where s.kind = e.kind), e.first / ${sql.lit(SLICE)}),
        e.last / ${sql.lit(SLICE)}) slice),
    due as (
      select s.kind, s.slice, s.counted_at from storage_slices s left join extents e on e.kind = s.kind
      where (s.slice = e.last / ${sql.lit(SLICE)} and s.through < e.last)
        or now() - s.counted_at > greatest(interval '55 seconds', least((s.counted_at - s.grown_at) / 2, interval '1 day'))
        or (s.kind, s.slice) in (select c.kind, c.slice from storage_changes c))
    select kind, slice from (
      select kind, slice, null as counted_at from fresh
      union all
      select kind, slice, counted_at from due) found
    order by counted_at nulls first, kind, slice`.execute(db);
  return rows;
}

/** The key of the advisory lock of whoever counts. */
const LOCK_NAME = 'count of storage';

/** Whether this transaction may count; another one that counts holds it off. */
export async function takeCounting(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ isTaken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${LOCK_NAME}, 0)) as "isTaken"`.execute(trx);
  return rows[0]!.isTaken;
}

/** Counts a slice in one statement. Primary keys, and the index of the positions. */
export async function countSlice(trx: Trx, { kind, slice }: Slice): Promise<void> {
  // Written out, so that the plan holds no other table than that of the kind.
  const records = sql`stored_records where kind = ${sql.lit(kind)}
    and position >= ${slice * SLICE}::bigint and position < ${(slice + 1) * SLICE}::bigint`;
  const ofSlice = sql`kind = ${kind}::text and slice = ${slice}::bigint`;
  await sql`
    with counted as materialized (
      select account_id, sum(bytes)::bigint as bytes, sum(rows)::bigint as rows, max(position) as through
      from ${records} group by account_id),
    changed as materialized (
      select account_id, coalesce(c.bytes, 0) as bytes, coalesce(c.rows, 0) as rows,
        coalesce(c.bytes, 0) - coalesce(b.bytes, 0) as more_bytes, coalesce(c.rows, 0) - coalesce(b.rows, 0) as more_rows
      from counted c full join (select account_id, bytes, rows from storage_counts where ${ofSlice}) b using (account_id)
      where (c.bytes, c.rows) is distinct from (b.bytes, b.rows)),
    kept as (
      insert into storage_counts (kind, slice, account_id, bytes, rows)
      select ${kind}::text, ${slice}::bigint, account_id, bytes, rows from changed where bytes > 0 or rows > 0
      on conflict (kind, slice, account_id) do update set bytes = excluded.bytes, rows = excluded.rows),
    emptied as (
      delete from storage_counts where ${ofSlice}
        and account_id in (select account_id from changed where bytes = 0 and rows = 0)),
    added as (
      insert into account_usage as u (account_id, stored_bytes, stored_rows)
      select account_id, more_bytes, more_rows from changed
      on conflict (account_id) do update
        set stored_bytes = u.stored_bytes + excluded.stored_bytes, stored_rows = u.stored_rows + excluded.stored_rows),
    done as (delete from storage_changes where ${ofSlice})
    insert into storage_slices as s (kind, slice, counted_at, grown_at, through)
    select ${kind}::text, ${slice}::bigint, now(), now(), coalesce(max(through), 0) from counted
    on conflict (kind, slice) do update set counted_at = now(), through = greatest(s.through, excluded.through),
      grown_at = case when excluded.through > s.through then now() else s.grown_at end`.execute(trx);
}

/** Forgets slices that have been empty for a day, such as those of expired keys. */
export async function forgetEmptySlices(db: Db): Promise<void> {
  await sql`
    delete from storage_slices s where grown_at < now() - interval '1 day' and not exists (
      select from storage_counts c where c.kind = s.kind and c.slice = s.slice)`.execute(db);
}

/** Runs a deletion of counted records, and has their slices counted again. Returns the positions of the records, mostly ids. */
export async function deleteStored(
  trx: Db | Trx,
  kind: StoredKind,
  deletion: RawBuilder<unknown>,
): Promise<readonly number[]> {
  const { rows } = await sql<{ position: number }>`
    with gone as (${deletion} returning ${POSITIONS[kind]} as position),
    noted as (
      insert into storage_changes (kind, slice)
      select distinct ${kind}::text, position / ${sql.lit(SLICE)} from gone)
    select position from gone`.execute(trx);
  return rows.map(({ position }) => position);
}

/** Has the slices of records counted again whose size has changed. */
export async function noteChanged(trx: Db | Trx, kind: StoredKind, id: number): Promise<void> {
  await sql`
    insert into storage_changes (kind, slice) values (${kind}, ${id}::bigint / ${sql.lit(SLICE)})`.execute(trx);
}
