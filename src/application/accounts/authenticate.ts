import { findUsableKey, type UsableKey } from '../../db/accounts/api-keys.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { matchesSecret, parseApiKey, type Scope } from '../../domain/accounts/api-key.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Lender, nameOfActor, scopesWithin } from '../../domain/people/people.ts';

export type { Scope };

/** The caller of a request. Everything belongs to the account. */
export interface Principal {
  readonly accountId: number;
  /** null: a session that no key began. */
  readonly keyId: string | null;
  /** The id of the record of that key. */
  readonly keyRecordId: number | null;
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
  /** The owner whose sign-in link began the session; null: a key, or a session that its own person began. */
  readonly lender: Lender | null;
  /** The secret of the key or session, to seal what only this one may read again. Never stored or logged. */
  readonly secret: string;
}

export interface KeyHolder extends Principal {
  readonly keyId: string;
}

/** Message for whoever has the right key; nobody else learns that it exists. */
const LAPSED =
  'This key is suspended, because its owner has not signed in with the organization for a while: it works again after the next sign-in there, on the page.';

/** The key of that text, if it may be used. Throws UNAUTHENTICATED for one that rests, saying so. */
export async function findRightKey(db: Db, keyText: string | undefined): Promise<KeyHolder | undefined> {
  const key = keyText === undefined ? undefined : parseApiKey(keyText);
  const stored = key && (await findUsableKey(db, key.keyId));
  const isRight = key !== undefined && matchesSecret(key.secret, stored?.secretHash);
  if (stored === undefined || !isRight) return undefined;
  if (stored.isLapsed) throw new DomainError('UNAUTHENTICATED', LAPSED);
  return toHolder(stored, key.secret);
}

/** Throws UNAUTHENTICATED with the same text for a missing, malformed, unknown, expired or revoked key. */
export async function authenticate(db: Db, keyText: string | undefined): Promise<KeyHolder> {
  const found = await findRightKey(db, keyText);
  if (found !== undefined) return found;
  throw new DomainError('UNAUTHENTICATED', 'A valid API key is required: send it as Authorization: Bearer <key>.');
}

function toHolder(stored: UsableKey, secret: string): KeyHolder {
  const { id, accountId, keyId, label, personId, personName, role, isBound } = stored;
  return {
    accountId,
    keyId,
    keyRecordId: id,
    scopes: scopesWithin(role, stored.scopes),
    personId,
    actor: nameOfActor({ personName, keyLabel: label, keyId }),
    sessionId: null,
    isBound,
    lender: null,
    secret,
  };
}

/** Throws FORBIDDEN. */
export function requirePerson({ personId }: Principal): number {
  if (personId !== null) return personId;
  const message =
    'This key or session is that of the account and not of a person. Sign in with your name, or by an invitation.';
  throw new DomainError('FORBIDDEN', message);
}
