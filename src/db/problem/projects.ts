import { sql } from 'kysely';
import type { Matrix } from '../../domain/matrix.ts';
import { type Extent, type Page, type PageRequest, toPage } from '../../domain/page.ts';
import type { InputDetails, InputType } from '../../domain/problem/input-space.ts';
import type { ProjectNames } from '../../domain/problem/names.ts';
import type { Project, ProjectWithCases } from '../../domain/problem/project.ts';
import { noteChanged } from '../accounts/account-usage.ts';
import { compileOnce } from '../connection/compiled.ts';
import { anyOf } from '../connection/prepared-statements.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { isWithinExtent } from '../extent.ts';
import { decodeMatrix, encodeMatrix, matrixColumn } from '../matrices.ts';

const COLUMNS = [
  'id',
  'model_id as modelId',
  'name',
  'input_count as inputCount',
  'minimums',
  'maximums',
  'input_types as inputTypes',
  'categories',
  'input_details as inputDetails',
  'input_names as inputNames',
  'input_units as inputUnits',
  'output_names as outputNames',
  'output_units as outputUnits',
  'case_count as caseCount',
  'output_count as outputCount',
  'seed',
  'maximum_evaluations as maximumEvaluations',
  'sources',
  'developed_at as developedAt',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'disabled_at as disabledAt',
] as const;

interface ProjectRow extends Omit<Project, 'inputTypes' | 'details' | 'names' | 'sources'>, ProjectNames {
  readonly sources: unknown;
  readonly inputTypes: readonly string[];
  readonly inputDetails: unknown;
}

/** The types and the details were checked before they were stored; details from versions before 0.1.0 may hold names. */
function toProject(row: ProjectRow): Project {
  const { inputDetails, inputNames, inputUnits, outputNames, outputUnits, ...project } = row;
  const { inputNames: _, inputUnits: __, ...details } = (inputDetails ?? {}) as InputDetails & Partial<ProjectNames>;
  return {
    ...project,
    ...(inputDetails !== null && { details }),
    names: { inputNames, inputUnits, outputNames, outputUnits },
    inputTypes: row.inputTypes as readonly InputType[],
    sources: row.sources as Project['sources'],
  };
}

function projects(db: Db | Trx, accountId: number) {
  return db.selectFrom('projects').select(COLUMNS).where('account_id', '=', accountId);
}

const selectProject = compileOnce<{ accountId: number; id: number }, ProjectRow>((db, value) =>
  projects(db, value('accountId')).where('id', '=', value('id')),
);

/** Disabled ones included. Primary key. */
export async function findProject(db: Db | Trx, accountId: number, id: number): Promise<Project | undefined> {
  const [row] = await selectProject(db, { accountId, id });
  return row && toProject(row);
}

