/**
 * Deletions that are not purged yet. Triggers record them (note_deletion): one row per record that a client deleted, none for
 * the records below it. The row stays until everything it covers is gone.
 */
import { sql } from 'kysely';
import type { DeletedKind, Deletion } from '../../domain/accounts/storage.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { Db, Trx } from '../connection/transaction.ts';

/** In the order of the deletions; served by deletions_account. `keptDays`: days between a deletion and its purge. */
export async function listDeletions(
  db: Db,
  accountId: number,
  keptDays: number,
  page: PageRequest,
): Promise<Page<Deletion>> {
  const { rows } = await sql<Deletion>`
    select d.id, d.kind, d.record_id as "recordId", d.model_id as "modelId", coalesce(m.name, p.name) as name,
      d.deleted_at as "deletedAt", d.purging_since is not null as "isBeingPurged",
      case when d.counts_from = '-infinity' then d.deleted_at
        else d.counts_from + ${keptDays} * interval '1 day' end as "purgeAt"
    from deletions d
    left join models m on d.kind = 'model' and m.id = d.record_id
    left join projects p on d.kind = 'project' and p.id = d.record_id
    where d.account_id = ${accountId} and d.id > ${page.after ?? 0}
    order by d.id limit ${page.limit + 1}`.execute(db);
  return toPage(rows, page);
}

/** Makes deletions due, all of the account's or the one of that id; returns how many there are. Locks in the order of their ids. */
export async function makeDue(trx: Trx, accountId: number, id: number | null): Promise<number> {
  const { rows } = await sql`
    update deletions set counts_from = '-infinity'
    where id in (
      select id from deletions
      where account_id = ${accountId} and (${id}::bigint is null or id = ${id}) order by id for update)
    returning id`.execute(trx);
  return rows.length;
}

/** A deletion that is due, locked by a transaction. */
export interface DueDeletion {
  readonly id: number;
  readonly accountId: number;
  readonly modelId: number;
  readonly kind: DeletedKind;
  readonly recordId: number;
}

/**
 * The deletion that has been due for longest, locked and marked, or undefined; those that others hold and those of
 * `exceptIds` are skipped. Served by deletions_due.
 */
export async function lockDueDeletion(
  trx: Trx,
  keptDays: number,
  exceptIds: readonly number[],
): Promise<DueDeletion | undefined> {
  const { rows } = await sql<DueDeletion>`
    update deletions set purging_since = coalesce(purging_since, now())
    where id = (
      select id from deletions
      where counts_from <= now() - ${keptDays} * interval '1 day' and id <> all (${exceptIds}::bigint[])
      order by counts_from, id limit 1 for update skip locked)
    returning id, account_id as "accountId", model_id as "modelId", kind, record_id as "recordId"`.execute(trx);
  return rows[0];
}

/** Everything it covered is gone. The deletions within a model go with it: they would find nothing. */
export async function endDeletion(trx: Trx, deletion: DueDeletion): Promise<void> {
  await sql`
    delete from deletions
    where id = ${deletion.id} or (${deletion.kind} = 'model' and model_id = ${deletion.modelId})`.execute(trx);
}

/** Ids of the deletions within a model, and whether the purge of one has begun. Served by deletions_model. */
export async function listDeletionsIn(
  db: Db,
  accountId: number,
  modelId: number,
): Promise<readonly { readonly id: number; readonly isBeingPurged: boolean }[]> {
  const { rows } = await sql<{ id: number; isBeingPurged: boolean }>`
    select id, purging_since is not null as "isBeingPurged" from deletions
    where account_id = ${accountId} and model_id = ${modelId} order by id`.execute(db);
  return rows;
}
