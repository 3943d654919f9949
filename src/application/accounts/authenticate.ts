import { findUsableKey } from '../../db/accounts/api-keys.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { matchesSecret, parseApiKey, type Scope } from '../../domain/api-key.ts';
import { DomainError } from '../../domain/errors.ts';

export type { Scope };

/** Who is asking. Everything belongs to the account. */
export interface Principal {
  readonly accountId: number;
  /** null: the session of a sign-in link, which has no key. */
  readonly keyId: string | null;
  readonly scopes: readonly Scope[];
  /** The secret of the key or session, to seal what only this one may read again. Never stored or logged. */
  readonly secret: string;
}

export interface KeyHolder extends Principal {
  readonly keyId: string;
}

/** Throws UNAUTHENTICATED with the same text for a missing, malformed, unknown, expired or revoked key. */
export async function authenticate(db: Db, keyText: string | undefined): Promise<KeyHolder> {
  const key = keyText === undefined ? undefined : parseApiKey(keyText);
  const stored = key && (await findUsableKey(db, key.keyId));
  const isRight = key !== undefined && matchesSecret(key.secret, stored?.secretHash);
  if (stored === undefined || !isRight) {
    throw new DomainError('UNAUTHENTICATED', 'A valid API key is required: send it as Authorization: Bearer <key>.');
  }
  return { accountId: stored.accountId, keyId: stored.keyId, scopes: stored.scopes, secret: key.secret };
}
