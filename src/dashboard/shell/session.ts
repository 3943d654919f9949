/** The session of the user. */
import { signal } from '@preact/signals';
import { forgetAll } from './drafts.ts';
import { adoptSecret, pageSecret, SECRET_HEADER, SECRET_NAME, storedSecret, storeSecret } from './page-secret.ts';
import { fetchNoting, whenSignedOut } from './service.ts';

export type Scope = 'read' | 'write' | 'evaluate' | 'admin';

export interface Session {
  readonly account: string;
  /** The name of the person; null: the session is that of the account. */
  readonly person: string | null;
  readonly scopes: readonly Scope[];
  /** The id of the key that signed in; null after a sign-in by link. */
  readonly keyId: string | null;
  readonly expiresAt: string;
}

/** undefined: not known yet; null: not signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** A notice about the session, for example why it ended. */
export const signInNotice = signal<string | undefined>(undefined);
/** The token of a link that signs in only when the user says so: a page that opened this one may have put it into the address. */
export const offeredLink = signal<string | undefined>(undefined);
/** The token of an invitation from the address. */
export const offeredInvitation = signal<string | undefined>(undefined);
/** Reason why the sign-in with the OpenID provider failed. */
export const failedSignIn = signal<string | undefined>(undefined);
/** The account that another tab signed in to, while this one showed another. */
export const accountElsewhere = signal<string | undefined>(undefined);

/** The account whose data this tab has shown. */
let shownAccount: string | undefined;
let hasLinkFailed = false;

const OVER = 'Your session has expired. Sign in to continue where you left off.';
const NO_ANSWER = 'The service does not respond. Check that it is running, then';

whenSignedOut(() => {
  const stored = storedSecret();
  if (stored !== undefined && stored !== pageSecret()) void followOtherTab();
  else if (session.value) end(OVER);
});

/** Resumes the session of the browser, or signs in with the link in the address. */
export async function startSession(): Promise<void> {
  // A link that is opened where the page is already open changes only this part of the address.
  addEventListener('hashchange', () => void takeLink());
  addEventListener('storage', ({ key }) => {
    if (key === SECRET_NAME || key === null) void followOtherTab();
  });
  const secret = pageSecret();
  try {
    const found = secret === undefined ? null : await ask(secret);
    if (found !== null) begin(found);
    else if (!hasLink()) session.value = null;
  } catch {
    end(`${NO_ANSWER} reload this page.`);
  }
  await takeLink();
}

/** The session of a secret; null: there is none any more. Rejects when the service does not answer. */
async function ask(secret: string): Promise<Session | null> {
  const response = await fetchNoting('/session', { headers: { [SECRET_HEADER]: secret } });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return (await response.json()) as Session | null;
}

/** A view keeps what it has read, so another account gets a page of its own. */
function begin(found: Session): void {
  if (shownAccount !== undefined && shownAccount !== found.account) {
    location.reload();
    return;
  }
  shownAccount = found.account;
  accountElsewhere.value = undefined;
  signInNotice.value = undefined;
  session.value = found;
}

function end(notice: string | undefined): void {
  signInNotice.value = notice;
  session.value = null;
}

/** Another tab signed out, or in. */
async function followOtherTab(): Promise<void> {
  const secret = storedSecret();
  if (secret === pageSecret()) return;
  try {
    const found = secret === undefined ? null : await ask(secret);
    if (found !== null && shownAccount !== undefined && found.account !== shownAccount) {
      accountElsewhere.value = found.account;
      end(undefined);
      return;
    }
    adoptSecret(secret);
    if (found !== null) begin(found);
    else if (session.value && secret !== undefined) end(OVER);
    else if (session.value) {
      forgetAll(session.value.account);
      end('You signed out in another tab.');
    }
  } catch {
    end(`${NO_ANSWER} reload this page.`);
  }
}

const LINK = /^#(token|invitation|sign-in-failed)=([\w-]+)$/;

function hasLink(): boolean {
  return LINK.test(location.hash);
}

/** Takes what a link says out of the address. Signs in with its token if there is no session and no link has failed here before. */
async function takeLink(): Promise<void> {
  const [, kind, token] = LINK.exec(location.hash) ?? [];
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (kind !== 'token') {
    (kind === 'invitation' ? offeredInvitation : failedSignIn).value = token;
    session.value ??= null;
  } else if (session.value || hasLinkFailed) offeredLink.value = token;
  else await signIn({ token });
}

type Credentials =
  | { readonly key: string }
  | { readonly token: string }
  | { readonly invitation: string; readonly name?: string }
  /** Account of the person who is signed in, to switch to. */
  | { readonly account: number }
  | { readonly name: string };

/** Resolves to whether it succeeded; otherwise `signInNotice` says why, and the session is unchanged. */
export async function signIn(credentials: Credentials): Promise<boolean> {
  signInNotice.value = undefined;
  offeredLink.value = undefined;
  const isDone = await trySignIn(credentials);
  if (!isDone && 'token' in credentials) hasLinkFailed = true;
  session.value ??= null;
  return isDone;
}

async function trySignIn(credentials: object): Promise<boolean> {
  const secret = pageSecret();
  try {
    const response = await fetchNoting('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(secret !== undefined && { [SECRET_HEADER]: secret }) },
      body: JSON.stringify(credentials),
    });
    const body = (await response.json()) as Session & { readonly pageSecret: string; readonly detail?: string };
    if (!response.ok) {
      signInNotice.value = body.detail ?? 'Signing in failed.';
      return false;
    }
    storeSecret(body.pageSecret);
    begin(body);
    return true;
  } catch {
    signInNotice.value = `${NO_ANSWER} try again.`;
    return false;
  }
}

/** Drafts of the account leave this browser as well. Resolves to whether it succeeded; otherwise the header shows that the service is unreachable. */
export async function signOut(): Promise<boolean> {
  try {
    const headers = { [SECRET_HEADER]: pageSecret() ?? '' };
    const response = await fetchNoting('/session', { method: 'DELETE', headers });
    if (!response.ok) return false;
  } catch {
    return false;
  }
  if (session.value) forgetAll(session.value.account);
  storeSecret(undefined);
  end('You are signed out.');
  return true;
}

/** Whether the session ends when this key does. */
export function isSignedInWith({ keyId }: { readonly keyId: string }): boolean {
  return session.value?.keyId === keyId;
}

/** Whether controls that need the scope are shown. */
export function may(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}
