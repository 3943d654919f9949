import { findUsableKey } from '../../db/accounts/api-keys.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { matchesSecret, parseApiKey, type Scope } from '../../domain/api-key.ts';
import { DomainError } from '../../domain/errors.ts';
import { nameOfActor, scopesWithin } from '../../domain/people.ts';

export type { Scope };

/** Who is asking. Everything belongs to the account. */
export interface Principal {
  readonly accountId: number;
  /** null: a session that no key began. */
  readonly keyId: string | null;
  /** Those of the key or session, as far as the role of its person allows. */
  readonly scopes: readonly Scope[];
  /** null: the key or session is that of the account. */
  readonly personId: number | null;
  /** As whom records name whoever is asking. */
  readonly actor: string;
  /** null: a key. */
  readonly sessionId: number | null;
  /** Whether it counts in its account only, although its person may be a member of others. */
  readonly isBound: boolean;
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
  const { accountId, keyId, label, personId, personName, role, isBound } = stored;
  return {
    accountId,
    keyId,
    scopes: scopesWithin(role, stored.scopes),
    personId,
    actor: nameOfActor({ personName, keyLabel: label, keyId }),
    sessionId: null,
    isBound,
    secret: key.secret,
  };
}

/** Throws FORBIDDEN. */
export function requirePerson({ personId }: Principal): number {
  if (personId !== null) return personId;
  const message =
    'This key or session is that of the account and not of a person. Sign in with your name, or by an invitation.';
  throw new DomainError('FORBIDDEN', message);
}
