/** Links that show an objective. Instants are those of the database's clock. */
import { sql } from 'kysely';
import {
  EXPIRED_LINK_DAYS,
  MAXIMUM_LINKS,
  type ReportFiles,
  type SharedKind,
  type SharedLink,
  type SharedSubject,
} from '../../domain/exports/shared-link.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { deleteStored } from '../accounts/account-usage.ts';
import type { Db, Trx } from '../connection/transaction.ts';

const COLUMNS = sql`l.id, l.objective_id as "objectiveId", l.kind, l.label, l.created_by as "createdBy", l.created_at as "createdAt",
  l.expires_at as "expiresAt", l.last_used_at as "lastUsedAt"`;

export interface NewSharedLink {
  readonly objectiveId: number;
  readonly tokenHash: Buffer;
  readonly kind: SharedKind;
  readonly label: string | null;
  readonly createdBy: string;
  readonly expiresAt: Date;
  /** null unless it shows a report as it was. */
  readonly report: ReportFiles | null;
}

export async function insertSharedLink(trx: Trx, accountId: number, link: NewSharedLink): Promise<SharedLink> {
  const { objectiveId, tokenHash, kind, label, createdBy, expiresAt, report } = link;
  const [html, pdf] = [report && Buffer.from(report.html), report && Buffer.from(report.pdf)];
  const { rows } = await sql<SharedLink>`
    insert into shared_links as l (account_id, objective_id, token_hash, kind, label, created_by, expires_at, file_name, html, pdf)
    values (${accountId}, ${objectiveId}, ${tokenHash}, ${kind}, ${label}, ${createdBy}, ${expiresAt}, ${report?.fileName ?? null}, ${html}, ${pdf})
    returning ${COLUMNS}`.execute(trx);
  return rows[0]!;
}

/** Whether the account has as many as it may. Served by shared_links_account. */
export async function hasMostLinks(trx: Trx, accountId: number): Promise<boolean> {
  const { rows } = await sql`
    select from shared_links where account_id = ${accountId} offset ${sql.lit(MAXIMUM_LINKS - 1)} limit 1`.execute(trx);
  return rows.length === 1;
}

/** All of the account, or those of one objective, oldest first. */
export async function listSharedLinks(
  db: Db,
  accountId: number,
  objectiveId: number | null,
  page: PageRequest,
): Promise<Page<SharedLink>> {
  const { rows } = await sql<SharedLink>`
    select ${COLUMNS} from shared_links l
    where l.account_id = ${accountId} and l.id > ${page.after ?? 0}
      ${objectiveId === null ? sql`` : sql`and l.objective_id = ${objectiveId}`}
    order by l.id limit ${page.limit + 1}`.execute(db);
  return toPage(rows, page);
}

/** False: the account has none with this id. */
export async function removeSharedLink(db: Db, accountId: number, id: number): Promise<boolean> {
  const deletion = sql`delete from shared_links where account_id = ${accountId} and id = ${id}`;
  return (await deleteStored(db, 'shared_links', deletion)).length === 1;
}

/** The record that a token leads to, unless the link has expired, its objective is deleted or its account disabled. Unique hash. */
export async function findSharedSubject(db: Db, tokenHash: Buffer): Promise<SharedSubject | undefined> {
  const { rows } = await sql<SharedSubject>`
    select l.id as "linkId", l.account_id as "accountId", l.objective_id as "objectiveId", l.kind
    from shared_links l
    join accounts a on a.id = l.account_id
    join objectives o on o.id = l.objective_id
    where l.token_hash = ${tokenHash} and l.expires_at > now() and a.disabled_at is null and o.disabled_at is null`.execute(
    db,
  );
  return rows[0];
}

/** One file of the report that a link keeps; undefined if it keeps none. Primary key. */
export async function readSharedFile(
  db: Db,
  { accountId, linkId }: SharedSubject,
  format: 'html' | 'pdf',
): Promise<{ readonly fileName: string; readonly bytes: Uint8Array } | undefined> {
  const { rows } = await sql<{ fileName: string; bytes: Uint8Array }>`
    select file_name as "fileName", ${sql.ref(format)} as bytes from shared_links
    where account_id = ${accountId} and id = ${linkId} and kind = 'report'`.execute(db);
  return rows[0];
}

/** Records the last use of many links in one statement; instants only move forward. */
export async function recordLinkUse(db: Db, uses: ReadonlyMap<number, Date>): Promise<void> {
  if (uses.size === 0) return;
  const instants = [...uses.values()].map((at) => at.toISOString());
  await sql`
    update shared_links l set last_used_at = greatest(l.last_used_at, u.used_at)
    from unnest(${[...uses.keys()]}::bigint[], ${instants}::timestamptz[]) as u (id, used_at)
    where l.id = u.id`.execute(db);
}

const REMOVED_AT_ONCE = 200;

/** Removes some that expired long ago; returns how many. The table is small and read as a whole. */
export async function removeExpiredLinks(db: Db): Promise<number> {
  const gone = await deleteStored(
    db,
    'shared_links',
    sql`delete from shared_links where id in (
      select id from shared_links where expires_at < now() - make_interval(days => ${sql.lit(EXPIRED_LINK_DAYS)})
      order by id limit ${REMOVED_AT_ONCE} for update skip locked)`,
  );
  return gone.length;
}
