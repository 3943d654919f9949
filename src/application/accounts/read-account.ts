import { readUsage } from '../../db/accounts/account-usage.ts';
import { getAccountName } from '../../db/accounts/accounts.ts';
import type { Db } from '../../db/connection/transaction.ts';
import type { StorageUsage } from '../../domain/accounts/storage.ts';

export interface AccountView {
  readonly id: number;
  readonly name: string;
  readonly usage: StorageUsage;
}

export async function readAccount(db: Db, accountId: number): Promise<AccountView> {
  const [name, usage] = await Promise.all([getAccountName(db, accountId), readUsage(db, accountId)]);
  return { id: accountId, name, usage };
}
