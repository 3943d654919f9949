import { findUsableKey } from '../db/api-keys.ts';
import type { Db } from '../db/transaction.ts';
import { matchesSecret, parseApiKey } from '../domain/api-key.ts';
import { DomainError } from '../domain/errors.ts';

export type Scope = 'read' | 'write' | 'admin';

/** Who is asking. Everything belongs to the account. */
export interface Principal {
  readonly accountId: number;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
}

/** Throws UNAUTHENTICATED with one and the same text for a missing, malformed, unknown, expired or revoked key. */
export async function authenticate(db: Db, keyText: string | undefined): Promise<Principal> {
  const key = keyText === undefined ? undefined : parseApiKey(keyText);
  const stored = key && (await findUsableKey(db, key.keyId));
  if (key === undefined || stored === undefined || !matchesSecret(key.secret, stored.secretHash)) {
    throw new DomainError('UNAUTHENTICATED', 'A valid API key is required: send it as Authorization: Bearer <key>.');
  }
  return { accountId: stored.accountId, keyId: stored.keyId, scopes: stored.scopes as readonly Scope[] };
}
