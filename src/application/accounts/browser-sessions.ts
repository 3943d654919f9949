/**
 * Signing in to the page: with a key, or with a link that an operator got from `start` or `page`. A session has two secrets: a token in a
 * cookie, which browsers also send to other ports of the host, and one that only the page holds. It counts with both.
 */
import { ensureAccount, findAccountId } from '../../db/accounts/accounts.ts';
import * as sessions from '../../db/accounts/browser-sessions.ts';
import type { Db, Trx } from '../../db/connection/transaction.ts';
import { findMemberCalled } from '../../db/people/members.ts';
import { hashSecret, matchesSecret, SCOPES } from '../../domain/accounts/api-key.ts';
import { LINK_MINUTES, makeToken, parseToken } from '../../domain/accounts/browser-session.ts';
import { DomainError, makeViolation, notFound } from '../../domain/errors.ts';
import { LONGEST_BROWSER, nameOfActor, type Role, scopesWithin } from '../../domain/people/people.ts';
import { findRightKey, type Principal } from './authenticate.ts';

/** The signed-in caller, as the principal of the session's requests. */
export interface Session extends Principal {
  readonly sessionId: number;
  readonly accountName: string;
  readonly personName: string | null;
  /** Role of the person in the account. */
  readonly role: Role | null;
  /** Latest time at which it ends. */
  readonly expiresAt: Date;
}

export interface NewSession extends Session {
  /** For the browser's cookie; returned here and never again, like the next. */
  readonly token: string;
  /** For the page's storage. */
  readonly pageSecret: string;
}

/** Evidence with which a request proves its session. */
export interface SessionProof {
  /** Values of all cookies with the right name: programs on other ports of the host can add some. */
  readonly tokens: readonly string[];
  readonly pageSecret: string;
}

/** `browser`: as it calls itself, as in the next. Throws UNAUTHENTICATED. */
export async function signInByKey(db: Db, keyText: string, browser?: string): Promise<NewSession> {
  const secrets = makeSecrets(browser);
  const key = await findRightKey(db, keyText);
  const stored = key && (await sessions.insertSessionOfKey(db, secrets, key.keyId));
  if (!stored)
    throw refused('UNAUTHENTICATED', 'key', 'This API key is not valid: it is mistyped, revoked or expired.');
  return begin(db, stored, secrets);
}

/** Throws LINK_ENDED for a link that is unknown, used or expired. */
export async function signInByLink(db: Db, linkToken: string, browser?: string): Promise<NewSession> {
  const secrets = makeSecrets(browser);
  const isToken = parseToken(linkToken) !== undefined;
  const stored = isToken ? await sessions.redeemLink(db, hashSecret(linkToken), secrets) : undefined;
  if (stored === undefined) {
    const message =
      'This sign-in link has been used or has expired. Run `npx backsolve page` to get a new one, or sign in with an API key.';
    throw refused('LINK_ENDED', 'token', message);
  }
  return begin(db, stored, secrets);
}

/** Begins a session of a person in an account; undefined unless the person is a member of it. Joins the transaction when `db` is one. */
export async function signInAs(
  db: Db | Trx,
  accountId: number,
  personId: number,
  browser?: string,
): Promise<NewSession | undefined> {
  const secrets = makeSecrets(browser);
  const stored = await sessions.insertSessionOfPerson(db, secrets, { accountId, personId, scopes: SCOPES });
  return stored && begin(db, stored, secrets);
}

interface Secrets extends sessions.NewBrowser {
  readonly token: string;
  readonly pageSecret: string;
}

function makeSecrets(browser: string | undefined): Secrets {
  const [token, pageSecret] = [makeToken(), makeToken()];
  const named = browser?.slice(0, LONGEST_BROWSER) ?? null;
  return { token, pageSecret, tokenHash: hashSecret(token), pageHash: hashSecret(pageSecret), browser: named };
}

function refused(code: 'UNAUTHENTICATED' | 'LINK_ENDED', field: string, message: string): DomainError {
  return new DomainError(code, message, { violations: [makeViolation([field], message)] });
}

async function begin(db: Db | Trx, stored: sessions.StoredSession, secrets: Secrets): Promise<NewSession> {
  await sessions.removeSurplusSessions(db, stored);
  const { token, pageSecret } = secrets;
  return { ...toSession(stored), secret: token, token, pageSecret };
}

function toSession({ id, keyLabel, ...stored }: sessions.StoredSession): Omit<Session, 'secret'> {
  const { personName, keyId, role } = stored;
  return {
    ...stored,
    sessionId: id,
    scopes: scopesWithin(role, stored.scopes),
    actor: nameOfActor({ personName, keyLabel, keyId }),
  };
}

/** Throws SESSION_ENDED unless one of the tokens and the secret of the page belong to a session, and it and its key have not ended. */
export async function findSession(db: Db, { tokens, pageSecret }: SessionProof): Promise<Session> {
  const usable = await findUsable(db, tokens);
  const found = usable.find(({ pageHash }) => matchesSecret(pageSecret, pageHash));
  if (found === undefined) throw new DomainError('SESSION_ENDED', 'Your session has ended; sign in again.');
  const { tokenHash, pageHash: _, ...stored } = found;
  return { ...toSession(stored), secret: tokens.find((token) => matchesSecret(token, tokenHash))! };
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
    const { sessionId, accountId } = await findSession(db, proof);
    await sessions.removeSession(db, sessionId);
    return accountId;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'SESSION_ENDED') return undefined;
    throw error;
  }
}

/**
 * The token of a new link to an account, with all scopes, or to that of a member, as `person` is called. It works once and for some minutes.
 * For operators. Throws NOT_FOUND, for an account unless the link `makesAccount`.
 */
export async function createSignInLink(
  db: Db,
  account: string,
  { makesAccount = false, person }: { readonly makesAccount?: boolean; readonly person?: string | undefined } = {},
): Promise<string> {
  const accountId = await (makesAccount ? ensureAccount : findAccountId)(db, account);
  if (accountId === undefined) throw notFound('account', account);
  const personId = person === undefined ? null : await findMemberCalled(db, accountId, person);
  if (personId === undefined) throw notFound('member', person!);
  const { token } = await storeLink(db, {
    accountId,
    personId,
    isBound: personId === null,
    lender: null,
    minutes: LINK_MINUTES,
  });
  return token;
}

export interface SignInLink {
  readonly token: string;
  readonly expiresAt: Date;
}

/** A link that signs in once, with all scopes or, of a person, with those of the role. */
export async function storeLink(
  db: Db | Trx,
  link: Pick<sessions.NewLink, 'accountId' | 'personId' | 'isBound' | 'lender' | 'minutes'>,
): Promise<SignInLink> {
  const token = makeToken();
  return { token, expiresAt: await sessions.insertLink(db, { tokenHash: hashSecret(token), scopes: SCOPES, ...link }) };
}

/** One pass of the schedule. */
export async function purgeSessions(db: Db): Promise<{ readonly purged: number }> {
  return { purged: await sessions.purgeEndedSessions(db) };
}
