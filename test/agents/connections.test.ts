/**
 * Ways to connect: every configuration of docs/guides/agents.md reaches the tools, and its example is solved; /mcp as an address of the
 * service, with keys, scopes, accounts, browsers, and what it refuses.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Agent, connectAgent, startAgent } from '../../harness/agent-client.ts';
import { RECTANGLE } from '../../harness/scripted-agent.ts';
import { blocksOf, type DocBlock, readPages } from '../support/doc-commands.ts';
import { startTestService, type TestService } from '../support/service.ts';

const page = (await readPages()).find((one) => one.path === 'docs/guides/agents.md')!;
const blocks = blocksOf(page);
const configurations = blocks.filter(({ info }) => info === 'configuration');

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-agent-guide-'));
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

interface Server {
  readonly type?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Uses a configuration as a client does: fills in the variables, and starts the program or calls the address. */
async function connect({ text }: DocBlock): Promise<Agent> {
  const filled = text
    .replaceAll(/\$\{(BACKSOLVE_API_KEY|input:backsolve-key)\}/g, service.key)
    .replaceAll(/\$\{workspaceFolder\}/g, folder)
    .replaceAll('/home/you/beam', folder)
    .replaceAll('https://backsolve.example', service.service.url!);
  const { mcpServers, servers } = JSON.parse(filled) as Record<string, { readonly backsolve: Server }>;
  const { command, args = [], url, headers } = (mcpServers ?? servers)!.backsolve;
  if (command === undefined) {
    expect(url).toBe(`${service.service.url}/mcp`);
    return connectAgent(service.service.url!, headers!['Authorization']!.replace('Bearer ', ''));
  }
  // The program that npx, or pip's script, runs; a database for each would take long.
  const own = command === 'npx' ? args.slice(1) : args;
  expect([command === 'npx' ? args[0] : command, own[0]]).toEqual(['backsolve', 'mcp']);
  return startAgent(own.slice(1), { BACKSOLVE_URL: service.service.url!, BACKSOLVE_API_KEY: service.key });
}

test.each(configurations.map((block, k) => [k + 1, block] as const))(
  'Configuration %i reaches the tools',
  async (_, block) => {
    const agent = await connect(block);
    const { tools } = await agent.client.listTools();
    for (const { name } of tools) expect(page.text).toContain(`| \`${name}\` |`);
    expect((await agent.call('list_problems', {})).isError).toBe(false);
    await agent.close();
  },
);

test('The example is solved with its program and its arguments', async () => {
  const program = blocks.find(({ info }) => info === 'beam.mjs')!;
  await writeFile(path.join(folder, 'beam.mjs'), program.text);
  const agent = await connectAgent(service.service.url!, service.key);
  const statement = JSON.parse(blocks.find(({ info }) => info === 'tool')!.text);
  const { data } = await agent.call('state_problem', statement);
  const next = () => agent.call('next_inputs', { problem: data.problem });
  let answer = await next();
  for (; answer.data.isOver !== true; answer = await next()) {
    for (const { ticket, inputs } of answer.data.runs) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['beam.mjs', inputs.width, inputs.height].map(String),
        { cwd: folder },
      );
      await agent.call('report_outputs', { ticket, outputs: JSON.parse(stdout) });
    }
  }
  expect(answer.data.status).toBe('solved');
  await agent.close();
});

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const BOTH = 'application/json, text/event-stream';

async function send(method: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Response> {
  const all = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', accept: BOTH, ...headers };
  return await fetch(`${service.service.url}/mcp`, { method, headers: all, ...(body !== undefined && { body }) });
}

const MESSAGE = JSON.stringify(LIST);

test.each([
  ['A request to open a stream', 'GET', {}, undefined, 405],
  ['The end of a session', 'DELETE', {}, undefined, 405],
  ['A client that takes no JSON', 'POST', { accept: 'text/html' }, MESSAGE, 406],
  ['Text', 'POST', { 'content-type': 'text/plain' }, 'Hello', 415],
  ['Half a message', 'POST', {}, '{"jsonrpc": ', 400],
  ['A list of messages', 'POST', {}, '[]', 400],
  ['An object that is no message', 'POST', {}, '{}', 400],
  ['An unknown version of the protocol', 'POST', { 'mcp-protocol-version': '1999-01-01' }, MESSAGE, 400],
  ['A wrong key', 'POST', { authorization: 'Bearer nonsense' }, MESSAGE, 401],
  ['A cookie instead of a key', 'POST', { authorization: '', cookie: 'session=1' }, MESSAGE, 401],
  ['A page of another site', 'POST', { origin: 'https://another.example' }, MESSAGE, 403],
  ['A page of the same host', 'POST', { 'sec-fetch-site': 'same-site' }, MESSAGE, 403],
  ['A notification', 'POST', {}, '{"jsonrpc":"2.0","method":"notifications/initialized"}', 202],
  ['A request', 'POST', {}, MESSAGE, 200],
] as const)('%s is answered as the protocol says', async (_, method, headers, body, status) => {
  const answer = await send(method, headers, body);
  expect(answer.status).toBe(status);
  if (status === 405) expect(answer.headers.get('allow')).toBe('POST');
  if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.headers.get('set-cookie')).toBeNull();
  await answer.text();
});

test('A key of another account sees nothing, and a key without a scope is told which one it needs', async () => {
  const [url, own] = [service.service.url!, await connectAgent(service.service.url!, service.key)];
  const { data } = await own.call('state_problem', RECTANGLE.statement);
  const { key: otherKey } = await (await service.as('other')).ok<{ key: string }>('POST', '/keys', {
    label: 'agent',
    scopes: ['read', 'write'],
  });
  const other = await connectAgent(url, otherKey);
  expect((await other.call('list_problems', {})).data).toEqual({ problems: [], searches: [] });
  for (const tool of ['next_inputs', 'read_problem'])
    expect((await other.call(tool, { problem: data.problem })).text).toContain(`There is no problem ${data.problem}.`);

  const { key } = await service.ok<{ key: string }>('POST', '/keys', { label: 'reader', scopes: ['read'] });
  const reader = await connectAgent(url, key);
  expect((await reader.call('read_problem', { problem: data.problem })).isError).toBe(false);
  const refused = await reader.call('next_inputs', { problem: data.problem });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('needs a key with the scope') });
  await Promise.all([own, other, reader].map((agent) => agent.close()));
});

test('A suggestion that takes long is waited for with signs of progress, then the agent is asked to call again', async () => {
  // Without a worker nothing is computed.
  const idle = await startTestService({ worker: false });
  const agent = await connectAgent(idle.service.url!, idle.key);
  const { data } = await agent.call('state_problem', RECTANGLE.statement);
  const cases = await agent.call('next_inputs', { problem: data.problem, count: 2 });
  for (const { ticket, inputs } of cases.data.runs)
    await agent.call('report_outputs', { ticket, outputs: RECTANGLE.run(inputs) });
  const told: unknown[] = [];
  const args = { problem: data.problem, wait: 0.3 };
  const answer = await agent.client.callTool(
    { name: 'next_inputs', arguments: args },
    { onprogress: ({ message }) => told.push(message) },
  );
  expect(answer).toMatchObject({ structuredContent: { runs: [], isOver: false } });
  expect(JSON.stringify(answer.content)).toContain('still being computed. Call next_inputs again');
  expect(told).toContain('Waiting for the next suggestion.');
  await agent.close();
  await idle.close();
});

// The last one: the service closes the connection, of which the next request might not have heard.
test('A message that is too large is refused', async () => {
  expect((await send('POST', {}, `{"a": "${'x'.repeat(300_000)}"}`)).status).toBe(413);
});
