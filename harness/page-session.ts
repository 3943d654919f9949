/** Signs in to the page as a browser does, for tests and measurements. */

export interface PageSession {
  readonly cookie: string;
  readonly pageSecret: string;
  /** The headers of its requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** The storage of a Playwright browser with the session. */
  readonly storageState: {
    readonly cookies: {
      name: string;
      value: string;
      domain: string;
      path: string;
      expires: number;
      httpOnly: boolean;
      secure: boolean;
      sameSite: 'Strict';
    }[];
    readonly origins: { origin: string; localStorage: { name: string; value: string }[] }[];
  };
}

/** @param url  of the service. Rejects with its answer to a wrong key. */
export function openPageSession(url: string, key: string): Promise<PageSession> {
  return signIn(url, { key });
}

/** Accepts an invitation as somebody of this name. */
export function joinByInvitation(url: string, invitation: string, name: string): Promise<PageSession> {
  return signIn(url, { invitation, name });
}

/** Gives whoever uses a session of the account a name. */
export function nameSession(url: string, name: string, session: PageSession): Promise<PageSession> {
  return signIn(url, { name }, session.headers);
}

async function signIn(url: string, credentials: object, own: PageSession['headers'] = {}): Promise<PageSession> {
  const { origin, hostname } = new URL(url);
  const headers = { ...own, 'content-type': 'application/json', origin };
  const answer = await fetch(`${origin}/session`, { method: 'POST', headers, body: JSON.stringify(credentials) });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`signing in: ${answer.status} ${text}`);
  const { pageSecret } = JSON.parse(text) as { pageSecret: string };
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
  const [name, value] = cookie.split('=') as [string, string];
  return {
    cookie,
    pageSecret,
    headers: { cookie, 'x-page-secret': pageSecret, origin },
    storageState: {
      cookies: [
        { name, value, domain: hostname, path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' },
      ],
      origins: [{ origin, localStorage: [{ name: 'backsolve-page-secret', value: pageSecret }] }],
    },
  };
}
