/** `solve` without a service: one is started by the command, and ends after its last user. */
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { npxCommand, splitCommand } from '../../../clients/typescript/src/solve/local-service.ts';
import { LocalServiceError, real, solve, within } from '../../../clients/typescript/src/solve.ts';

const root = new URL('../../../', import.meta.url).pathname;
const PROBLEM = { inputs: { a: real(0, 10), b: real(0, 10) }, goals: { y: within(7, 0.1) }, progress: false };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-local-'));
  vi.stubEnv('BACKSOLVE_URL', undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

it('starts a service, goes on with it under another address, and leaves none behind', async () => {
  vi.stubEnv('BACKSOLVE_COMMAND', `${process.execPath} ${root}bin/backsolve.js`);
  const signal = new AbortController();
  const first = await solve(
    ({ a, b }) => {
      signal.abort();
      return a + b;
    },
    { ...PROBLEM, folder, signal: signal.signal },
  );
  expect(first).toMatchObject({ status: 'interrupted', history: { length: 1 } });
  const { pid } = JSON.parse(await readFile(path.join(folder, 'service.json'), 'utf8')) as { pid: number };
  const second = await solve(({ a, b }) => a + b, { ...PROBLEM, folder });
  expect(second.status).toBe('satisfied');
  expect(second.history[0]).toEqual(first.history[0]);
  await expect
    .poll(() =>
      access(path.join(folder, 'service.json')).then(
        () => true,
        () => false,
      ),
    )
    .toBe(false);
  const isAlive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isAlive).toBe(false);
});

it('The service that it starts answers for no name of another site, whatever ALLOWED_HOSTS says', async () => {
  vi.stubEnv('BACKSOLVE_COMMAND', `${process.execPath} ${root}bin/backsolve.js`);
  vi.stubEnv('ALLOWED_HOSTS', '*');
  const signal = new AbortController();
  let status: number | undefined;
  const run = async () => {
    const { url } = JSON.parse(await readFile(path.join(folder, 'service.json'), 'utf8')) as { url: string };
    status = await new Promise((resolve, reject) => {
      const headers = { host: 'rebound.example' };
      get(`${url}/readyz`, { headers }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    });
    signal.abort();
    return 7;
  };
  await solve(run, { ...PROBLEM, folder, signal: signal.signal });
  expect(status).toBe(421);
});

it.each([
  ['no-such-program-here', /cannot be run.*Set BACKSOLVE_COMMAND/s],
  [`${process.execPath} -e process.exit(3)`, /did not start.*Set BACKSOLVE_COMMAND/s],
])('Without the command %s says what to install', async (command, message) => {
  vi.stubEnv('BACKSOLVE_COMMAND', command);
  const error = await solve(() => 1, { ...PROBLEM, folder }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(LocalServiceError);
  expect((error as Error).message).toMatch(message);
});

it('A stated command may have spaces in quotes, and npx needs no shell on Windows', () => {
  expect(splitCommand(`"C:\\Program Files\\node.exe" 'my app/main.js' --flag`)).toEqual([
    'C:\\Program Files\\node.exe',
    'my app/main.js',
    '--flag',
  ]);
  expect(npxCommand('linux')).toEqual(['npx', '--no', 'backsolve']);
  expect(npxCommand('win32', 'C:\\Program Files\\nodejs\\node.exe').slice(0, 2)).toEqual([
    'C:\\Program Files\\nodejs\\node.exe',
    'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npx-cli.js',
  ]);
});
