import type { Db, Trx } from '../../db/connection/transaction.ts';
import type { Search } from '../../db/search/search-ledger.ts';
import type { Ending } from '../../domain/search/ending.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { after } from '../../domain/search/standing.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import type { ObjectivePath } from '../paths.ts';
import { answer, changeOf, changeSearch, getSearch, standingIn, termsOf } from './change-search.ts';

/**
 * Stops a running objective and its open inverses; the job of an inverse being computed is dropped. An objective that has ended
 * is returned as it is: a final state never changes, and stopping again is not an error. One that seeks a surer input than one that
 * satisfies everything ends satisfied. Events: inverse.stopped for each inverse that waited for its output, and objective.stopped or
 * objective.satisfied.
 */
export async function stopObjective(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  ended: Ending = { kind: 'by-hand' },
): Promise<Objective> {
  const read = (handle: Db | Trx) => getSearch(handle, accountId, path);
  return changeSearch<Search, Objective>(db, accountId, read, (search) => {
    const outcome = after(termsOf(search.objective), standingIn(search), { kind: 'stopped' });
    if (outcome === undefined) return answer(search.objective);
    const change = changeOf(search, outcome, []);
    const isStopped = outcome.standing.stopReason === StopReason.stopped;
    const objective = { ...change.objective, ...(isStopped && { ended }) };
    return { kind: 'change', change: { ...change, objective }, toResult: (stored) => stored.objective };
  });
}
