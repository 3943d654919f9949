import { readUsage } from '../db/account-usage.ts';
import type { Db, Trx } from '../db/transaction.ts';
import type { CaseLimits } from '../domain/case-limits.ts';
import { isWithin, NO_QUOTA, quotaExceeded, type StorageQuota, type StorageUsage } from '../domain/storage.ts';

/** What one account may hold at a time; 0 means any number. */
export interface AccountLimits extends StorageQuota, CaseLimits {
  readonly openObjectives: number;
  /** Suggestions asked for and not computed yet. */
  readonly queuedSuggestions: number;
}

const ONE_RECORD: StorageUsage = { bytes: 1, rows: 1 };

/**
 * Throws QUOTA_EXCEEDED unless the account may keep as much more as is going to be added. Requests at the same time do not
 * see each other and may exceed the quota by what they add: it bounds what an account costs, it is no invariant.
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
