import { type Db, inTransaction, violatedUnique } from '../../db/connection/transaction.ts';
import { disableTree } from '../../db/deletion/disable.ts';
import * as models from '../../db/problem/models.ts';
import type { StorageQuota } from '../../domain/accounts/storage.ts';
import { makeViolation, notFound, validationFailed } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Model } from '../../domain/problem/model.ts';
import { refuseOverQuota } from '../accounts/account-limits.ts';

/** Throws VALIDATION_FAILED when an active model of the account has that name, QUOTA_EXCEEDED. */
export async function createModel(
  db: Db,
  accountId: number,
  model: models.ModelText,
  quota?: StorageQuota,
): Promise<Model> {
  await refuseOverQuota(db, accountId, quota);
  return refusingTakenName(
    () => models.insertModel(db, accountId, model),
    () => model.name,
  );
}

export async function getModel(db: Db, accountId: number, modelId: number): Promise<Model> {
  const model = await models.findModel(db, accountId, modelId);
  if (model === undefined) throw notFound('model', modelId);
  return model;
}

export function listModels(db: Db, accountId: number, page: PageRequest): Promise<Page<Model>> {
  return models.listModels(db, accountId, page);
}

/** Throws VALIDATION_FAILED when another active model has that name, QUOTA_EXCEEDED for a text beyond the quota. */
export async function updateModel(
  db: Db,
  accountId: number,
  modelId: number,
  change: Partial<models.ModelText>,
  quota?: StorageQuota,
): Promise<Model> {
  if (change.description != null) await refuseOverQuota(db, accountId, quota);
  const update = () => models.updateModel(db, accountId, modelId, change);
  const model = await refusingTakenName(update, () => change.name ?? '');
  if (model === undefined) throw notFound('model', modelId);
  return model;
}

/** Disables the model and everything below it. Idempotent. */
export async function deleteModel(db: Db, accountId: number, modelId: number): Promise<void> {
  const isFound = await inTransaction(db, (trx) => disableTree(trx, accountId, 'models', modelId));
  if (!isFound) throw notFound('model', modelId);
}

export async function refusingTakenName<T>(write: () => Promise<T>, nameOf: () => string): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (violatedUnique(error) !== models.MODEL_NAME_INDEX) throw error;
    throw validationFailed([makeViolation(['name'], `"${nameOf()}" is the name of another model of this account.`)]);
  }
}
