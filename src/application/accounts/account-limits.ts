import { readUsage } from '../../db/accounts/account-usage.ts';
import { lockAccount } from '../../db/accounts/accounts.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import {
  isWithin,
  NO_QUOTA,
  quotaExceeded,
  type StorageQuota,
  type StorageUsage,
} from '../../domain/accounts/storage.ts';
import type { CaseLimits } from '../../domain/data/case-limits.ts';

/** Limits of one account at a time; 0 means any number. */
export interface AccountLimits extends StorageQuota, CaseLimits {
  readonly openObjectives: number;
  /** Suggestions asked for and not computed yet. */
  readonly queuedSuggestions: number;
}

const ONE_RECORD: StorageUsage = { bytes: 1, rows: 1 };

/**
 * Throws QUOTA_EXCEEDED when `added` would take the account over its quota. Storage is counted once a minute, so requests may exceed
 * the quota by what they add in between: it bounds what an account costs and is not an invariant.
 */
export async function refuseOverQuota(
  db: Db | Trx,
  accountId: number,
  quota: StorageQuota = NO_QUOTA,
  added: StorageUsage = ONE_RECORD,
): Promise<void> {
  if (quota.storedBytes === 0 && quota.storedRows === 0) return;
  const usage = await readUsage(db, accountId);
  if (!isWithin(quota, usage, added)) throw quotaExceeded(quota, usage, added);
}

/** More than the transactions that ever run simultaneously, over all processes. */
const CONCURRENT_TRANSACTIONS = 1_000;

/**
 * Whether an account may take one more of something; `maximum` 0: any number. `takeBelow` takes it on the given handle unless
 * there are `limit` of them already (0: no limit), and returns whether it did. Concurrent requests do not see each other's, so
 * near the maximum they queue up behind the row of their account; far from it none waits or needs a transaction.
 *
 * @param lockFirst  takes the lock that `takeBelow` will wait for, if any: waiting for it with the row of the account in hand would
 * hold up the account's other requests
 */
export async function takeWithin(
  db: Db | Trx,
  accountId: number,
  maximum: number,
  takeBelow: (limit: number, db: Db | Trx) => Promise<boolean>,
  lockFirst: (trx: Trx) => Promise<unknown> = async () => undefined,
): Promise<boolean> {
  if (maximum === 0) return takeBelow(0, db);
  const certain = maximum - CONCURRENT_TRANSACTIONS;
  if (certain > 0 && (await takeBelow(certain, db))) return true;
  return inTransaction(db, async (trx) => {
    await lockFirst(trx);
    await lockAccount(trx, accountId);
    return takeBelow(maximum, trx);
  });
}
