/**
 * Removes for good what a deletion covers, some rows per call, so that no statement runs into its time limit and no lock is
 * held for long: first the inverses and other dependants of the objectives, then the objectives, then upwards. Locked rows are
 * skipped. Every look-up, those of foreign keys included, is served by an index.
 */
import { sql } from 'kysely';
import type { DeletedKind } from '../../domain/accounts/storage.ts';
import { EVENT_NAMES, type EventKind, kindOf } from '../../domain/webhooks/event.ts';
import { deleteStored } from '../accounts/account-usage.ts';
import type { Trx } from '../connection/transaction.ts';
import type { DueDeletion } from './deletions.ts';

type Table = 'batches' | 'objectives' | 'trials' | 'output_case_sets' | 'projects' | 'models';

const TABLES = {
  model: 'models',
  project: 'projects',
  trial: 'trials',
  objective: 'objectives',
} as const satisfies Record<DeletedKind, Table>;

/** Columns that name the deleted record in the tables at and below it, bottom up. */
const LEVELS: Readonly<Record<DeletedKind, readonly (readonly [Table, string])[]>> = {
  model: [
    ['batches', 'model_id'],
    ['objectives', 'model_id'],
    ['trials', 'model_id'],
    ['output_case_sets', 'model_id'],
    ['projects', 'model_id'],
    ['models', 'id'],
  ],
  project: [
    ['batches', 'project_id'],
    ['objectives', 'project_id'],
    ['trials', 'project_id'],
    ['output_case_sets', 'project_id'],
    ['projects', 'id'],
  ],
  trial: [
    ['batches', 'trial_id'],
    ['objectives', 'trial_id'],
    ['trials', 'id'],
  ],
  objective: [['objectives', 'id']],
};

/** Rows of one call. Sets and projects hold up to 80 MB each, notes 10 MB. */
const BATCH: Readonly<
  Record<Table | 'inverses' | 'corrections' | 'added_cases' | 'evaluations' | 'batch_objectives' | 'notes', number>
> = {
  evaluations: 2_000,
  batch_objectives: 1_000,
  batches: 20,
  inverses: 2_000,
  added_cases: 2_000,
  notes: 50,
  corrections: 2_000,
  objectives: 50,
  trials: 200,
  output_case_sets: 5,
  projects: 5,
  models: 1,
};

/** Bytes of added cases after which a call removes no further batch; one batch holds up to 160 MB. */
const ADDED_BYTES = 100_000_000;

/** The events about rows of a table. */
const EVENT_KINDS: Readonly<Partial<Record<Table | 'inverses', EventKind>>> = {
  inverses: 'inverse',
  objectives: 'objective',
  trials: 'trial',
  projects: 'project',
  batches: 'batch',
};

/** Whether the record is there and deleted, as it has to be to be purged. Primary key. */
export async function isDeleted(trx: Trx, { kind, recordId, accountId }: DueDeletion): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(TABLES[kind])}
    where id = ${recordId} and account_id = ${accountId} and disabled_at is not null`.execute(trx);
  return rows.length === 1;
}

/** Number of rows that were removed; 'busy': none, because others hold what is left; 'gone': there is nothing left. */
export async function removeSome(trx: Trx, deletion: DueDeletion): Promise<number | 'busy' | 'gone'> {
  for (const [table, column] of LEVELS[deletion.kind]) {
    const ids = await lockSome(trx, table, column, deletion.recordId);
    if (ids.length > 0) return remove(trx, deletion.accountId, table, ids);
    if (await hasAny(trx, table, column, deletion.recordId)) return 'busy';
  }
  return 'gone';
}

/** In index order: sorting would read all of them every time. */
async function lockSome(trx: Trx, table: Table, column: string, value: number): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(table)} where ${sql.ref(column)} = ${value}
    limit ${BATCH[table]} for update skip locked`.execute(trx);
  return rows.map(({ id }) => id);
}

