import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import * as sets from '../../db/data/output-case-sets.ts';
import { findTrialsOfSets, insertTrial } from '../../db/data/trials.ts';
import { markDeveloped } from '../../db/problem/projects.ts';
import { BYTES_PER_NUMBER, NO_QUOTA, type StorageQuota } from '../../domain/accounts/storage.ts';
import { type CaseLimits, checkCaseLimits, NO_CASE_LIMITS } from '../../domain/data/case-limits.ts';
import { readJacobians, toJacobianMatrix } from '../../domain/data/jacobian.ts';
import {
  checkOutputCases,
  type OutputCaseSet,
  type OutputCaseSetWithCases,
  type OutputCases,
  resolveOutputRows,
  type Trial,
} from '../../domain/data/trial.ts';
import { refuseViolations } from '../../domain/errors.ts';
import type { Matrix } from '../../domain/matrix.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Project } from '../../domain/problem/project.ts';
import { refuseOverQuota } from '../accounts/account-limits.ts';
import { isUnder, missingInPath, type ProjectPath } from '../paths.ts';
import { getProject, lockProjectAt } from '../problem/manage-projects.ts';
import { recordEvents } from '../record-event.ts';

/** A set with the trial that its load created; null when that was deleted and purged. */
export interface LoadedSet {
  readonly set: OutputCaseSet;
  readonly trialId: number | null;
}

/**
 * Stores the set and a trial on it, in one transaction. Throws NOT_FOUND, VALIDATION_FAILED, QUOTA_EXCEEDED. Event:
 * output_cases.loaded.
 */
export async function loadOutputCases(
  db: Db,
  accountId: number,
  path: ProjectPath,
  sent: OutputCases,
  limits: CaseLimits & StorageQuota = { ...NO_CASE_LIMITS, ...NO_QUOTA },
): Promise<{ readonly set: OutputCaseSetWithCases; readonly trial: Trial }> {
  const { rows, columns } = sent.outputCases;
  refuseViolations(checkCaseLimits('outputCases', rows, columns, limits));
  return inTransaction(db, async (trx) => {
    const project = await lockProjectAt(trx, accountId, path);
    refuseViolations(checkOutputCases(sent, project));
    const { cases, violations } = resolveOutputRows(sent, project.names.outputNames);
    refuseViolations(violations);
    const { outputCases } = cases;
    const jacobians = jacobiansOf(cases, project);
    const numbers = outputCases.values.length + (jacobians?.values.length ?? 0);
    await refuseOverQuota(trx, accountId, limits, { bytes: BYTES_PER_NUMBER * numbers, rows: 2 });
    const parents = { modelId: project.modelId, projectId: project.id };
    const set = await sets.insertOutputCaseSet(trx, accountId, {
      ...parents,
      outputCount: cases.outputCount,
      outputCases,
      failedCases: [...new Set(cases.failedCases)].sort((a, b) => a - b),
      jacobians,
    });
    const trial = await insertTrial(trx, accountId, { ...parents, outputCaseSetId: set.id });
    await markDeveloped(trx, project.id);
    await recordEvents(trx, accountId, [{ name: 'output_cases.loaded', resourceId: trial.id }]);
    return { set, trial };
  });
}

/** One row per case, NaN where not known; null without any. Throws VALIDATION_FAILED. */
function jacobiansOf(
  { outputCount, failedCases, jacobians, sentJacobians }: OutputCases,
  project: Project,
): Matrix | null {
  const shape = { outputCount, inputCount: project.inputCount, inputTypes: project.inputTypes, ...project.names };
  const failed = new Set(failedCases);
  const read = readJacobians(sentJacobians ?? [], shape, { field: 'jacobians', failed });
  refuseViolations(read.violations);
  return toJacobianMatrix(jacobians ?? read.jacobians, shape);
}

export interface OutputCaseSetPath {
  readonly modelId?: number;
  readonly projectId?: number;
  readonly outputCaseSetId: number;
}

export async function getOutputCaseSet(db: Db, accountId: number, path: OutputCaseSetPath): Promise<LoadedSet> {
  const set = await sets.findOutputCaseSet(db, accountId, path.outputCaseSetId);
  if (set === undefined || !isUnder(path, set)) {
    throw await missingInPath(db, accountId, path, { resource: 'output case set', id: path.outputCaseSetId });
  }
  const trials = await findTrialsOfSets(db, accountId, [set.id]);
  return { set, trialId: trials.get(set.id) ?? null };
}

export async function listOutputCaseSets(
  db: Db,
  accountId: number,
  path: ProjectPath,
  request: PageRequest,
): Promise<Page<LoadedSet>> {
  await getProject(db, accountId, path);
  const page = await sets.listOutputCaseSets(db, accountId, path.projectId, request);
  const ids = page.items.map((set) => set.id);
  const trials = await findTrialsOfSets(db, accountId, ids);
  return { ...page, items: page.items.map((set) => ({ set, trialId: trials.get(set.id) ?? null })) };
}
