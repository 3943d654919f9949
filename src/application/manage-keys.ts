import { ensureAccount } from '../db/accounts.ts';
import * as keys from '../db/api-keys.ts';
import { type Db, inTransaction } from '../db/transaction.ts';
import { formatApiKey, hashSecret, makeApiKey, parseApiKey } from '../domain/api-key.ts';
import { DomainError, makeViolation, notFound, validationFailed } from '../domain/errors.ts';
import type { Scope } from './authenticate.ts';

export interface NewKeyRequest {
  /** Account the key belongs to; made when it does not exist. */
  readonly account: string;
  readonly label: string | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** Makes a key; its text is returned here and never again. */
export async function createKey(db: Db, request: NewKeyRequest): Promise<string> {
  const key = makeApiKey();
  await storeKey(db, key, request);
  return formatApiKey(key);
}

/**
 * Makes sure that the given key works (for automation): stores it when its id is new. Throws VALIDATION_FAILED for a
 * malformed text and when the id is taken by another secret or a revoked key.
 */
export async function ensureKey(db: Db, keyText: string, account: string): Promise<void> {
  const key = parseApiKey(keyText);
  if (key === undefined) throw validationFailed([makeViolation(['key'], 'is not a well-formed API key.')]);
  const request = { account, label: 'bootstrap', scopes: ['read', 'write', 'admin'], expiresAt: null } as const;
  const isNew = await storeKey(db, key, request);
  if (isNew) return;
  const stored = await keys.findUsableKey(db, key.keyId);
  if (stored === undefined || !stored.secretHash.equals(hashSecret(key.secret))) {
    throw new DomainError('VALIDATION_FAILED', `The key id ${key.keyId} is taken by another or a revoked key.`);
  }
}

async function storeKey(
  db: Db,
  key: { readonly keyId: string; readonly secret: string },
  request: NewKeyRequest,
): Promise<boolean> {
  return inTransaction(db, async (trx) =>
    keys.insertKey(trx, {
      accountId: await ensureAccount(trx, request.account),
      keyId: key.keyId,
      secretHash: hashSecret(key.secret),
      label: request.label,
      scopes: request.scopes,
      expiresAt: request.expiresAt,
    }),
  );
}

export function listKeys(db: Db): Promise<readonly keys.StoredKey[]> {
  return keys.listKeys(db);
}

/** Revokes at once. Throws NOT_FOUND for an unknown id. */
export async function revokeKey(db: Db, keyId: string): Promise<void> {
  if (!(await keys.revokeKey(db, keyId))) throw notFound('key', keyId);
}
