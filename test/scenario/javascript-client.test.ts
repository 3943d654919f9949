/** The JavaScript client where it is installed, and the program that needs no client. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProgram } from '../support/doc-programs.ts';
import { findJavascriptClient, runJavascript } from '../support/javascript-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

const client = findJavascriptClient();
if (client.kind === 'missing') console.warn(`SKIPPED: every test of the JavaScript client, because ${client.reason}`);

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

it('a program without any client, from docs/clients.md, reaches satisfied', async () => {
  const program = await readProgram('clients.md', 'Without a client', 'js');
  expect(await runJavascript(program, { folder: '/', url: service.service.url!, key: service.key })).toMatch(
    /^satisfied \[/,
  );
});

describe.skipIf(client.kind === 'missing')('the published JavaScript client', () => {
  const installed = client as Extract<typeof client, { kind: 'installed' }>;
  const run = (program: string) =>
    runJavascript(program, { folder: installed.folder, url: service.service.url!, key: service.key });

  it('The published JavaScript client runs the program of docs/clients.md to its end', async () => {
    const program = await readProgram('clients.md', 'JavaScript', 'javascript');
    expect(await run(program)).toContain('satisfied to an optimal input and output');
  });

  it('reaches satisfied with the quick start of its own README', async () => {
    const blocks = [...(await installed.readReadme()).matchAll(/```javascript\n([\s\S]*?)```/g)];
    const [program] = blocks.map((block) => block[1]!).filter((block) => block.includes('async function main'));
    expect(await run(program!)).toContain('satisfied to an optimal input and output');
  });
});
