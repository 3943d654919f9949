/**
 * Repeats stored suggestions from what the database says they were computed from. Objectives that learn from the other ones of
 * their trial cannot be compared with an undisturbed run: what they know depends on what the other clients did meanwhile.
 */
import { connectTo } from '../../harness/database-handle.ts';
import { toSuggested } from '../../src/application/compute-suggestion.ts';
import { toSuggestRequest } from '../../src/application/engine-input.ts';
import { loadConfig } from '../../src/config.ts';
import { findObjective } from '../../src/db/objectives.ts';
import { readSnapshotOf } from '../../src/db/suggestions.ts';
import type { Db } from '../../src/db/transaction.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import type { Journal } from './play.ts';
import { reusesRuns } from './problems.ts';

export interface Repeated {
  /** Suggestions that were computed again. */
  readonly count: number;
  /** Of these, those that knew runs of other objectives. */
  readonly withOthers: number;
  /** One line for each that could not be repeated, or differs in any bit. */
  readonly differences: readonly string[];
}

/** Repeats every suggestion of the objectives that learn from others. */
export async function repeatSuggestions(databaseUrl: string, journals: readonly Journal[]): Promise<Repeated> {
  const { workLimit } = loadConfig({ DATABASE_URL: databaseUrl }).engine;
  const db = connectTo(databaseUrl, { statementTimeoutMs: 60_000 });
  let count = 0;
  let withOthers = 0;
  const differences: string[] = [];
  try {
    const accountId = await readAccountId(db);
    for (const journal of journals.filter(({ index, objectiveId }) => reusesRuns(index) && objectiveId !== 0)) {
      const objective = await findObjective(db, accountId, journal.objectiveId);
      if (objective?.reuse !== true) differences.push(`objective ${journal.objectiveId} does not learn from others`);
      for (const { inverseId, iteration, input } of journal.inverses) {
        count += 1;
        const name = `objective ${journal.objectiveId}, iteration ${iteration}`;
        const snapshot = await readSnapshotOf(db, { accountId, inverseId });
        if (snapshot === undefined) {
          differences.push(`${name}: what it was computed from is not known`);
          continue;
        }
        if (snapshot.others.iterations.length > 0) withOthers += 1;
        const request = toSuggestRequest(snapshot, workLimit);
        const suggested = toSuggested(snapshot, request.history, suggest(request));
        const again = typeof suggested === 'string' ? suggested : suggested.input;
        if (JSON.stringify(again) !== JSON.stringify(input)) {
          differences.push(`${name}: ${JSON.stringify(input)}, repeated ${JSON.stringify(again)}`);
        }
      }
    }
  } finally {
    await db.destroy();
  }
  return { count, withOthers, differences };
}

/** Of the only account. */
async function readAccountId(db: Db): Promise<number> {
  const { account_id } = await db.selectFrom('objectives').select('account_id').limit(1).executeTakeFirstOrThrow();
  return account_id;
}
