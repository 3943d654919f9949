/** `backsolve mcp` as real processes: killed at any moment, with a service of the folder and with one that is given. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOwners, startOf } from '../../clients/typescript/src/solve/folder-lock.ts';
import { startAgent } from '../../harness/agent-client.ts';
import { playKilledAgent } from '../../harness/killed-agent.ts';
import { RECTANGLE } from '../../harness/scripted-agent.ts';
import { callCommand, startCommand } from '../support/run-command.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

const connection = () => ({ BACKSOLVE_URL: service.service.url!, BACKSOLVE_API_KEY: service.key });

test('An agent whose process is killed at random moments, and which repeats itself, solves its problem without a double run', async () => {
  const played = await playKilledAgent({ seed: 1, kills: 3, repeats: 3, start: () => startAgent([], connection()) });
  expect(played).toMatchObject({ kills: 3, repeats: 3, isSolved: true, accepted: [] });
  expect(await service.ok('GET', '/batches')).toHaveLength(1);
  const path = `/evaluations?batch_id=${played.problem}`;
  const evaluations = await service.ok<{ readonly state: string; readonly input: readonly number[] }[]>('GET', path);
  expect(new Set(evaluations.map(({ input }) => JSON.stringify(input))).size).toBe(evaluations.length);
  // Whatever was run is stored, once.
  const done = evaluations.filter(({ state }) => state === 'done').map(({ input }) => JSON.stringify(input));
  expect(new Set(done)).toEqual(played.inputs);
});

test('Two agents in one folder share its service, which ends after them, and nothing but the protocol is printed', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-agents-'));
  const agents = await Promise.all([startAgent(['--dir', folder]), startAgent(['--dir', folder])]);
  const stated = await Promise.all(agents.map((agent) => agent.call('state_problem', RECTANGLE.statement)));
  expect(stated.map(({ data }) => data.problem)).toEqual([1, 1]);
  for (const agent of agents) {
    await agent.close();
    await expect.poll(() => startOf(agent.pid!)).toBeUndefined();
  }
  while ((await findOwners(path.join(folder, '.backsolve'))).length > 0) await sleep(50);
  await rm(folder, { recursive: true, force: true });
});

test('Without input it ends, and a service without a key is refused at the start', async () => {
  const ended = startCommand(['mcp'], connection());
  expect(await ended.ended).toBe(0);
  expect(ended.stdout()).toBe('');
  const refused = await callCommand(['mcp', '--url', 'http://localhost:1']);
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('needs an API key') });
});

test('Requests that stand in the input before its end are answered before the process ends', async () => {
  const asked = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'list_problems', arguments: {} } },
    { id: 4, method: 'tools/call', params: { name: 'list_problems', arguments: {} } },
    { method: 'notifications/cancelled', params: { requestId: 4 } },
  ];
  const input = asked.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const piped = startCommand(['mcp'], connection(), input);
  expect(await piped.ended).toBe(0);
  const answers = piped
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2, 3]));
  expect(answers.find(({ id }) => id === 3).result.isError).not.toBe(true);
});

test('A folder that cannot be used is an error that names another way', async () => {
  const agent = await startAgent(['--dir', '/dev/null']);
  const { isError, text } = await agent.call('list_problems', {});
  expect([isError, text]).toEqual([true, expect.stringContaining('backsolve mcp --dir FOLDER keeps them elsewhere.')]);
  await agent.close();
});

test('A call while the service is away is waited for or says to call again, and a later call succeeds', async () => {
  const agent = await startAgent([], connection());
  await service.stop();
  const away = agent.call('list_problems', {});
  await service.start();
  const { isError, text } = await away;
  if (isError) expect(text).toContain('Call the same tool again');
  await expect.poll(async () => (await agent.call('list_problems', {})).isError).toBe(false);
  await agent.close();
});
