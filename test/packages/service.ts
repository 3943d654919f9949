/** Reads what an installed `backsolve start` answers. */
import { expect } from 'vitest';
import type { User } from '../support/ordinary-users.ts';
import { makeFolder, play } from './program.ts';

const CASES = 4_000;

/** Starts the service, looks at its page and its guides, loads more than the event loop reads itself, and ends it. */
export async function playService(command: readonly string[], user: User): Promise<void> {
  const cwd = await makeFolder(user);
  const place = { cwd, user, env: { PORT: '0' } };
  const { code, output } = await play([...command, 'start'], place, {
    until: /Backsolve is ready at (\S+)[\s\S]*API key +(bks_\S+)/,
    work: async ([, url, key]) => {
      for (const address of ['/page', '/docs', '/docs/guides/first-problem', '/v1/openapi.json'])
        expect((await read(`${url}${address}`)).status, address).toBe(200);
      const script = /src="(\/page\/assets\/[^"]+)"/.exec((await read(`${url}/page`)).text)![1];
      expect((await read(`${url}${script}`)).status).toBe(200);
      await loadCases(url!, key!);
    },
  });
  expect(output).toContain('service.stopping');
  expect(code).toBe(0);
}

/** The whole answer: a connection with an unread one would keep the service from ending. */
async function read(url: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
}

/** A body that a thread reads, and a design that another one computes. */
async function loadCases(url: string, key: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status, await answer.clone().text()).toBe(201);
    return (await answer.json()) as { readonly id: number; readonly inputCases?: readonly unknown[] };
  };
  const model = await post('/v1/models', { name: 'Packages' });
  const space = { inputCount: 2, minimums: [0, 0], maximums: [1, 1], inputTypes: ['float', 'float'], categories: [] };
  const inputCases = Array.from({ length: CASES }, (_, i) => [i / CASES, Math.sqrt(i / CASES)]);
  await post(`/v1/models/${model.id}/projects`, { name: 'Own cases', ...space, inputCases });
  const designed = await post(`/v1/models/${model.id}/projects`, { name: 'Designed', ...space });
  expect(designed.inputCases!.length).toBeGreaterThan(0);
}
