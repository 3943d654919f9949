/**
 * Self-registration. The answer holds an API key, which is stored nowhere; with an Idempotency-Key it is kept for a repetition,
 * sealed with what only that client knows: the key and the body together.
 */
import { createHmac } from 'node:crypto';
import { type AccountOwner, findAccount, insertAccount } from '../../db/accounts/accounts.ts';
import { insertKey } from '../../db/accounts/api-keys.ts';
import { findOutcome, type IdempotentRequest, storeOutcome } from '../../db/accounts/idempotency-keys.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { formatApiKey, hashSecret, makeApiKey } from '../../domain/accounts/api-key.ts';
import { makeViolation, validationFailed } from '../../domain/errors.ts';
import { reusedKey } from '../idempotent.ts';
import { deriveKey, seal, unseal } from './seal.ts';

/** The Idempotency-Key of a registration. */
export interface RegistrationKey {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /** Known only to the sender of the body, such as its digest. */
  readonly body: string;
}

export interface Registered {
  readonly account: Account;
  readonly keyText: string;
  readonly isReplay: boolean;
}

/**
 * A new account with its first key, in one transaction; the key's text is returned here and, to the same request under the
 * same key within 24 hours, again. Throws VALIDATION_FAILED when the address is taken: nothing here proves that the caller
 * owns it, so no second key is given out. Throws IDEMPOTENCY_KEY_REUSED for another body under the key.
 */
export async function registerAccount(db: Db, owner: AccountOwner, named?: RegistrationKey): Promise<Registered> {
  const key = makeApiKey();
  const keyText = formatApiKey(key);
  const secrets = named && (await deriveSecrets(owner, named));
  return inTransaction(db, async (trx) => {
    const made = await insertAccount(trx, owner);
    if (made === undefined) return repeat(trx, owner, secrets);
    await insertKey(trx, {
      accountId: made.id,
      keyId: key.keyId,
      secretHash: hashSecret(key.secret),
      label: 'registration',
      scopes: ['read', 'write', 'admin'],
      expiresAt: null,
    });
    if (secrets !== undefined) {
      const outcome = { kind: 'registration', sealed: seal(secrets.sealingKey, keyText) };
      await storeOutcome(trx, secrets.requestOf(made.id), { version: null }, outcome);
    }
    return { account: made, keyText, isReplay: false };
  });
}

interface Secrets {
  /** The request as it is stored: not by the client's key, which together with the body opens the seal. */
  requestOf(accountId: number): IdempotentRequest;
  readonly sealingKey: Buffer;
}

/** Outside any transaction, because deriving a key takes a while. */
async function deriveSecrets(owner: AccountOwner, { method, path, key, body }: RegistrationKey): Promise<Secrets> {
  const name = createHmac('sha256', key).update(owner.email).digest('base64url');
  const sealingKey = await deriveKey(JSON.stringify([key, body]), owner.email);
  const stored = { method, path, key: name, fingerprint: Buffer.alloc(0) };
  return { requestOf: (accountId) => ({ accountId, ...stored }), sealingKey };
}

/** The request that came first has committed: the insert waited for it. */
async function repeat(trx: Trx, owner: AccountOwner, secrets: Secrets | undefined): Promise<Registered> {
  const account = secrets && (await findAccount(trx, owner));
  const stored = account && (await findOutcome(trx, secrets!.requestOf(account.id)));
  if (account === undefined || stored === undefined) {
    const message = 'already has an account; ask the operator of this service for another key.';
    throw validationFailed([makeViolation(['email'], message)]);
  }
  const { sealed } = stored.outcome as { readonly sealed: string };
  const keyText = unseal(secrets!.sealingKey, sealed);
  if (keyText === undefined) throw reusedKey();
  return { account, keyText, isReplay: true };
}
