/** Browsers that sign in to the page, without a browser: they keep their cookie and say where their requests come from. */
import { expect } from 'vitest';
import { parseApiKey, type Scope } from '../../src/domain/api-key.ts';
import type { NativeService, Send } from './native-service.ts';

export const HOST = 'rig.example:8080';
const OWN = { 'sec-fetch-site': 'same-origin' };

export const SESSION_ENDED = {
  status: 401,
  body: { type: 'urn:backsolve:problem:session-ended', detail: 'Your session has ended; sign in again.' },
};

export type Headers = Readonly<Record<string, string>>;

export function makeVisitors(serviceOf: () => NativeService) {
  /** A browser at an address: it keeps the cookie that it is given, and says where its requests come from. */
  function openBrowser({ address = '192.0.2.1', host = HOST, over = {} as Headers } = {}) {
    let cookie: string | undefined;
    const send = async (...[method, url, body, headers = OWN]: Parameters<Send>) => {
      const response = await serviceOf().app.inject({
        method: method as 'GET',
        url,
        remoteAddress: address,
        headers: { host, ...over, ...headers, ...(cookie !== undefined && { cookie: `other=1; ${cookie}` }) },
        ...(body !== undefined && { payload: body as object }),
      });
      const set = response.headers['set-cookie'] as string | undefined;
      if (set !== undefined) cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0]!;
      const isJson = String(response.headers['content-type']).includes('json') && response.body !== '';
      const { statusCode: status, headers: answered, body: text } = response;
      return { status, headers: answered, set, text, body: isJson ? response.json() : undefined };
    };
    return {
      send,
      cookie: () => cookie!,
      token: () => cookie!.split('=')[1]!,
      steal: (stolen: string) => {
        cookie = stolen;
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