async function hasAny(trx: Trx, table: Table, column: string, value: number): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} where ${sql.ref(column)} = ${value} limit 1`.execute(trx);
  return rows.length > 0;
}

async function remove(trx: Trx, accountId: number, table: Table, ids: readonly number[]): Promise<number> {
  if (table === 'objectives') return removeObjectives(trx, accountId, ids);
  if (table === 'batches') return removeBatches(trx, accountId, ids);
  if (table === 'trials') {
    const removed = (await removeAddedCases(trx, ids)) || (await removeCorrections(trx, ids));
    if (removed > 0) return removed;
  }
  await removeEvents(trx, accountId, table, ids);
  return removeById(trx, table, ids);
}

/** Some of the inverses of objectives that the caller holds, oldest iterations first, and the objectives that have none left. */
async function removeObjectives(trx: Trx, accountId: number, ids: readonly number[]): Promise<number> {
  const notes = await removeNotes(trx, ids);
  if (notes > 0) return notes;
  await sql`delete from suggestion_jobs where objective_id = any (${ids}::bigint[])`.execute(trx);
  const inverseIds = await deleteStored(
    trx,
    'inverses',
    sql`delete from inverses where id in (
      select id from inverses where objective_id = any (${ids}::bigint[])
      order by objective_id, iteration limit ${BATCH.inverses})`,
  );
  if (inverseIds.length > 0) {
    await removeEvents(trx, accountId, 'inverses', inverseIds);
    const ofInverses = sql`where inverse_id = any (${inverseIds}::bigint[])`;
    await deleteStored(trx, 'corrections', sql`delete from corrections ${ofInverses}`);
    await deleteStored(trx, 'evaluations', sql`delete from evaluations ${ofInverses}`);
  }
  const { rows } = await sql<{ id: number }>`
    select o.id from objectives o where o.id = any (${ids}::bigint[])
      and not exists (select from inverses i where i.objective_id = o.id)`.execute(trx);
  const emptyIds = rows.map(({ id }) => id);
  if (emptyIds.length === 0) return inverseIds.length;
  await removeEvents(trx, accountId, 'objectives', emptyIds);
  const people = sql`delete from webhooks where objective_id = any (${emptyIds}::bigint[])`;
  await deleteStored(trx, 'webhooks', people);
  const links = sql`delete from shared_links where objective_id = any (${emptyIds}::bigint[])`;
  await deleteStored(trx, 'shared_links', links);
  const explanations = sql`delete from explanations where objective_id = any (${emptyIds}::bigint[])`;
  await deleteStored(trx, 'explanations', explanations);
  return inverseIds.length + (await removeById(trx, 'objectives', emptyIds));
}

/** Some of the notes on objectives that the caller holds, with their files. */
async function removeNotes(trx: Trx, objectiveIds: readonly number[]): Promise<number> {
  const removed = await deleteStored(
    trx,
    'notes',
    sql`delete from notes where id in (
      select id from notes where objective_id = any (${objectiveIds}::bigint[]) limit ${BATCH.notes})`,
  );
  return removed.length;
}

/** Some of the evaluations or objectives of batches that the caller holds, or else the batches. */
async function removeBatches(trx: Trx, accountId: number, ids: readonly number[]): Promise<number> {
  const evaluations = await deleteStored(
    trx,
    'evaluations',
    sql`delete from evaluations where id in (
      select id from evaluations where batch_id = any (${ids}::bigint[]) limit ${BATCH.evaluations})`,
  );
  if (evaluations.length > 0) return evaluations.length;
  const definitions = await deleteStored(
    trx,
    'batch_objectives',
    sql`delete from batch_objectives where (batch_id, position) in (
      select batch_id, position from batch_objectives
      where batch_id = any (${ids}::bigint[]) limit ${BATCH.batch_objectives})`,
  );
  if (definitions.length > 0) return definitions.length;
  await removeEvents(trx, accountId, 'batches', ids);
  return removeById(trx, 'batches', ids);
}

/** Some of the cases added to trials that the caller holds: they have no end when a trial takes them along. */
async function removeAddedCases(trx: Trx, trialIds: readonly number[]): Promise<number> {
  const removed = await deleteStored(
    trx,
    'added_cases',
    sql`delete from added_cases where id in (
      select id from (
        select id, sum(bytes) over (order by id) - bytes as before from (
          select id, pg_column_size(inputs) + pg_column_size(outputs) as bytes from added_cases
          where trial_id = any (${trialIds}::bigint[]) limit ${BATCH.added_cases}) taken) summed
      where before < ${ADDED_BYTES})`,
  );
  return removed.length;
}

/** Some of the corrections of trials that the caller holds. */
async function removeCorrections(trx: Trx, trialIds: readonly number[]): Promise<number> {
  const removed = await deleteStored(
    trx,
    'corrections',
    sql`delete from corrections where id in (
      select id from corrections where trial_id = any (${trialIds}::bigint[]) limit ${BATCH.corrections})`,
  );
  return removed.length;
}

async function removeById(trx: Trx, table: Table, ids: readonly number[]): Promise<number> {
  const deletion = sql`delete from ${sql.table(table)} where id = any (${ids}::bigint[])`;
  return (await deleteStored(trx, table, deletion)).length;
}

/** Events about rows that are gone, with their deliveries: they could no longer be rendered. Served by events_resource. */
async function removeEvents(
  trx: Trx,
  accountId: number,
  table: Table | 'inverses',
  ids: readonly number[],
): Promise<void> {
  const names = EVENT_NAMES.filter((name) => kindOf(name) === EVENT_KINDS[table]);
  if (names.length === 0) return;
  await deleteStored(
    trx,
    'events',
    sql`delete from events
    where account_id = ${accountId} and resource_id = any (${ids}::bigint[]) and name = any (${names}::text[])`,
  );
}
