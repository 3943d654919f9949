import { type SelectQueryBuilder, sql } from 'kysely';
import { type Extent, type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { Model } from '../../domain/problem/model.ts';
import { noteChanged } from '../accounts/account-usage.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { isWithinExtent } from '../extent.ts';
import type { Database } from '../schema.ts';

const COLUMNS = [
  'id',
  'name',
  'description',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'disabled_at as disabledAt',
] as const;

/** The unique index that a second active model of the same name violates. */
export const MODEL_NAME_INDEX = 'models_name_per_account';

function models(db: Db | Trx, accountId: number): SelectQueryBuilder<Database, 'models', Model> {
  return db.selectFrom('models').select(COLUMNS).where('account_id', '=', accountId);
}

/** Disabled ones included. Primary key. */
export function findModel(db: Db | Trx, accountId: number, id: number): Promise<Model | undefined> {
  return models(db, accountId).where('id', '=', id).executeTakeFirst();
}

/** Locks the row, so that no child is made under a model that is being deleted. */
export function lockModel(trx: Trx, accountId: number, id: number): Promise<Model | undefined> {
  return models(trx, accountId).where('id', '=', id).forShare().executeTakeFirst();
}

export async function listModels(
  db: Db,
  accountId: number,
  page: PageRequest,
  extent: Extent = 'active',
): Promise<Page<Model>> {
  const rows = await models(db, accountId)
    .where(isWithinExtent(extent))
    .where('id', '>', page.after ?? 0)
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return toPage(rows, page);
}

export interface ModelText {
  readonly name: string;
  readonly description: string | null;
}

/** Throws the unique violation of MODEL_NAME_INDEX when the name is taken. */
export function insertModel(db: Db, accountId: number, model: ModelText): Promise<Model> {
  return db
    .insertInto('models')
    .values({ account_id: accountId, ...model })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Undefined when there is no active model of that id. Throws the unique violation of MODEL_NAME_INDEX. */
export async function updateModel(
  db: Db,
  accountId: number,
  id: number,
  change: Partial<ModelText>,
): Promise<Model | undefined> {
  const model = await db
    .updateTable('models')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .returning(COLUMNS)
    .executeTakeFirst();
  if (model !== undefined) await noteChanged(db, 'models', id);
  return model;
}
