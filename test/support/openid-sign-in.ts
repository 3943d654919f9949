/** People who sign in by an OpenID provider, as browsers do. */
import { expect } from 'vitest';
import type { NativeService } from '../http/native-service.ts';
import type { TestProvider } from './openid-provider.ts';
import { makePeople, tokenIn } from './people.ts';

export const CALLBACK = '/session/openid/callback';

export function makeSignIn(serviceOf: () => NativeService, providerOf: () => TestProvider) {
  const { openBrowser } = makePeople(serviceOf);
  type Browser = ReturnType<typeof openBrowser>;

  /** A browser that came back from the provider, before it is sent on to the page. */
  async function goThere(subject: string, wanted: object = {}, browser = openBrowser()) {
    const begun = await browser.send('POST', '/session/openid', wanted);
    expect(begun.status, begun.text).toBe(200);
    const cookie = begun.given[0]!.split(';')[0]!;
    expect(begun.given[0]).toContain('HttpOnly; SameSite=Lax');
    return { browser, cookie, url: await providerOf().signIn(begun.body.url, subject) };
  }

  /** Address to which the service sends a browser that comes back to `url`. */
  async function comeBack(browser: Browser, url: URL, cookie: string): Promise<string> {
    const answer = await browser.send('GET', `${url.pathname}${url.search}`, undefined, {
      cookie,
      'sec-fetch-site': 'cross-site',
    });
    expect(answer.status, answer.text).toBe(303);
    return String(answer.headers['location']);
  }

  async function signIn(subject: string, wanted: object = {}) {
    const { browser, cookie, url } = await goThere(subject, wanted);
    const location = await comeBack(browser, url, cookie);
    expect(location).toContain('#token=');
    const answer = await browser.send('POST', '/session', { token: tokenIn(location.slice(location.indexOf('#'))) });
    expect(answer.status, answer.text).toBe(201);
    return { browser, location, session: answer.body };
  }

  async function refusalOf(subject: string, wanted: object = {}) {
    const { browser, cookie, url } = await goThere(subject, wanted);
    return comeBack(browser, url, cookie);
  }

  return { goThere, comeBack, signIn, refusalOf };
}
