import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { findNewestOutputCaseSet, findOutputCaseSet } from '../../db/data/output-case-sets.ts';
import * as trials from '../../db/data/trials.ts';
import { disableTree } from '../../db/deletion/disable.ts';
import type { StorageQuota } from '../../domain/accounts/storage.ts';
import { canMoveTrial, type Trial, TrialStatus } from '../../domain/data/trial.ts';
import { DomainError, makeViolation, notFound, refuseViolations } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { refuseOverQuota } from '../accounts/account-limits.ts';
import { isUnder, missingInPath, type ProjectPath, type TrialPath } from '../paths.ts';
import { getProject, lockProjectAt } from '../problem/manage-projects.ts';

/** Another trial on the newest set of output cases, or on the named one. Throws QUOTA_EXCEEDED besides. */
export async function createTrial(
  db: Db,
  accountId: number,
  path: ProjectPath,
  request: { readonly outputCaseSetId: number | null },
  quota?: StorageQuota,
): Promise<Trial> {
  return inTransaction(db, async (trx) => {
    const project = await lockProjectAt(trx, accountId, path);
    await refuseOverQuota(trx, accountId, quota);
    const id = request.outputCaseSetId;
    const set =
      id === null
        ? await findNewestOutputCaseSet(trx, accountId, project.id)
        : await findOutputCaseSet(trx, accountId, id);
    if (set === undefined || set.projectId !== project.id || set.disabledAt !== null) {
      const message =
        id === null ? 'the project has no output cases yet; load them first.' : `the project has no set ${id}.`;
      refuseViolations([makeViolation(['output_case_set_id'], message)]);
    }
    return trials.insertTrial(trx, accountId, {
      modelId: project.modelId,
      projectId: project.id,
      outputCaseSetId: set!.id,
    });
  });
}

export async function getTrial(db: Db | Trx, accountId: number, path: TrialPath): Promise<Trial> {
  const trial = await trials.findTrial(db, accountId, path.trialId);
  if (trial === undefined || !isUnder(path, trial)) throw await missingTrial(db, accountId, path);
  return trial;
}

export async function listTrials(
  db: Db,
  accountId: number,
  path: ProjectPath,
  page: PageRequest,
): Promise<Page<Trial>> {
  await getProject(db, accountId, path);
  return trials.listTrials(db, accountId, path.projectId, page);
}

/** Moves an active trial to completed; repeating a status changes nothing. Throws VALIDATION_FAILED for other moves. */
export async function updateTrial(
  db: Db,
  accountId: number,
  path: TrialPath,
  change: { readonly status?: TrialStatus },
): Promise<Trial> {
  return inTransaction(db, async (trx) => {
    const trial = await lockTrialAt(trx, accountId, path);
    if (change.status === undefined || change.status === trial.status) return trial;
    if (!canMoveTrial(trial.status, change.status)) {
      const message = `the trial is ${trial.status}; only an active trial can be changed, and only to completed.`;
      refuseViolations([makeViolation(['status'], message)]);
    }
    return trials.setTrialStatus(trx, trial.id, change.status);
  });
}

/** Disables the trial and everything below it. Idempotent. */
export async function deleteTrial(db: Db, accountId: number, path: TrialPath): Promise<void> {
  await getTrial(db, accountId, path);
  await inTransaction(db, (trx) => disableTree(trx, accountId, 'trials', path.trialId));
}

/** The trial of the path, locked. Throws NOT_FOUND, also for a deleted one. */
export async function lockTrialAt(trx: Trx, accountId: number, path: TrialPath): Promise<Trial> {
  const trial = await trials.lockTrial(trx, accountId, path.trialId);
  if (trial === undefined || !isUnder(path, trial)) throw await missingTrial(trx, accountId, path);
  if (trial.disabledAt !== null) throw notFound('trial', path.trialId);
  return trial;
}

/** Throws TRIAL_CLOSED unless the trial still takes objectives and suggestions. */
export function refuseClosedTrial(trialId: number, status: string): void {
  if (status === TrialStatus.active) return;
  throw new DomainError('TRIAL_CLOSED', `The trial ${trialId} is ${status}, not active; start another trial.`);
}

function missingTrial(db: Db | Trx, accountId: number, path: TrialPath) {
  return missingInPath(db, accountId, path, { resource: 'trial', id: path.trialId });
}
