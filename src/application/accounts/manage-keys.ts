import { ensureAccount, lockAccount } from '../../db/accounts/accounts.ts';
import * as keys from '../../db/accounts/api-keys.ts';
import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import { hashSecret, parseApiKey, type Scope } from '../../domain/accounts/api-key.ts';
import { DomainError, makeViolation, notFound, validationFailed } from '../../domain/errors.ts';
import { type RotatedKey, rotateStoredKey, storeNewKey } from './rotate-key.ts';

export interface NewKeyRequest {
  /** Account the key belongs to; made when it does not exist. */
  readonly account: string;
  readonly label: string | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** Creates a key; its text is returned here and never again. */
export async function createKey(db: Db, request: NewKeyRequest): Promise<string> {
  return inTransaction(db, async (trx) => {
    const { account, ...wanted } = request;
    const { text } = await storeNewKey(trx, { accountId: await ensureAccount(trx, account), ...wanted });
    return text;
  });
}

/**
 * Makes sure that the given key works (for automation): stores it when its id is new. Throws VALIDATION_FAILED for a
 * malformed text and when the id is taken by another secret or a revoked key.
 */
export async function ensureKey(db: Db, keyText: string, account: string): Promise<void> {
  const key = parseApiKey(keyText);
  if (key === undefined) throw validationFailed([makeViolation(['key'], 'is not a well-formed API key.')]);
  const wanted = { label: 'bootstrap', scopes: ['read', 'write', 'admin'], expiresAt: null } as const;
  const id = await inTransaction(db, async (trx) => {
    const accountId = await ensureAccount(trx, account);
    return keys.insertKey(trx, { accountId, keyId: key.keyId, secretHash: hashSecret(key.secret), ...wanted });
  });
  if (id !== undefined) return;
  const stored = await keys.findUsableKey(db, key.keyId);
  if (stored === undefined || !stored.secretHash.equals(hashSecret(key.secret))) {
    const message = `BACKSOLVE_BOOTSTRAP_API_KEY names the key ${key.keyId}, which is revoked, has expired (as after a rotation) or has another secret. Set another one or none; \`backsolve keys generate\` prints one.`;
    throw new DomainError('VALIDATION_FAILED', message);
  }
}

export function listKeys(db: Db): Promise<readonly keys.StoredKey[]> {
  return keys.listKeys(db);
}

/** As rotateAccountKey, for an operator: whatever the key's scopes. Throws NOT_FOUND, KEY_ENDED, KEY_ROTATED. */
export async function rotateKey(db: Db, keyId: string, overlapSeconds: number): Promise<RotatedKey> {
  return inTransaction(db, async (trx) => {
    const found = await keys.findKey(trx, keyId);
    if (found === undefined) throw notFound('key', keyId);
    const now = await lockAccount(trx, found.accountId);
    // Read again, now that no other transaction can change it.
    return rotateStoredKey(trx, (await keys.findKey(trx, keyId))!, { overlapSeconds, now });
  });
}

/** Revokes immediately. Throws NOT_FOUND for an unknown id. */
export async function revokeKey(db: Db, keyId: string): Promise<void> {
  if (!(await keys.revokeKey(db, keyId))) throw notFound('key', keyId);
}
