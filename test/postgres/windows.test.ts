/** Tests what the embedded PostgreSQL does on Windows, as far as it runs anywhere. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askToStop, type ServerFiles, serverComplaint } from '../../src/postgres/postgres-programs.ts';

test('without signals, the program of PostgreSQL asks the server to end', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve Prüfung '));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = path.join(folder, 'bin/pg_ctl');
  await mkdir(path.dirname(program));
  await writeFile(program, `#!/bin/sh\necho "$@" > '${folder}/asked'\n`);
  await chmod(program, 0o755);
  askToStop({ binaries: { folder, version: '18' } }, 4711, 'win32');
  expect(await readFile(path.join(folder, 'asked'), 'utf8')).toBe('kill INT 4711\n');
});

test('an administrator is told what to do', () => {
  const said = 'Execution of PostgreSQL by a user with administrative permissions is not\npermitted.';
  expect(serverComplaint('The database did not start', {} as ServerFiles, [said]).message).toMatch(
    /rights of an administrator\. Start Backsolve from a console without them/,
  );
});
