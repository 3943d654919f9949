/**
 * Repeats stored suggestions from what the database says they were computed from. Objectives that learn from the other ones of
 * their trial, or have several open inverses, cannot be compared with an undisturbed run: what they know depends on what came
 * first.
 */
import { connectTo } from '../../harness/database-handle.ts';
import { toSuggestRequest } from '../../src/application/search/engine-input.ts';
import { toSuggested } from '../../src/application/search/suggested-input.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { findObjective } from '../../src/db/search/objectives.ts';
import { readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { loadConfig } from '../../src/settings/config.ts';
import type { Journal } from './play.ts';
import { isParallel, reusesRuns } from './problems.ts';

export interface Repeated {
  /** Suggestions that were computed again. */
  readonly count: number;
  /** Number of those that knew runs of other objectives. */
  readonly withOthers: number;
  /** Those with other inverses open. */
  readonly withPending: number;
  /** One line for each that could not be repeated, or differs in any bit. */
  readonly differences: readonly string[];
}

/** Repeats every suggestion of those objectives. */
export async function repeatSuggestions(databaseUrl: string, journals: readonly Journal[]): Promise<Repeated> {
  const { workLimit } = loadConfig({ DATABASE_URL: databaseUrl }).engine;
  const db = connectTo(databaseUrl, { statementTimeoutMs: 60_000 });
  let count = 0;
  let withOthers = 0;
  let withPending = 0;
  const differences: string[] = [];
  try {
    const accountId = await readAccountId(db);
    for (const journal of journals.filter(isRepeated)) {
      const objective = await findObjective(db, accountId, journal.objectiveId);
      if (objective?.reuse !== reusesRuns(journal.index))
        differences.push(`objective ${journal.objectiveId} learns from other runs than it should`);
      for (const { inverseId, iteration, input } of journal.inverses) {
        count += 1;
        const name = `objective ${journal.objectiveId}, iteration ${iteration}`;
        const { knewOthers, knewPending, difference } = await repeatOne(db, {
          accountId,
          workLimit,
          inverseId,
          name,
          input,
        });
        if (knewOthers) withOthers += 1;
        if (knewPending) withPending += 1;
        if (difference !== undefined) differences.push(difference);
      }
    }
  } finally {
    await db.destroy();
  }
  return { count, withOthers, withPending, differences };
}

function isRepeated({ index, objectiveId }: Journal): boolean {
  return (reusesRuns(index) || isParallel(index)) && objectiveId !== 0;
}

/** Repeats the given suggestions. */
export async function repeatThese(databaseUrl: string, suggested: readonly Suggested[]): Promise<Repeated> {
  const { workLimit } = loadConfig({ DATABASE_URL: databaseUrl }).engine;
  const db = connectTo(databaseUrl, { statementTimeoutMs: 60_000 });
  try {
    const accountId = await readAccountId(db);
    const repeated: One[] = [];
    for (const each of suggested) repeated.push(await repeatOne(db, { accountId, workLimit, ...each }));
    return {
      count: repeated.length,
      withOthers: repeated.filter(({ knewOthers }) => knewOthers).length,
      withPending: repeated.filter(({ knewPending }) => knewPending).length,
      differences: repeated.flatMap(({ difference }) => difference ?? []),
    };
  } finally {
    await db.destroy();
  }
}

export interface Suggested {
  readonly inverseId: number;
  /** For the line about a difference. */
  readonly name: string;
  readonly input: readonly number[];
}

interface One {
  readonly knewOthers: boolean;
  readonly knewPending: boolean;
  readonly difference: string | undefined;
}

async function repeatOne(
  db: Db,
  {
    accountId,
    workLimit,
    inverseId,
    name,
    input,
  }: Suggested & { readonly accountId: number; readonly workLimit: number },
): Promise<One> {
  const snapshot = await readSnapshotOf(db, { accountId, inverseId });
  if (snapshot === undefined) {
    return { knewOthers: false, knewPending: false, difference: `${name}: what it was computed from is not known` };
  }
  const request = toSuggestRequest(snapshot, workLimit);
  const suggested = toSuggested(snapshot, request.history, suggest(request));
  const again = typeof suggested === 'string' ? suggested : suggested.input;
  const isSame = JSON.stringify(again) === JSON.stringify(input);
  return {
    knewOthers: snapshot.others.iterations.length > 0,
    knewPending: snapshot.pending.rows > 0,
    difference: isSame ? undefined : `${name}: ${JSON.stringify(input)}, repeated ${JSON.stringify(again)}`,
  };
}

/** Id of the only account. */
async function readAccountId(db: Db): Promise<number> {
  const { account_id } = await db.selectFrom('objectives').select('account_id').limit(1).executeTakeFirstOrThrow();
  return account_id;
}
