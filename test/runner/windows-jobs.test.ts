/** The part of running programs on Windows that runs anywhere: all but the PowerShell, for which a small program stands in. */
import { once } from 'node:events';
import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { findFile } from '../../src/runner/programs/program-file.ts';
import { JobGuard } from '../../src/runner/programs/windows-jobs.ts';

/** Speaks as the PowerShell does, with process groups of one process for jobs. */
const STAND_IN = [
  process.execPath,
  '-e',
  `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const [change, id] = line.split(' ');
    if (change === '-') try { process.kill(Number(id), 'SIGKILL'); } catch {}
    console.log(line);
  });`,
];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve Prüfung '));
  return () => rm(folder, { recursive: true, force: true });
});

function makeGuard(command: readonly string[] = STAND_IN) {
  const errors: string[] = [];
  const guard = new JobGuard((error) => errors.push(error.message), command);
  onTestFinished(() => guard.close());
  return { guard, errors };
}

test('A program begins once its job has it, gets its arguments and streams unchanged, and its exit code is passed on', async () => {
  const { guard } = makeGuard();
  const script = `require('node:fs').writeFileSync('begun', ''); process.stdin.pipe(process.stdout).on('finish', () => 0);
    process.stdin.on('end', () => { console.log(JSON.stringify(process.argv.slice(1))); process.exitCode = 7; });`;
  const args = ['two words', 'Öl "roh"', '', '--flag'];
  const child = guard.start(process.execPath, ['-e', script, '--', ...args], false, { cwd: folder, env: process.env });
  await once(child, 'spawn');
  await guard.add(child.pid!);
  const begun = access(path.join(folder, 'begun'));
  await expect(begun).rejects.toThrow('ENOENT');
  guard.open(child);
  child.stdin!.end('an input\n');
  const [output, [code]] = await Promise.all([text(child.stdout!), once(child, 'exit')]);
  expect(output).toBe(`an input\n${JSON.stringify(args)}\n`);
  expect(code).toBe(7);
});

test('A text is run by the shell of the system, and a program that is not there is named', async () => {
  const { guard } = makeGuard();
  const run = async (file: string, isShell: boolean) => {
    const child = guard.start(file, [], isShell, { cwd: folder, env: process.env });
    await guard.add(child.pid!);
    guard.open(child);
    const [out, error, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'exit')]);
    return { out, error, code };
  };
  expect(await run('echo one && exit 3', true)).toMatchObject({ out: 'one\n', code: 3 });
  expect(await run('no-such-program', false)).toMatchObject({ error: expect.stringContaining('ENOENT'), code: 126 });
});

test('The end of a job ends its program, and one that waits for its evaluator ends with it', async () => {
  const { guard } = makeGuard();
  const start = () =>
    guard.start(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], false, { cwd: folder, env: {} });
  const ended = start();
  await guard.add(ended.pid!);
  guard.open(ended);
  const exit = once(ended, 'exit');
  await guard.end(ended.pid!);
  expect(await exit).toEqual([null, 'SIGKILL']);
  const left = start();
  await once(left, 'spawn');
  left.disconnect();
  expect(await once(left, 'exit')).toEqual([1, null]);
});

test('Without what makes jobs nothing waits for ever, and a person is told', async () => {
  const { guard, errors } = makeGuard([
    process.execPath,
    '-e',
    'console.error("jobs are forbidden"); process.exitCode = 1',
  ]);
  await guard.add(4711);
  await guard.end(4711);
  expect(errors).toContain('jobs are forbidden');
});

test('On Windows a program is found with its ending, in folders of Path, and by a path with backslashes', async () => {
  const tool = async (name: string) => {
    await writeFile(path.join(folder, name), '');
    await chmod(path.join(folder, name), 0o755);
    return path.join(folder, name);
  };
  const solver = await tool('solver.exe');
  const deep = await tool('tools\\mesh.com');
  const find = (name: string, platform: NodeJS.Platform = 'win32') =>
    findFile(name, folder, { Path: `C:\\nowhere;;${folder}` }, platform);
  expect(await find('solver')).toBe(solver);
  expect(await find('SOLVER.EXE').catch(() => 'sensitive')).toBe('sensitive');
  expect(await find('solver.exe')).toBe(solver);
  expect(await find('tools\\mesh')).toBe(deep);
  await expect(find('run.cmd')).rejects.toThrow('run.cmd is a batch file, which only a shell runs: use --shell');
  await expect(find('missing')).rejects.toThrow('is in no folder of PATH');
  await expect(find('solver', 'linux')).rejects.toThrow('is in no folder of PATH');
});
