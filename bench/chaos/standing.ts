/** Compares what each objective has reached, as it is stored, with what all its runs lead to. */
import { connectTo } from '../../harness/database-handle.ts';
import { toOptimizerSpace } from '../../src/application/problem/optimizer-space.ts';
import { termsOf } from '../../src/application/search/change-search.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { findProject } from '../../src/db/problem/projects.ts';
import { listAllInverses } from '../../src/db/search/inverses.ts';
import { readSearch } from '../../src/db/search/search-ledger.ts';
import { toLedgerRun } from '../../src/domain/search/ledger-run.ts';
import { standingOf } from '../../src/domain/search/standing-of.ts';
import type { Journal } from './play.ts';

/** One line for each objective that is stored otherwise. */
export async function compareStandings(databaseUrl: string, journals: readonly Journal[]): Promise<readonly string[]> {
  const db = connectTo(databaseUrl, { statementTimeoutMs: 60_000 });
  try {
    const differences: string[] = [];
    for (const { objectiveId } of journals.filter((journal) => journal.objectiveId !== 0)) {
      const difference = await compareOne(db, objectiveId);
      if (difference !== null) differences.push(`objective ${objectiveId}: ${difference}`);
    }
    return differences;
  } finally {
    await db.destroy();
  }
}

async function compareOne(db: Db, objectiveId: number): Promise<string | null> {
  const { account_id: accountId } = await db
    .selectFrom('objectives')
    .select('account_id')
    .where('id', '=', objectiveId)
    .executeTakeFirstOrThrow();
  const { objective, open, nearestOutput } = (await readSearch(db, accountId, objectiveId))!;
  const project = (await findProject(db, accountId, objective.projectId))!;
  const inverses = await listAllInverses(db, accountId, [objectiveId]);
  const runs = inverses.map((inverse) => toLedgerRun(project, objective, inverse));
  const { variables } = toOptimizerSpace(project, objective);
  const { standing, statuses } = standingOf({ ...termsOf(objective), variables }, objective, runs)!;
  const stored = {
    stopReason: objective.stopReason,
    statuses: [],
    open: open.map(({ id }) => id),
    optimal: objective.optimalInverseId,
    nearest: nearestOutput,
  };
  const formed = {
    stopReason: standing.stopReason,
    statuses: [...statuses],
    open: standing.open,
    optimal: standing.optimal?.id ?? null,
    nearest: objective.judgedThrough === null ? nearestOutput : (standing.nearest?.output ?? null),
  };
  const [known, expected] = [JSON.stringify(stored), JSON.stringify(formed)];
  return known === expected ? null : `stored ${known}, formed ${expected}`;
}
