import { sql } from 'kysely';
import type { OutputCaseSet, OutputCaseSetWithCases } from '../../domain/data/trial.ts';
import type { Matrix } from '../../domain/matrix.ts';
import { type Extent, type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { compileOnce } from '../connection/compiled.ts';
import { anyOf } from '../connection/prepared-statements.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { isWithinExtent } from '../extent.ts';
import { decodeMatrix, encodeMatrix, matrixColumn } from '../matrices.ts';

const COLUMNS = [
  'id',
  'model_id as modelId',
  'project_id as projectId',
  'output_count as outputCount',
  'failed_cases as failedCases',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'disabled_at as disabledAt',
] as const;

/** Sets from versions before 0.1.0 may have no count of their own. */
const CASE_COUNT = sql<number>`coalesce(case_count, array_length(output_cases, 1), 0)`.as('caseCount');
const HAS_JACOBIANS = sql<boolean>`jacobians is not null`.as('hasJacobians');

function outputCaseSets(db: Db | Trx, accountId: number) {
  return db
    .selectFrom('output_case_sets')
    .select(COLUMNS)
    .select(CASE_COUNT)
    .select(HAS_JACOBIANS)
    .where('account_id', '=', accountId);
}

const selectSet = compileOnce<{ accountId: number; id: number }, OutputCaseSet>((db, value) =>
  outputCaseSets(db, value('accountId')).where('id', '=', value('id')),
);

/** Primary key. */
export async function findOutputCaseSet(
  db: Db | Trx,
  accountId: number,
  id: number,
): Promise<OutputCaseSet | undefined> {
  const [set] = await selectSet(db, { accountId, id });
  return set;
}

const selectSetWithCases = compileOnce<{ accountId: number; id: number }, OutputCaseSet & { outputCases: Buffer }>(
  (db, value) =>
    outputCaseSets(db, value('accountId'))
      .select(matrixColumn('output_cases').as('outputCases'))
      .where('id', '=', value('id')),
);

/** Disabled ones included. Primary key. */
export async function findOutputCaseSetWithCases(
  db: Db | Trx,
  accountId: number,
  id: number,
): Promise<OutputCaseSetWithCases | undefined> {
  const [row] = await selectSetWithCases(db, { accountId, id });
  return row && { ...row, outputCases: decodeMatrix(row.outputCases) };
}

/** Disabled ones included. Primary key. */
export async function findOutputCaseSets(
  db: Db,
  accountId: number,
  ids: readonly number[],
): Promise<readonly OutputCaseSet[]> {
  if (ids.length === 0) return [];
  return outputCaseSets(db, accountId).where('id', '=', anyOf(ids)).execute();
}

/** The newest set of a project that is not disabled. */
export function findNewestOutputCaseSet(
  db: Db | Trx,
  accountId: number,
  projectId: number,
): Promise<OutputCaseSet | undefined> {
  return outputCaseSets(db, accountId)
    .where('project_id', '=', projectId)
    .where('disabled_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function listOutputCaseSets(
  db: Db,
  accountId: number,
  projectId: number,
  page: PageRequest,
  extent: Extent = 'active',
): Promise<Page<OutputCaseSet>> {
  const rows = await outputCaseSets(db, accountId)
    .where('project_id', '=', projectId)
    .where(isWithinExtent(extent))
    .where('id', '>', page.after ?? 0)
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return toPage(rows, page);
}

/** The numbers of outputs among the sets of a project that are not disabled, each once. */
export async function listOutputCounts(trx: Trx, accountId: number, projectId: number): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom('output_case_sets')
    .select('output_count as outputCount')
    .distinct()
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .where('disabled_at', 'is', null)
    .execute();
  return rows.map(({ outputCount }) => outputCount);
}

export type NewOutputCaseSet = Pick<
  OutputCaseSetWithCases,
  'modelId' | 'projectId' | 'outputCount' | 'outputCases' | 'failedCases'
> & { readonly jacobians: Matrix | null };

export async function insertOutputCaseSet(
  trx: Trx,
  accountId: number,
  set: NewOutputCaseSet,
): Promise<OutputCaseSetWithCases> {
  const row = await trx
    .insertInto('output_case_sets')
    .values({
      account_id: accountId,
      model_id: set.modelId,
      project_id: set.projectId,
      output_count: set.outputCount,
      output_cases: encodeMatrix(set.outputCases),
      case_count: set.outputCases.rows,
      failed_cases: set.failedCases,
      jacobians: set.jacobians && encodeMatrix(set.jacobians),
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return {
    ...row,
    caseCount: set.outputCases.rows,
    hasJacobians: set.jacobians !== null,
    outputCases: set.outputCases,
  };
}
