/** State in folders that others may reach. */
import { execFileSync } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { replaceFile } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { Journal } from '../../clients/typescript/src/evaluator/journal.ts';
import { makeOwnFolder, openOwn, readOwn } from '../../clients/typescript/src/evaluator/own-files.ts';
import { lockFolder, startOf } from '../../clients/typescript/src/solve/folder-lock.ts';
import { RunFolder } from '../../src/runner/run-folder.ts';

let folder: string;
const at = (...names: readonly string[]) => path.join(folder, ...names);
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-own-'));
  await writeFile(at('mine'), 'kept\n');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

it('No link is followed, neither to read nor to write', async () => {
  await symlink(at('mine'), at('link'));
  await symlink(at('new'), at('dangling'));
  for (const name of ['link', 'dangling']) {
    await expect(readOwn(at(name))).rejects.toThrow(`${at(name)} is a link`);
    for (const purpose of ['write', 'append'] as const)
      await expect(openOwn(at(name), purpose)).rejects.toThrow(`${at(name)} is a link`);
    await expect(Journal.open(at(name))).rejects.toThrow(`${at(name)} is a link`);
  }
  await replaceFile(at('link'), 'replaced\n');
  expect(await readFile(at('mine'), 'utf8')).toBe('kept\n');
  await expect(stat(at('new'))).rejects.toThrow('ENOENT');
});

it('A link to the lock of an earlier version is no lock', async () => {
  await writeFile(at('held'), JSON.stringify({ pid: process.pid, start: await startOf(process.pid) }));
  await symlink(at('held'), at('owner.lock'));
  await (await lockFolder(folder, () => new Error('held')))();
  await copyFile(at('held'), at('owner.lock'));
  await expect(lockFolder(folder, (holder) => new Error(holder))).rejects.toThrow(`process ${process.pid}`);
});

it('The folders of a problem are no links', async () => {
  await mkdir(at('elsewhere'));
  await symlink(at('elsewhere'), at('.backsolve'));
  await expect(new RunFolder(at('part.yaml')).make()).rejects.toThrow(`${at('.backsolve')} is a link`);
  await rm(at('.backsolve'));
  await mkdir(at('.backsolve'));
  await symlink(at('elsewhere'), at('.backsolve', 'part'));
  await expect(new RunFolder(at('part.yaml')).make()).rejects.toThrow(`${at('.backsolve', 'part')} is a link`);
});

it.skipIf(process.platform === 'win32')('What is no file does not make anything wait', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  await expect(readOwn(at('pipe'))).rejects.toThrow('is not a regular file');
  await expect(readOwn(folder)).rejects.toThrow('is not a regular file');
  await expect(makeOwnFolder(at('mine'))).rejects.toThrow('is not a folder');
});

it.skipIf(process.platform === 'win32')(
  'What belongs to another user is refused, and others lose their right to write',
  async () => {
    await chmod(at('mine'), 0o666);
    expect(await readOwn(at('mine'))).toBe('kept\n');
    expect((await stat(at('mine'))).mode & 0o777).toBe(0o644);
    await mkdir(at('shared'));
    await chmod(at('shared'), 0o777);
    await makeOwnFolder(at('shared'));
    expect((await stat(at('shared'))).mode & 0o777).toBe(0o755);

    const me = process.geteuid!();
    if (me === 0) await Promise.all([at('mine'), at('shared')].map((file) => chown(file, 4242, 4242)));
    vi.spyOn(process, 'geteuid').mockReturnValue(me + 1);
    await expect(readOwn(at('mine'))).rejects.toThrow('belongs to another user');
    await expect(makeOwnFolder(at('shared'))).rejects.toThrow('belongs to another user');
  },
);
