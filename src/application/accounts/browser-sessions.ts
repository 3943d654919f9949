/**
 * Signing in to the page: with a key, or with a link that an operator got from `start` or `page`. A session has two secrets: a token in a
 * cookie, which browsers also send to other ports of the host, and one that only the page holds. It counts with both.
 */
import { ensureAccount, findAccountId } from '../../db/accounts/accounts.ts';
import * as sessions from '../../db/accounts/browser-sessions.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { hashSecret, matchesSecret, SCOPES } from '../../domain/api-key.ts';
import { makeToken, parseToken } from '../../domain/browser-session.ts';
import { DomainError, makeViolation, notFound } from '../../domain/errors.ts';
import { authenticate, type Principal } from './authenticate.ts';

/** Who is signed in, as the principal of the session's requests. */
export interface Session extends Principal {
  readonly id: number;
  readonly accountName: string;
  /** When it ends at the latest. */
  readonly expiresAt: Date;
}

export interface NewSession extends Session {
  /** For the browser's cookie; returned here and never again, like the next. */
  readonly token: string;
  /** For the page's storage. */
  readonly pageSecret: string;
}

/** What a request proves its session with. */
export interface SessionProof {
  /** Of all cookies with the right name: programs on other ports of the host can add some. */
  readonly tokens: readonly string[];
  readonly pageSecret: string;
}

/** Throws UNAUTHENTICATED. */
export async function signInByKey(db: Db, keyText: string): Promise<NewSession> {
  const secrets = makeSecrets();
  const keyId = await authenticate(db, keyText).then(
    (principal) => principal.keyId,
    (error: unknown) => {
      if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') return undefined;
      throw error;
    },
  );
  const stored = keyId && (await sessions.insertSessionOfKey(db, secrets, keyId));
  if (!stored)
    throw refused('UNAUTHENTICATED', 'key', 'This API key is not valid: it is mistyped, revoked or expired.');
  return begin(db, stored, secrets);
}

/** Throws LINK_ENDED for a link that is unknown, used or expired. */
export async function signInByLink(db: Db, linkToken: string): Promise<NewSession> {
  const secrets = makeSecrets();
  const isToken = parseToken(linkToken) !== undefined;
  const stored = isToken ? await sessions.redeemLink(db, hashSecret(linkToken), secrets) : undefined;
  if (stored === undefined) {
    const message =
      'This sign-in link has been used or has expired. Run `npx backsolve page` to get a new one, or sign in with an API key.';
    throw refused('LINK_ENDED', 'token', message);
  }
  return begin(db, stored, secrets);
}

function makeSecrets() {
  const [token, pageSecret] = [makeToken(), makeToken()];
  return { token, pageSecret, tokenHash: hashSecret(token), pageHash: hashSecret(pageSecret) };
}

function refused(code: 'UNAUTHENTICATED' | 'LINK_ENDED', field: string, message: string): DomainError {
  return new DomainError(code, message, { violations: [makeViolation([field], message)] });
}

async function begin(
  db: Db,
  stored: sessions.StoredSession,
  { token, pageSecret }: { readonly token: string; readonly pageSecret: string },
): Promise<NewSession> {
  await sessions.removeSurplusSessions(db, stored.accountId);
  return { ...stored, secret: token, token, pageSecret };
}

/** Throws SESSION_ENDED unless one of the tokens and the secret of the page belong to a session, and it and its key have not ended. */
export async function findSession(db: Db, { tokens, pageSecret }: SessionProof): Promise<Session> {
  const usable = await findUsable(db, tokens);
  const found = usable.find(({ pageHash }) => matchesSecret(pageSecret, pageHash));
  if (found === undefined) throw new DomainError('SESSION_ENDED', 'Your session has ended; sign in again.');
  const { tokenHash, pageHash: _, ...session } = found;
  return { ...session, secret: tokens.find((token) => matchesSecret(token, tokenHash))! };
}

/** Whether a token belongs to a session that may be used, if not with the secret of this page. */
export async function isAnyAlive(db: Db, tokens: readonly string[]): Promise<boolean> {
  return (await findUsable(db, tokens)).length > 0;
}

function findUsable(db: Db, tokens: readonly string[]) {
  const wellFormed = tokens.filter((token) => parseToken(token) !== undefined);
  return sessions.findUsableSessions(db, wellFormed.map(hashSecret));
}

/** The account of the session that was ended; undefined when there was none. */
export async function endSession(db: Db, proof: SessionProof): Promise<number | undefined> {
  try {
    const { id, accountId } = await findSession(db, proof);
    await sessions.removeSession(db, id);
    return accountId;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'SESSION_ENDED') return undefined;
    throw error;
  }
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