/** By id, disabled ones included; those that do not exist are left out. Along the primary key. */
export async function findProjects(
  db: Db,
  accountId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Project>> {
  if (ids.length === 0) return new Map();
  const rows = await projects(db, accountId).where('id', '=', anyOf(ids)).execute();
  return new Map(rows.map((row) => [row.id, toProject(row)]));
}

const selectProjectWithCases = compileOnce<{ accountId: number; id: number }, ProjectRow & { inputCases: Buffer }>(
  (db, value) =>
    projects(db, value('accountId')).select(matrixColumn('input_cases').as('inputCases')).where('id', '=', value('id')),
);

/** Disabled ones included. Primary key. */
export async function findProjectWithCases(
  db: Db | Trx,
  accountId: number,
  id: number,
): Promise<ProjectWithCases | undefined> {
  const [row] = await selectProjectWithCases(db, { accountId, id });
  return row && { ...toProject(row), inputCases: decodeMatrix(row.inputCases) };
}

/** Locks the row: loads of output cases and new trials of one project queue up here, which numbers the trials. */
export async function lockProject(trx: Trx, accountId: number, id: number): Promise<Project | undefined> {
  const row = await projects(trx, accountId).where('id', '=', id).forUpdate().executeTakeFirst();
  return row && toProject(row);
}

export async function listProjects(
  db: Db,
  accountId: number,
  modelId: number,
  page: PageRequest,
  extent: Extent = 'active',
): Promise<Page<Project>> {
  const rows = await projects(db, accountId)
    .where('model_id', '=', modelId)
    .where(isWithinExtent(extent))
    .where('id', '>', page.after ?? 0)
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return toPage(rows.map(toProject), page);
}

/** The active projects of several models, by id. */
export async function listProjectsOf(
  db: Db,
  accountId: number,
  modelIds: readonly number[],
): Promise<readonly Project[]> {
  if (modelIds.length === 0) return [];
  const rows = await projects(db, accountId)
    .where('model_id', '=', anyOf(modelIds))
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(toProject);
}

export type NewProjectRow = Omit<
  ProjectWithCases,
  'id' | 'caseCount' | 'maximumEvaluations' | 'developedAt' | 'createdAt' | 'updatedAt' | 'disabledAt'
>;

export async function insertProject(
  db: Db | Trx,
  accountId: number,
  project: NewProjectRow,
): Promise<ProjectWithCases> {
  const row = await db
    .insertInto('projects')
    .values({
      account_id: accountId,
      model_id: project.modelId,
      name: project.name,
      input_count: project.inputCount,
      minimums: project.minimums,
      maximums: project.maximums,
      input_types: project.inputTypes,
      categories: JSON.stringify(project.categories),
      input_details: project.details === undefined ? null : JSON.stringify(project.details),
      input_cases: encodeMatrix(project.inputCases),
      case_count: project.inputCases.rows,
      ...nameColumns(project.names),
      output_count: project.outputCount,
      sources: project.sources === null ? null : JSON.stringify(project.sources),
      seed: project.seed,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return { ...toProject(row), inputCases: project.inputCases };
}

function nameColumns(names: ProjectNames) {
  return {
    input_names: names.inputNames,
    input_units: names.inputUnits,
    output_names: names.outputNames,
    output_units: names.outputUnits,
  };
}

export interface ProjectChange extends Partial<Pick<Project, 'name' | 'names' | 'outputCount' | 'maximumEvaluations'>> {
  readonly details?: InputDetails;
}

/** The caller holds the lock of the row. */
export async function changeProject(trx: Trx, id: number, change: ProjectChange): Promise<Project> {
  const { name, names, outputCount, maximumEvaluations, details } = change;
  const row = await trx
    .updateTable('projects')
    .set({
      ...(name !== undefined && { name }),
      ...(names !== undefined && nameColumns(names)),
      ...(outputCount !== undefined && { output_count: outputCount }),
      ...(maximumEvaluations !== undefined && { maximum_evaluations: maximumEvaluations }),
      ...(details !== undefined && { input_details: JSON.stringify(details) }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  if (names !== undefined || details !== undefined) await noteChanged(trx, 'projects', id);
  return toProject(row);
}

/**
 * Adds input cases to a project that has `caseCount` of them and no outputs yet; false if it has others by now, or outputs, which belong
 * to the cases by their number.
 */
export async function appendInputCases(trx: Trx, id: number, caseCount: number, further: Matrix): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update projects set input_cases = input_cases || ${encodeMatrix(further)}::float8[], case_count = case_count + ${further.rows},
      updated_at = now()
    where id = ${id} and case_count = ${caseCount} and developed_at is null`.execute(trx);
  if (numAffectedRows === 0n) return false;
  await noteChanged(trx, 'projects', id);
  return true;
}

/** Records the first load of output cases. The caller holds the lock of the row. */
export async function markDeveloped(trx: Trx, id: number): Promise<void> {
  await trx
    .updateTable('projects')
    .set({ developed_at: sql<Date>`coalesce(developed_at, now())`, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}
