/** `backsolve run` as processes: killed, interrupted, beside each other, and without the service it expects. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { findOwners, startOf } from '../../../clients/typescript/src/solve/folder-lock.ts';
import { joinLocalService } from '../../../clients/typescript/src/solve/local-service.ts';
import { findFreePort } from '../../../harness/free-port.ts';
import { runCommand, startCommand } from '../../support/run-command.ts';
import { useRunFolder } from '../../support/run-folder.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const EXECUTABLE = path.join(ROOT, 'bin/backsolve.js');

const { at, write, lines, finishedInputs, untilFinished } = useRunFolder();

test.each([
  ['bin/backsolve.js', process.execPath, [EXECUTABLE]],
  ['npx', 'npx', ['--no', 'backsolve']],
])('When %s is killed, the run and its programs end, and the next start goes on', async (starter, program, args) => {
  const name = `started-by-${path.parse(starter).name}`;
  const [file, pids, done] = [await write(name), at(`${name}.pids`), at(`${name}.done`)];
  const script = `echo $$ >> ${pids}; test -e ${done} || sleep 600; echo '[4, 8]'`;
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^command: .*$/m, `command: ${JSON.stringify(['/bin/sh', '-c', script])}`));
  const started = spawn(program, [...args, 'run', file], { cwd: ROOT, stdio: 'ignore' });
  await expect.poll(() => lines(`${name}.pids`)).toHaveLength(1);
  const [holder] = await findOwners(at('.backsolve', name));
  started.kill('SIGKILL');
  for (const pid of [holder!.pid, Number((await lines(`${name}.pids`))[0])])
    await expect.poll(() => startOf(pid)).toBeUndefined();
  await writeFile(done, '');
  expect(await runCommand(['run', file])).toMatchObject({ code: 0, stderr: '' });
});

test('Ctrl-C waits for what runs and keeps it; a second process is told who has the file', async () => {
  // Out of reach, so that it is not over before it is interrupted.
  const file = await write('interrupted', { ms: 200, target: 1000, more: 'jobs: 2\nworkFolder: false' });
  const command = startCommand(['run', file]);
  await untilFinished('interrupted', 1, command);
  const second = await runCommand(['run', file]);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`by process ${command.child.pid}`);
  command.child.kill('SIGINT');
  expect(await command.ended).toBe(130);
  expect(command.stdout()).toContain(`Go on with: backsolve run ${file}`);
  const calls = await lines('interrupted.log');
  expect((await finishedInputs('interrupted')).toSorted()).toEqual(calls.toSorted());

  expect((await runCommand(['run', await write('interrupted', { more: 'jobs: 2\nworkFolder: false' })])).code).toBe(0);
  const after = await lines('interrupted.log');
  // One is a kept run, which the changed command must answer alike.
  expect(after.length - new Set(after).size).toBe(1);
});

test('A service that cannot be reached, or is none, has an exit code of its own', async () => {
  const files = [await write('unreachable'), await write('no-service')];
  const page = createServer((_, response) => void response.end('<html>Welcome</html>')).listen(0, '127.0.0.1');
  await once(page, 'listening');
  onTestFinished(() => void page.close());
  const { port } = page.address() as AddressInfo;
  const urls = [`http://127.0.0.1:${await findFreePort()}`, `http://127.0.0.1:${port}`];
  const ends = await Promise.all(urls.map((url, i) => runCommand(['run', files[i]!, '--url', url, '--key', 'bks_1'])));
  expect(ends.map(({ code }) => code)).toEqual([69, 69]);
  expect(ends[0]!.stdout).toContain(`No answer from ${urls[0]}`);
  expect(ends[1]!.stdout).toContain(`There is no Backsolve service at ${urls[1]}`);
  for (const [i, { stdout }] of ends.entries()) expect(stdout).toContain(`Go on with: backsolve run ${files[i]}`);
});

test('After the service of the folder was killed, a program that takes its port gets no key', async () => {
  const file = await write('stolen', { ms: 0, target: 4 });
  const user = await joinLocalService(at('.backsolve'), { command: [process.execPath, EXECUTABLE] });
  onTestFinished(() => user.close());
  const { url, pid } = JSON.parse(await readFile(at('.backsolve/service.json'), 'utf8'));
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => startOf(pid)).toBeUndefined();
  const port = Number(new URL(url).port);
  const received: string[] = [];
  const thief = createServer((request, response) => {
    received.push(JSON.stringify([request.url, request.headers]));
    response.end('{"status":"ready","writes":true}');
  });
  // The system closes the port a moment after the process is gone.
  const listens = () =>
    once(thief.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
  await expect.poll(listens).toBe(true);
  onTestFinished(() => void thief.close());
  expect(await runCommand(['run', file])).toMatchObject({ code: 0, stderr: '' });
  expect(received.length).toBeGreaterThan(0);
  expect(received.join()).not.toContain('authorization');
});
