/** Drafts of the page. Instants are those of the database's clock. */
import { sql } from 'kysely';
import { DRAFT_DAYS, MAXIMUM_DRAFTS, ownersOf, type PageDraft } from '../../domain/accounts/page-draft.ts';
import type { Db } from '../connection/transaction.ts';

const COLUMNS = sql`subject, writer, text, updated_at as "updatedAt"`;
const AGE = sql`make_interval(days => ${sql.lit(DRAFT_DAYS)})`;

/** Lists the drafts of one subject, newest first. Primary key. */
export async function listDrafts(db: Db, accountId: number, subject: string): Promise<readonly PageDraft[]> {
  const { rows } = await sql<PageDraft>`
    select ${COLUMNS} from page_drafts
    where account_id = ${accountId} and subject = ${subject} and updated_at > now() - ${AGE}
    order by updated_at desc, writer`.execute(db);
  return rows;
}

/** Stores the draft, which keeps its age if it is the same; undefined if it belongs to an objective or inverse that the account does not have. */
export async function storeDraft(
  db: Db,
  accountId: number,
  { subject, writer, text }: Omit<PageDraft, 'updatedAt'>,
): Promise<PageDraft | undefined> {
  const { objectiveId, inverseId } = ownersOf(subject);
  const { rows } = await sql<PageDraft>`
    insert into page_drafts (account_id, subject, writer, objective_id, inverse_id, text)
    select ${accountId}, ${subject}, ${writer}, ${objectiveId}::bigint, ${inverseId}::bigint, ${text}
    where ${objectiveId}::bigint is null or exists (
      select from inverses i join objectives o on o.id = i.objective_id
      where i.id = ${inverseId} and o.id = ${objectiveId} and o.account_id = ${accountId} and o.disabled_at is null)
    on conflict (account_id, subject, writer) do update set text = excluded.text,
      updated_at = case when page_drafts.text = excluded.text then page_drafts.updated_at else now() end
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** An account has few drafts: all of them are looked at. */
export async function removeSurplusDrafts(db: Db, accountId: number): Promise<void> {
  await sql`
    delete from page_drafts where account_id = ${accountId} and (subject, writer) in (
      select subject, writer from page_drafts where account_id = ${accountId}
      order by updated_at desc offset ${sql.lit(MAXIMUM_DRAFTS)})`.execute(db);
}

export async function removeDraft(db: Db, accountId: number, subject: string, writer: string): Promise<void> {
  await sql`
    delete from page_drafts where account_id = ${accountId} and subject = ${subject} and writer = ${writer}`.execute(
    db,
  );
}

/** Removes drafts that have ended; returns how many. The table is small and read as a whole. */
export async function purgeEndedDrafts(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`delete from page_drafts where updated_at <= now() - ${AGE}`.execute(db);
  return Number(numAffectedRows ?? 0);
}
