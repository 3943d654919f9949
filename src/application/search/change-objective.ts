import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { clearExhausted } from '../../db/search/inverses.ts';
import { markObjective, type ObjectiveMarks } from '../../db/search/objective-marks.ts';
import { lockObjective } from '../../db/search/objectives.ts';
import type { Search } from '../../db/search/search-ledger.ts';
import { type BudgetPatch, budgetAfter } from '../../domain/search/budget.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import type { AccountLimits } from '../accounts/account-limits.ts';
import type { ObjectivePath } from '../paths.ts';
import { changeSearch, getSearch } from './change-search.ts';
import { refuseManyOpen } from './load-objectives.ts';
import { refuseEnded } from './request-suggestions.ts';

export interface ObjectivePatch extends BudgetPatch, ObjectiveMarks {
  readonly parallelism?: number | undefined;
  readonly holdBack?: boolean | undefined;
}

/**
 * Changes how an objective runs: how many inverses may be open, how many may be suggested, and when it ends by itself. Those open
 * beyond a lower number stay open; none is opened until there are fewer. An objective that its budget or its stop rule ended runs on
 * where these change (event objective.reopened). Its label and whether it is archived change at any time and nothing else. One
 * transaction, or part of one. Throws NOT_FOUND, OBJECTIVE_ENDED, VALIDATION_FAILED, LIMIT_REACHED.
 */
export async function changeObjective(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath & { readonly objectiveId: number },
  { label, isArchived, ...patch }: ObjectivePatch,
  limits?: AccountLimits,
): Promise<Objective> {
  const read = (handle: Db | Trx) => getSearch(handle, accountId, path);
  return inTransaction(db, async (trx) => {
    await lockObjective(trx, accountId, path.objectiveId);
    if (label !== undefined || isArchived !== undefined) {
      const { objective } = await read(trx);
      await markObjective(trx, objective.id, { label, isArchived });
      if (Object.values(patch).every((value) => value === undefined)) return objective;
    }
    const { parallelism, holdBack, ...sent } = patch;
    return changeSearch<Search, Objective>(trx, accountId, read, async ({ objective }) => {
      const budget = budgetAfter(objective, sent);
      const isReopened = budget?.isReopened ?? false;
      if (!isReopened) refuseEnded(objective);
      if (isReopened) await refuseManyOpen(trx, accountId, limits?.openObjectives ?? 0);
      if (isReopened) await clearExhausted(trx, objective.id);
      const fields = {
        ...(parallelism !== undefined && { parallelism }),
        ...(holdBack !== undefined && { holdBack }),
        ...(budget && { maximumAttempts: budget.maximumAttempts, options: budget.options }),
        ...(isReopened && { stopReason: StopReason.running, ended: null }),
      };
      const events = isReopened ? [{ name: 'objective.reopened', resourceId: objective.id } as const] : [];
      return { kind: 'change', change: { objective: fields, events }, toResult: (stored) => stored.objective };
    });
  });
}
