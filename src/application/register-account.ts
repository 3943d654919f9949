import { type AccountOwner, insertAccount } from '../db/accounts.ts';
import { insertKey } from '../db/api-keys.ts';
import { type Db, inTransaction } from '../db/transaction.ts';
import type { Account } from '../domain/account.ts';
import { formatApiKey, hashSecret, makeApiKey } from '../domain/api-key.ts';
import { makeViolation, validationFailed } from '../domain/errors.ts';

/**
 * A new account with its first key, in one transaction; the key's text is returned here and never again. Throws
 * VALIDATION_FAILED when the address is taken: nothing here proves that the caller owns it, so no second key is given out.
 */
export async function registerAccount(
  db: Db,
  owner: AccountOwner,
): Promise<{ readonly account: Account; readonly keyText: string }> {
  const key = makeApiKey();
  const account = await inTransaction(db, async (trx) => {
    const made = await insertAccount(trx, owner);
    if (made === undefined) {
      const message = 'has an account already; ask the operator of this service for another key of it.';
      throw validationFailed([makeViolation(['email'], message)]);
    }
    await insertKey(trx, {
      accountId: made.id,
      keyId: key.keyId,
      secretHash: hashSecret(key.secret),
      label: 'registration',
      scopes: ['read', 'write', 'admin'],
      expiresAt: null,
    });
    return made;
  });
  return { account, keyText: formatApiKey(key) };
}
