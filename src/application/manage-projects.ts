import { disableTree } from '../db/disable.ts';
import { findModel } from '../db/models.ts';
import * as projects from '../db/projects.ts';
import { type Db, inTransaction, type Trx } from '../db/transaction.ts';
import { notFound } from '../domain/errors.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { Project } from '../domain/project.ts';
import { isUnder, missingInPath, type ProjectPath } from './paths.ts';

export async function getProject(db: Db | Trx, accountId: number, path: ProjectPath): Promise<Project> {
  const project = await projects.findProject(db, accountId, path.projectId);
  if (project === undefined || !isUnder(path, project)) throw await missingProject(db, accountId, path);
  return project;
}

export async function listProjects(
  db: Db,
  accountId: number,
  modelId: number,
  page: PageRequest,
): Promise<Page<Project>> {
  if ((await findModel(db, accountId, modelId)) === undefined) throw notFound('model', modelId);
  return projects.listProjects(db, accountId, modelId, page);
}

export async function updateProject(
  db: Db,
  accountId: number,
  path: ProjectPath,
  change: { readonly name?: string },
): Promise<Project> {
  await getProject(db, accountId, path);
  const project = await projects.renameProject(db, accountId, path.projectId, change.name);
  if (project === undefined) throw notFound('project', path.projectId);
  return project;
}

/** Disables the project and everything below it. Idempotent. */
export async function deleteProject(db: Db, accountId: number, path: ProjectPath): Promise<void> {
  await getProject(db, accountId, path);
  await inTransaction(db, (trx) => disableTree(trx, accountId, 'projects', path.projectId));
}

/** The project of the path, locked. Throws NOT_FOUND, also for a deleted one. */
export async function lockProjectAt(trx: Trx, accountId: number, path: ProjectPath): Promise<Project> {
  const project = await projects.lockProject(trx, accountId, path.projectId);
  if (project === undefined || !isUnder(path, project)) throw await missingProject(trx, accountId, path);
  if (project.disabledAt !== null) throw notFound('project', path.projectId);
  return project;
}

function missingProject(db: Db | Trx, accountId: number, path: ProjectPath) {
  return missingInPath(db, accountId, path, { resource: 'project', id: path.projectId });
}
