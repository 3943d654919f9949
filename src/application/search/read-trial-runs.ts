/** All runs of a trial: its cases, designed and added, then those of its objectives. */

import type { Db } from '../../db/connection/transaction.ts';
import { findRunsPage, listTrialRuns, type TrialRunRow } from '../../db/search/trial-runs.ts';
import type { TrialCase } from '../../domain/data/trial-cases.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Project } from '../../domain/problem/project.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { readTrialCasePage } from '../data/read-trial-cases.ts';
import type { ObjectivePath } from '../paths.ts';
import { getObjectiveWithParents, rowsPerRead } from './read-objectives.ts';

export type TrialRun =
  | ({ readonly kind: 'case'; readonly position: number } & TrialCase)
  | ({ readonly kind: 'run'; readonly position: number } & TrialRunRow);

export interface TrialRuns extends Pick<Page<never>, 'nextAfter'> {
  /** That asks. */
  readonly objective: Objective;
  readonly project: Project;
  readonly batches: AsyncIterable<readonly TrialRun[]>;
}

/** The position of a case is its number; that of a run is beyond the number of any case. */
const FIRST_RUN = 1_000_000;

/**
 * The runs at positions after one. Throws NOT_FOUND.
 *
 * @param without  the objective whose runs are left out; null: none
 */
export async function readTrialRuns(
  db: Db,
  accountId: number,
  path: ObjectivePath,
  {
    limit,
    after,
    without,
    withDerivatives = false,
  }: PageRequest & { readonly without: number | null; readonly withDerivatives?: boolean },
): Promise<TrialRuns> {
  const objective = await getObjectiveWithParents(db, accountId, path);
  const { trialId } = objective;
  const cases = await readTrialCasePage(db, accountId, { trialId }, { limit, after });
  const left = limit - (cases.end - cases.from);
  const key = { accountId, trialId, without, after: Math.max(0, (after ?? 0) - FIRST_RUN) };
  const nextAfter = cases.nextAfter ?? (await findNext(db, key, left, cases.end));
  const [n, m] = [objective.initialInput.length, objective.objectives.length];
  const width = withDerivatives ? n + m + n * m : n + m;
  async function* batches(): AsyncGenerator<readonly TrialRun[], void> {
    for await (const batch of cases.batches) {
      yield batch.map((one) => ({ ...one, kind: 'case', position: one.number }) as const);
    }
    yield* readRuns(db, key, left, { size: rowsPerRead(width), withDerivatives });
  }
  return { objective, project: cases.project, nextAfter, batches: batches() };
}

type RunsKey = Parameters<typeof listTrialRuns>[1];

async function findNext(db: Db, key: RunsKey, left: number, caseCount: number): Promise<number | null> {
  if (left === Number.POSITIVE_INFINITY) return null;
  // The page ends with the last case.
  if (left === 0) return (await listTrialRuns(db, key, 1)).length > 0 ? caseCount : null;
  const last = await findRunsPage(db, key, left);
  return last === null ? null : FIRST_RUN + last;
}

async function* readRuns(
  db: Db,
  key: RunsKey,
  count: number,
  { size, withDerivatives }: { readonly size: number; readonly withDerivatives: boolean },
): AsyncGenerator<readonly TrialRun[], void> {
  let { after } = key;
  for (let left = count; left > 0; left -= size) {
    const rows = await listTrialRuns(db, { ...key, after }, Math.min(size, left), withDerivatives);
    yield rows.map((row) => ({ ...row, kind: 'run', position: FIRST_RUN + row.id }) as const);
    if (rows.length < size) return;
    after = rows.at(-1)!.id;
  }
}
