/** Signing in to the page: with a key, or with a link that an operator got from `start` or `page`. */
import { ensureAccount, findAccountId } from '../db/accounts.ts';
import * as sessions from '../db/browser-sessions.ts';
import type { Db } from '../db/transaction.ts';
import { hashSecret, SCOPES } from '../domain/api-key.ts';
import { makeToken, parseToken } from '../domain/browser-session.ts';
import { DomainError, makeViolation, notFound } from '../domain/errors.ts';
import { authenticate, type Principal } from './authenticate.ts';

/** Who is signed in, as the principal of the session's requests. */
export interface Session extends Principal {
  readonly id: number;
  readonly accountName: string;
  /** When it ends at the latest. */
  readonly expiresAt: Date;
}

export interface NewSession extends Session {
  /** For the browser's cookie; returned here and never again. */
  readonly token: string;
}

/** Throws UNAUTHENTICATED. */
export async function signInByKey(db: Db, keyText: string): Promise<NewSession> {
  const token = makeToken();
  const keyId = await authenticate(db, keyText).then(
    (principal) => principal.keyId,
    (error: unknown) => {
      if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') return undefined;
      throw error;
    },
  );
  const stored = keyId && (await sessions.insertSessionOfKey(db, hashSecret(token), keyId));
  if (!stored)
    throw refused('UNAUTHENTICATED', 'key', 'This API key is not valid: it is mistyped, revoked or expired.');
  return begin(db, stored, token);
}

/** Throws LINK_ENDED for a link that is unknown, used or expired. */
export async function signInByLink(db: Db, linkToken: string): Promise<NewSession> {
  const token = makeToken();
  const isToken = parseToken(linkToken) !== undefined;
  const stored = isToken ? await sessions.redeemLink(db, hashSecret(linkToken), hashSecret(token)) : undefined;
  if (stored === undefined) {
    const message =
      'This sign-in link was used before or has expired. Run `npx backsolve page` for another one, or sign in with an API key.';
    throw refused('LINK_ENDED', 'token', message);
  }
  return begin(db, stored, token);
}

function refused(code: 'UNAUTHENTICATED' | 'LINK_ENDED', field: string, message: string): DomainError {
  return new DomainError(code, message, { violations: [makeViolation([field], message)] });
}

async function begin(db: Db, stored: sessions.StoredSession, token: string): Promise<NewSession> {
  await sessions.removeSurplusSessions(db, stored.accountId);
  return { ...stored, secret: token, token };
}

/** Throws SESSION_ENDED for a token that is malformed or unknown, and when its session or its key has ended. */
export async function findSession(db: Db, token: string): Promise<Session> {
  const stored = parseToken(token) === undefined ? undefined : await sessions.findUsableSession(db, hashSecret(token));
  if (stored === undefined) throw new DomainError('SESSION_ENDED', 'Your session has ended; sign in again.');
  return { ...stored, secret: token };
}

/** The account whose session was ended; undefined when there was none. */
export async function endSession(db: Db, token: string): Promise<number | undefined> {
  return parseToken(token) === undefined ? undefined : sessions.removeSession(db, hashSecret(token));
}

/**
 * The token of a new link to an account, with all scopes. It works once and for some minutes. Throws NOT_FOUND unless the link
 * `makesAccount`.
 */
export async function createSignInLink(
  db: Db,
  account: string,
  { makesAccount = false }: { readonly makesAccount?: boolean } = {},
): Promise<string> {
  const accountId = await (makesAccount ? ensureAccount : findAccountId)(db, account);
  if (accountId === undefined) throw notFound('account', account);
  const token = makeToken();
  await sessions.insertLink(db, { tokenHash: hashSecret(token), accountId, scopes: SCOPES });
  return token;
}

/** One pass of the schedule. */
export async function purgeSessions(db: Db): Promise<{ readonly purged: number }> {
  return { purged: await sessions.purgeEndedSessions(db) };
}
