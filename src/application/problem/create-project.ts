/** A project fixes the input space and its input cases. */
import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import { lockModel } from '../../db/problem/models.ts';
import { insertProject } from '../../db/problem/projects.ts';
import { BYTES_PER_NUMBER, type StorageQuota } from '../../domain/accounts/storage.ts';
import { notFound } from '../../domain/errors.ts';
import { NO_NAMES } from '../../domain/problem/names.ts';
import type { NewProject, ProjectWithCases } from '../../domain/problem/project.ts';
import { refuseOverQuota } from '../accounts/account-limits.ts';
import { refuseDisabled } from '../paths.ts';
import { recordEvents } from '../record-event.ts';
import { seedOfProject } from './input-cases.ts';

/**
 * @param project with its input cases, see `withInputCases`
 *
 * Throws NOT_FOUND for the model, QUOTA_EXCEEDED. Event: project.created.
 */
export async function createProject(
  db: Db,
  accountId: number,
  modelId: number,
  project: NewProject,
  quota?: StorageQuota,
): Promise<ProjectWithCases> {
  const { inputCases, space } = project;
  return inTransaction(db, async (trx) => {
    const model = await lockModel(trx, accountId, modelId);
    if (model === undefined) throw notFound('model', modelId);
    refuseDisabled(model, 'model');
    const bytes = BYTES_PER_NUMBER * inputCases!.values.length;
    await refuseOverQuota(trx, accountId, quota, { bytes, rows: 1 });
    const created = await insertProject(trx, accountId, {
      ...space,
      modelId,
      name: project.name,
      names: project.names ?? NO_NAMES,
      outputCount: project.outputCount,
      sources: project.sources ?? null,
      inputCases: inputCases!,
      seed: seedOfProject(project),
    });
    await recordEvents(trx, accountId, [{ name: 'project.created', resourceId: created.id }]);
    return created;
  });
}
