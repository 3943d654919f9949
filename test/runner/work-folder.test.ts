/** Tests what is in a work folder before the program begins. */
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { fit as fitValues } from '../../clients/typescript/src/solve/fit.ts';
import { type CommandOptions, makeCommandRunner } from '../../src/runner/programs/command-runner.ts';
import { EVALUATION } from './evaluation-fixture.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-work-folder-'));
  await mkdir(path.join(folder, 'case', 'deep'), { recursive: true });
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
});
const at = (...names: string[]) => path.join(folder, ...names);

async function runShell(script: string, options: Partial<CommandOptions>) {
  const runner = await makeCommandRunner({
    command: ['sh', '-c', script],
    startFolder: folder,
    workFolder: 'work',
    environment: { PATH: process.env['PATH'] },
    keep: 'all',
    ...options,
  });
  onTestFinished(() => runner.close());
  return runner.evaluate({ ...EVALUATION, outputNames: ['mass'], outputCount: 1 }, new AbortController().signal);
}

test('a file of an earlier run that comes with the copies is no output of this run', async () => {
  await writeFile(at('case', 'out.txt'), 'mass = 9\n');
  await writeFile(at('case', 'out.csv'), 't,h\n0,9\n');
  const fault = { kind: 'failure', reason: expect.stringContaining('the command left no such file') };
  const reads = ['mass=case/out.txt:/mass = (\\S+)/'];
  expect(await runShell('true', { copies: ['case'], reads })).toMatchObject(fault);
  const curve = { name: 'mass', csv: 'case/out.csv', x: null, y: 'h' };
  const fits = new Map([['mass', fitValues([9])]]);
  expect(await runShell('true', { copies: ['case'], curves: [curve], fits })).toMatchObject(fault);
  expect(await runShell('echo "mass = 4" >> case/out.txt', { copies: ['case'], reads })).toMatchObject({ output: [4] });
  expect(await readFile(at('case', 'out.txt'), 'utf8')).toBe('mass = 9\n');
});

test('a file of a template that the program completes stays', async () => {
  await writeFile(at('in.tmpl'), 'length = {{length}}\n');
  const options = { templates: ['in.tmpl:case/all.txt'], reads: ['mass=case/all.txt:/length = (\\S+)/'] };
  expect(await runShell('echo done >> case/all.txt', options)).toMatchObject({ output: [3.5] });
});

test('a folder with the name of an output is left, and is no output', async () => {
  const outcome = await runShell('true', { copies: ['case'], reads: ['mass=case'] });
  expect(outcome).toMatchObject({ reason: expect.stringContaining('is a folder, not a file') });
});

test('a run writes into no file that a link under the copies points to', async () => {
  await mkdir(at('users'));
  await writeFile(at('users', 'state.dat'), 'mine\n');
  await symlink(at('users', 'state.dat'), at('case', 'deep', 'state.dat'));
  await symlink('../users', at('case', 'folder'));
  await symlink('case', at('top'));
  await symlink('nowhere', at('case', 'broken'));
  const script = 'for f in case/deep case/folder top/deep; do cat $f/state.dat; echo run > $f/state.dat; done; echo 4';
  expect(await runShell(script, { copies: ['case', 'top'], inWorkFolder: true })).toMatchObject({ output: [4] });
  expect(await readFile(at('users', 'state.dat'), 'utf8')).toBe('mine\n');
  expect(await readFile(at('work', '91-try1', 'stdout.log'), 'utf8')).toBe('mine\nmine\nmine\n4\n');
  expect((await readdir(at('work', '91-try1', 'case'))).sort()).toEqual(['deep', 'folder']);
  expect((await lstat(at('work', '91-try1', 'top'))).isDirectory()).toBe(true);
});

test.each([
  ['..', 'it is a link to a folder that it lies in'],
  ['.', 'it is a link to a folder that it lies in'],
  ['again', 'it is a link that leads to itself'],
  ['/dev/zero', 'is a device or a pipe'],
])('a link to %s under the copies is refused', async (target, complaint) => {
  await symlink(target, at('case', 'deep', 'again'));
  await expect(runShell('echo 4', { copies: ['case'] })).rejects.toThrow(complaint);
});
