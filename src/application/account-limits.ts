import { lockAccount } from '../db/accounts.ts';
import type { Trx } from '../db/transaction.ts';

/** What one account may hold at a time; 0 means any number. */
export interface AccountLimits {
  readonly openObjectives: number;
  /** Suggestions asked for and not computed yet. */
  readonly queuedSuggestions: number;
  /** Input cases of one project. */
  readonly cases: number;
}

/** More transactions than ever run at the same time, in all processes together. */
const CONCURRENT_TRANSACTIONS = 1_000;

/**
 * Whether one more fits into what an account may hold; `maximum` 0: any number. `takeBelow` takes it unless there are as
 * many as its argument already (0: in any case), and tells. Requests at the same time do not see each other's, so near the
 * limit they queue up behind the row of their account until their transactions end; far from it none waits.
 */
export async function takeWithin(
  trx: Trx,
  accountId: number,
  maximum: number,
  takeBelow: (limit: number) => Promise<boolean>,
): Promise<boolean> {
  if (maximum === 0) return takeBelow(0);
  const certain = maximum - CONCURRENT_TRANSACTIONS;
  if (certain > 0 && (await takeBelow(certain))) return true;
  await lockAccount(trx, accountId);
  return takeBelow(maximum);
}
