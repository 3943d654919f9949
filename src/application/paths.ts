/**
 * Nested paths. Every id must belong to the id before it; the first that does not is reported as missing. A dialect with flat
 * paths leaves the parents out.
 */

import type { Db, Trx } from '../db/connection/transaction.ts';
import { findTrial } from '../db/data/trials.ts';
import { findModel } from '../db/problem/models.ts';
import { findProject } from '../db/problem/projects.ts';
import { findObjective } from '../db/search/objectives.ts';
import { DomainError, notFound } from '../domain/errors.ts';

export interface ProjectPath {
  readonly modelId?: number;
  readonly projectId: number;
}

export interface TrialPath {
  readonly modelId?: number;
  readonly projectId?: number;
  readonly trialId: number;
}

export interface ObjectivePath {
  readonly modelId?: number;
  readonly projectId?: number;
  readonly trialId?: number;
  readonly objectiveId: number;
}

export interface InversePath extends Partial<ObjectivePath> {
  readonly inverseId: number;
}

type AnyPath = Partial<ObjectivePath> & { readonly inverseId?: number };

/** The ids of the records that a record belongs to. */
type Parents = Omit<AnyPath, 'inverseId'>;

/** Whether every id in the client's path is a parent of the record. */
export function isUnder(path: AnyPath, parents: Parents): boolean {
  const keys = ['modelId', 'projectId', 'trialId', 'objectiveId'] as const;
  return keys.every((key) => path[key] === undefined || parents[key] === undefined || path[key] === parents[key]);
}

/** The NOT_FOUND for the first id of the path that does not exist under the one before it. */
export async function missingInPath(
  db: Db | Trx,
  accountId: number,
  path: AnyPath,
  last: { readonly resource: string; readonly id: number },
): Promise<DomainError> {
  const { modelId, projectId, trialId, objectiveId } = path;
  if (modelId !== undefined) {
    if ((await findModel(db, accountId, modelId)) === undefined) return notFound('model', modelId);
  }
  if (projectId !== undefined) {
    const project = await findProject(db, accountId, projectId);
    if (project === undefined || !isUnder(path, { modelId: project.modelId })) return notFound('project', projectId);
  }
  if (trialId !== undefined) {
    const trial = await findTrial(db, accountId, trialId);
    if (trial === undefined || !isUnder(path, { modelId: trial.modelId, projectId: trial.projectId })) {
      return notFound('trial', trialId);
    }
  }
  if (objectiveId !== undefined) {
    const objective = await findObjective(db, accountId, objectiveId);
    if (objective === undefined || !isUnder(path, parentsOf(objective))) return notFound('objective', objectiveId);
  }
  return notFound(last.resource, last.id);
}

/** The parents of an objective. */
export function parentsOf(objective: {
  readonly modelId: number;
  readonly projectId: number;
  readonly trialId: number;
}): Parents {
  return { modelId: objective.modelId, projectId: objective.projectId, trialId: objective.trialId };
}

/** Throws NOT_FOUND for a deleted record: reads still show it, but nothing may be built on it. */
export function refuseDisabled(
  record: { readonly id: number; readonly disabledAt: Date | null },
  resource: string,
): void {
  if (record.disabledAt === null) return;
  throw new DomainError('NOT_FOUND', `The ${resource} ${record.id} was deleted.`);
}
