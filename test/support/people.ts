/** People in tests: they are invited, give their names and use the service as browsers do. */
import { expect } from 'vitest';
import type { Role } from '../../src/domain/people/people.ts';
import type { NativeService, Send } from '../http/native-service.ts';
import { makeVisitors } from '../http/session-browser.ts';

/** The secret of a link of the service. */
export function tokenIn(link: string): string {
  return link.split('=')[1]!;
}

export function makePeople(serviceOf: () => NativeService) {
  const visitors = makeVisitors(serviceOf);
  let browsers = 0;

  /** At an address of its own: what one does wrong slows no other. */
  function openBrowser() {
    browsers++;
    return visitors.openBrowser({ address: `198.51.${browsers >> 8}.${browsers & 255}` });
  }

  /** The link of a new invitation. */
  async function invite(send: Send, wanted: object): Promise<{ readonly id: number; readonly token: string }> {
    const { status, body, text } = await send('POST', '/v1/invitations', wanted);
    expect(status, text).toBe(201);
    return { id: body.id, token: tokenIn(body.link) };
  }

  async function accept(token: string, name: string) {
    const browser = openBrowser();
    const answer = await browser.send('POST', '/session', { invitation: token, name });
    expect(answer.status, answer.text).toBe(201);
    return { ...browser, send: browser.send as unknown as Send, answer: answer.body };
  }

  /** Somebody who joins the account of `send` with the role. */
  async function join(send: Send, role: Role, name: string) {
    const { token } = await invite(send, { role });
    const person = await accept(token, name);
    const { body } = await person.send('GET', '/v1/me');
    return { ...person, id: body.person.id as number };
  }

  return { openBrowser, invite, accept, join };
}
