/** The lock of a problem of `solve`: real processes compete for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProblemFolder, ProblemLockedError } from '../../clients/typescript/src/solve/folder.ts';

let folder: string;
let processes: ChildProcess[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-lock-'));
  processes = [];
});
afterEach(async () => {
  for (const one of processes) one.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

const MODULE = new URL('../../clients/typescript/src/solve/folder.ts', import.meta.url);
/** Says what came of it, and holds the lock until it is ended. */
const PROGRAM = `
import { ProblemFolder } from '${MODULE.href}';
const problem = new ProblemFolder(process.argv[1]);
try {
  await problem.lock();
  console.log('held');
  setInterval(() => undefined, 60_000);
} catch (error) {
  console.log(error.name);
}
`;

function compete(environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM, folder], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.push(child);
  const said = once(createInterface(child.stdout!), 'line').then(([line]) => line as string);
  return { child, said };
}

const lock = () => new ProblemFolder(folder).lock();

test('A problem is locked for every process, whatever its folder for temporary files', async () => {
  const { said } = compete({ TMPDIR: '/' });
  expect(await said).toBe('held');
  await expect(lock()).rejects.toThrow(ProblemLockedError);
});

test('The lock of a process that is killed is free', async () => {
  const { child, said } = compete();
  expect(await said).toBe('held');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const release = await lock();
  await release();
  expect(await readdir(folder)).toEqual([]);
});

test('Of processes that start together one gets the lock, and the others are refused', async () => {
  const all = Array.from({ length: 5 }, () => compete());
  const said = await Promise.all(all.map((one) => one.said));
  expect(said.toSorted()).toEqual([...Array.from({ length: 4 }, () => 'ProblemLockedError'), 'held']);
});

test('The lock of another host counts while its file is touched', async () => {
  const file = path.join(folder, 'lock.elsewhere.4711.99.0123456789abcdef');
  await writeFile(file, '');
  await expect(lock()).rejects.toThrow('process 4711 on elsewhere');
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(file, longAgo, longAgo);
  await (await lock())();
});

test('A process holds a lock once', async () => {
  const release = await lock();
  await expect(lock()).rejects.toThrow(`process ${process.pid}`);
  await release();
  await (await lock())();
});
