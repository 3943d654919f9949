/** Uploaded workbooks. A batch whose evaluator is a workbook keeps it. */
import { sql } from 'kysely';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import {
  MAXIMUM_WORKBOOKS,
  type SheetCells,
  type SurveyedWorkbook,
  UNUSED_WORKBOOK_DAYS,
  type Workbook,
} from '../../domain/workbooks/workbook.ts';
import { deleteStored } from '../accounts/account-usage.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { rowsOfPage } from '../pages.ts';

const COLUMNS = sql`w.id, w.name, octet_length(w.content) as bytes, w.created_at as "createdAt"`;

export interface NewWorkbookRow {
  readonly name: string;
  readonly content: Uint8Array;
  readonly cells: SheetCells;
}

export async function insertWorkbook(
  trx: Db | Trx,
  accountId: number,
  { name, content, cells }: NewWorkbookRow,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into workbooks (account_id, name, content, cells)
    values (${accountId}, ${name}, ${Buffer.from(content)}, ${JSON.stringify(cells)}) returning id`.execute(trx);
  return rows[0]!.id;
}

/** Whether the account has as many as it may. Served by workbooks_account. */
export async function hasMostWorkbooks(db: Db | Trx, accountId: number): Promise<boolean> {
  const { rows } = await sql`
    select from workbooks where account_id = ${accountId} offset ${sql.lit(MAXIMUM_WORKBOOKS - 1)} limit 1`.execute(db);
  return rows.length === 1;
}

/** Primary key. */
export async function findWorkbook(db: Db | Trx, accountId: number, id: number): Promise<SurveyedWorkbook | undefined> {
  const { rows } = await sql<SurveyedWorkbook>`
    select ${COLUMNS}, w.cells from workbooks w where w.account_id = ${accountId} and w.id = ${id}`.execute(db);
  return rows[0];
}

export async function listWorkbooks(db: Db, accountId: number, page: PageRequest): Promise<Page<Workbook>> {
  const { condition, order } = rowsOfPage('w.id', page);
  const { rows } = await sql<Workbook>`
    select ${COLUMNS} from workbooks w where w.account_id = ${accountId} and ${condition}
    order by ${order} limit ${page.limit + 1}`.execute(db);
  return toPage(rows, page);
}

export interface WorkbookFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** Primary key. */
export async function readFile(db: Db | Trx, accountId: number, id: number): Promise<WorkbookFile | undefined> {
  const { rows } = await sql<WorkbookFile>`
    select name, content from workbooks where account_id = ${accountId} and id = ${id}`.execute(db);
  return rows[0];
}

/** Keeps it until the transaction ends; false: the account has none with this id. */
export async function holdWorkbook(trx: Trx, accountId: number, id: number): Promise<boolean> {
  const { rows } = await sql`
    select from workbooks where account_id = ${accountId} and id = ${id} for key share`.execute(trx);
  return rows.length === 1;
}

/** A batch that uses it, purged ones excepted. Served by batches_workbook. */
export async function findBatchOf(db: Db | Trx, id: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from batches where workbook_id = ${id} order by id limit 1`.execute(db);
  return rows[0]?.id;
}

/** False: the account has none with this id that no batch uses. */
export async function removeWorkbook(trx: Trx, accountId: number, id: number): Promise<boolean> {
  const gone = await deleteStored(
    trx,
    'workbooks',
    sql`delete from workbooks w where w.account_id = ${accountId} and w.id = ${id}
      and not exists (select from batches b where b.workbook_id = w.id)`,
  );
  return gone.length === 1;
}

const REMOVED_AT_ONCE = 20;

/** Removes some that no batch has used for a while after they came, and returns how many. */
export async function removeUnused(db: Db): Promise<number> {
  const gone = await deleteStored(
    db,
    'workbooks',
    sql`delete from workbooks where id in (
      select w.id from workbooks w
      where w.created_at < now() - make_interval(days => ${sql.lit(UNUSED_WORKBOOK_DAYS)})
        and not exists (select from batches b where b.workbook_id = w.id)
      order by w.id limit ${REMOVED_AT_ONCE} for update skip locked)`,
  );
  return gone.length;
}
