import type { Db, Trx } from '../../db/connection/transaction.ts';
import type { Search } from '../../db/search/search-ledger.ts';
import type { Objective } from '../../domain/objective.ts';
import type { ObjectivePath } from '../paths.ts';
import { changeSearch, getSearch } from './change-search.ts';
import { refuseEnded } from './request-suggestions.ts';

export interface ObjectivePatch {
  readonly parallelism?: number | undefined;
  readonly holdBack?: boolean | undefined;
}

/**
 * Changes how many inverses of a running objective may be open. Those open beyond a lower number stay open; none is opened until
 * there are fewer. Joins the transaction when `db` is one. Throws NOT_FOUND, OBJECTIVE_ENDED.
 */
export async function changeObjective(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath,
  { parallelism, holdBack }: ObjectivePatch,
): Promise<Objective> {
  const read = (handle: Db | Trx) => getSearch(handle, accountId, path);
  return changeSearch<Search, Objective>(db, accountId, read, ({ objective }) => {
    refuseEnded(objective);
    const change = {
      objective: { ...(parallelism !== undefined && { parallelism }), ...(holdBack !== undefined && { holdBack }) },
    };
    return { kind: 'change', change, toResult: (stored) => stored.objective };
  });
}
