/** Browsers that sign in to the page, without a browser: they keep their secrets and say where their requests come from. */
import { expect } from 'vitest';
import { parseApiKey, type Scope } from '../../src/domain/accounts/api-key.ts';
import type { NativeService, Send } from './native-service.ts';

export const HOST = 'rig.example:8080';
const OWN = { 'sec-fetch-site': 'same-origin' };

export const SESSION_ENDED = {
  status: 401,
  body: { type: 'urn:backsolve:problem:session-ended', detail: 'Your session has ended; sign in again.' },
};

export type Headers = Readonly<Record<string, string>>;

export function makeVisitors(serviceOf: () => NativeService) {
  /** A browser at an address: it keeps the cookie and the secret of the page that it is given. */
  function openBrowser({ address = '192.0.2.1', host = HOST, over = {} as Headers } = {}) {
    let cookie: string | undefined;
    let pageSecret: string | undefined;
    const send = async (...[method, url, body, headers = OWN]: Parameters<Send>) => {
      const response = await serviceOf().app.inject({
        method: method as 'GET',
        url,
        remoteAddress: address,
        headers: {
          host,
          ...over,
          ...(cookie !== undefined && { cookie: `other=1; ${cookie}` }),
          ...(pageSecret !== undefined && { 'x-page-secret': pageSecret }),
          ...headers,
        },
        ...(body !== undefined && { payload: body as object }),
      });
      const given = [response.headers['set-cookie'] ?? []].flat();
      // Cookie of the path under which the page keeps its own.
      const set = given.find((one) => one.includes('; Path=/;'));
      if (set !== undefined) cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0]!;
      const isJson =
        /^application\/(problem\+)?json/.test(String(response.headers['content-type'])) && response.body !== '';
      const { statusCode: status, headers: answered, body: text } = response;
      const answer = isJson ? response.json() : undefined;
      pageSecret = answer?.pageSecret ?? pageSecret;
      return { status, headers: answered, set, given, text, body: answer };
    };
    return {
      send,
      cookie: () => cookie!,
      token: () => cookie!.split('=')[1]!,
      pageSecret: () => pageSecret!,
      /** Takes both secrets of another browser, or only a cookie. */
      steal: (stolenCookie: string, stolenSecret?: string) => {
        cookie = stolenCookie;
        pageSecret = stolenSecret;
      },
    };
  }

  let accounts = 0;
  async function openAccount(scopes?: readonly Scope[]) {
    const account = `account ${++accounts}`;
    const key = await serviceOf().makeKey(account, scopes);
    return { account, key, keyId: parseApiKey(key)!.keyId };
  }

  async function signIn(scopes?: readonly Scope[], options = {}) {
    const opened = await openAccount(scopes);
    const browser = openBrowser(options);
    const answer = await browser.send('POST', '/session', { key: opened.key });
    expect(answer.status, answer.text).toBe(201);
    return { ...opened, ...browser, answer };
  }

  return { openBrowser, openAccount, signIn };
}
