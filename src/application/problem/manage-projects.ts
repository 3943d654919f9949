import { tellBatchesOf } from '../../db/batches/batches.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { listOutputCounts } from '../../db/data/output-case-sets.ts';
import { disableTree } from '../../db/deletion/disable.ts';
import { findModel } from '../../db/problem/models.ts';
import * as projects from '../../db/problem/projects.ts';
import { listConstraints, type StatedConstraints, storeConstraints } from '../../db/search/objectives.ts';
import { makeViolation, notFound, refuseViolations, type Violation } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { renameConstraints } from '../../domain/problem/input-details.ts';
import { checkNames, inputNamesOf, type ProjectNames } from '../../domain/problem/names.ts';
import type { Project } from '../../domain/problem/project.ts';
import { isUnder, missingInPath, type ProjectPath } from '../paths.ts';

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

/** Changes that a client may make to a project; null removes names or units. */
export type ProjectPatch = {
  readonly name?: string | undefined;
  /** null: any number. */
  readonly maximumEvaluations?: number | null | undefined;
} & {
  readonly [Field in keyof ProjectNames]?: ProjectNames[Field] | undefined;
};

/** Constraints call the inputs by their new names afterwards. Throws NOT_FOUND, also for a deleted one, VALIDATION_FAILED. */
export async function updateProject(
  db: Db,
  accountId: number,
  path: ProjectPath,
  { name, maximumEvaluations, ...stated }: ProjectPatch,
): Promise<Project> {
  return inTransaction(db, async (trx) => {
    const project = await lockProjectAt(trx, accountId, path);
    const change = {
      ...(name !== undefined && { name }),
      ...(maximumEvaluations !== undefined && { maximumEvaluations }),
    };
    if (maximumEvaluations !== undefined) await tellBatchesOf(trx, project.id);
    if (Object.values(stated).every((list) => list === undefined)) {
      return projects.changeProject(trx, project.id, change);
    }
    const names = changedNames(project.names, stated);
    const counted = await countOutputs(trx, accountId, project, stated);
    const { details, violations } = renameInConstraints(project, names);
    refuseViolations([
      ...counted.violations,
      ...checkNames(names, { inputCount: project.inputCount, outputCount: counted.outputCount }),
      ...violations,
    ]);
    await renameInObjectives(trx, accountId, project, names);
    const { outputCount } = counted;
    return projects.changeProject(trx, project.id, { ...change, names, outputCount, ...details });
  });
}

type StatedNames = Omit<ProjectPatch, 'name' | 'maximumEvaluations'>;

function changedNames(names: ProjectNames, stated: StatedNames): ProjectNames {
  const changes = Object.entries(stated).filter(([, list]) => list !== undefined);
  return { ...names, ...Object.fromEntries(changes) };
}

/** The number of outputs: what is known, or what the new names state. It must be that of all loaded output cases. */
async function countOutputs(
  trx: Trx,
  accountId: number,
  project: Project,
  { outputNames, outputUnits }: StatedNames,
): Promise<{ readonly outputCount: number | null; readonly violations: readonly Violation[] }> {
  if (project.outputCount !== null) return { outputCount: project.outputCount, violations: [] };
  const [field, list] = outputNames ? ['outputNames', outputNames] : ['outputUnits', outputUnits];
  if (list === undefined || list === null) return { outputCount: null, violations: [] };
  const other = (await listOutputCounts(trx, accountId, project.id)).find((count) => count !== list.length);
  if (other === undefined) return { outputCount: list.length, violations: [] };
  const message = `must have one value per output of the loaded output cases (${other}), has ${list.length}.`;
  return { outputCount: null, violations: [makeViolation([field as string], message)] };
}

function renameInConstraints(project: Project, { inputNames }: ProjectNames) {
  const { details, inputCount, names } = project;
  const to = inputNamesOf(inputCount, inputNames);
  if (details?.constraints == null || to.length !== inputCount) return { details: {}, violations: [] };
  const from = inputNamesOf(inputCount, names.inputNames);
  const { constraints, violations } = renameConstraints(details.constraints, from, to);
  return { details: { details: { ...details, constraints } }, violations };
}

/** Objectives whose constraints are rewritten at a time. The longest have half a megabyte. */
const OBJECTIVES_AT_ONCE = 50;

/** In the constraints of the project's objectives. Throws VALIDATION_FAILED. */
async function renameInObjectives(
  trx: Trx,
  accountId: number,
  { id, inputCount, names }: Project,
  { inputNames }: ProjectNames,
): Promise<void> {
  const [from, to] = [inputNamesOf(inputCount, names.inputNames), inputNamesOf(inputCount, inputNames)];
  if (areEqualNames(from, to)) return;
  let page: readonly StatedConstraints[];
  let after = 0;
  do {
    page = await listConstraints(trx, accountId, id, after, OBJECTIVES_AT_ONCE);
    const renamed = page.map((objective) => ({
      objective,
      ...renameConstraints(objective.constraints.sent, from, to, ` of objective ${objective.id}`),
    }));
    refuseViolations(renamed.flatMap(({ violations }) => violations));
    await storeConstraints(
      trx,
      accountId,
      renamed.map(({ objective, constraints }) => ({
        id: objective.id,
        constraints: { ...objective.constraints, sent: constraints },
      })),
    );
    after = page.at(-1)?.id ?? 0;
  } while (page.length === OBJECTIVES_AT_ONCE);
}

function areEqualNames(a: readonly string[], b: readonly string[]): boolean {
  return a.every((name, i) => name === b[i]);
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
