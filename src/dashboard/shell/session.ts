/** Who is signed in. */
import { signal } from '@preact/signals';
import { fetchNoting, whenSignedOut } from './service.ts';

export type Scope = 'read' | 'write' | 'evaluate' | 'admin';

export interface Session {
  readonly account: string;
  readonly scopes: readonly Scope[];
  /** Of the key that signed in; null: a link did. */
  readonly keyId: string | null;
  readonly expiresAt: string;
}

/** undefined: not known yet; null: nobody. */
export const session = signal<Session | null | undefined>(undefined);
/** Why there is no session, if there is something to say. */
export const signInNotice = signal<string | undefined>(undefined);

whenSignedOut(() => {
  if (session.value) signInNotice.value = 'Your session is over. Sign in to go on where you were.';
  session.value = null;
});

/** Signs in by the link in the address, or else looks whether a session is there. */
export async function startSession(): Promise<void> {
  // A link that is opened where the page is already open changes only this part of the address.
  addEventListener('hashchange', () => {
    const token = takeToken();
    if (token !== undefined) void signIn({ token });
  });
  const token = takeToken();
  if (token !== undefined) {
    await signIn({ token });
    return;
  }
  try {
    const response = await fetchNoting('/session');
    session.value = response.ok ? ((await response.json()) as Session) : null;
  } catch {
    session.value = null;
    signInNotice.value = 'The service does not answer. Check that it runs, then reload this page.';
  }
}

/** The token of a sign-in link, which leaves the address. */
function takeToken(): string | undefined {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** Resolves to whether it worked; otherwise `signInNotice` says why not. */
export async function signIn(credentials: { readonly key: string } | { readonly token: string }): Promise<boolean> {
  signInNotice.value = undefined;
  try {
    const response = await fetchNoting('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    const body = (await response.json()) as Session & { readonly detail?: string };
    session.value = response.ok ? body : null;
    if (!response.ok) signInNotice.value = body.detail ?? 'Signing in failed.';
    return response.ok;
  } catch {
    session.value = null;
    signInNotice.value = 'The service does not answer. Check that it runs, then try again.';
    return false;
  }
}

export async function signOut(): Promise<void> {
  try {
    await fetchNoting('/session', { method: 'DELETE' });
    signInNotice.value = 'You are signed out.';
    session.value = null;
  } catch {
    signInNotice.value = undefined;
  }
}

/** Whether the session ends when this key does. */
export function isSignedInWith({ keyId }: { readonly keyId: string }): boolean {
  return session.value?.keyId === keyId;
}

/** Whether controls that need the scope are shown. */
export function may(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}
