/** bin/backsolve.js, which `npx backsolve` runs under the system's Node. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXECUTABLE = path.join(ROOT, 'bin/backsolve.js');

/** As npm leaves it to its scripts, without node_modules/.bin: the system's Node comes first. */
const PATH = process.env['PATH']!.split(path.delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(path.delimiter);
const hasSystemNode = spawnSync('node', ['--version'], { env: { PATH } }).status === 0;

const run = (args: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
  spawnSync('node', [EXECUTABLE, ...args], { env: { PATH, ...settings }, encoding: 'utf8' });

test.skipIf(!hasSystemNode)('arguments, output and exit codes pass through, whatever Node runs it', () => {
  expect(run(['keys', 'generate'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^bks_/) });
  const wrong = run(['keys', 'create', '--scopes=everything'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
  expect(wrong).toMatchObject({ status: 2, stdout: '' });
  expect(wrong.stderr).toContain('"everything" is not a scope');
  expect(run(['keys', 'list'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }).status).toBe(1);
});

test.skipIf(!hasSystemNode)('SIGTERM reaches the service, which ends gracefully', async () => {
  const env = { PATH, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PORT: '0' };
  const child = spawn('node', [EXECUTABLE, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (!output.includes('service.ready') || child.killed) continue;
    child.kill('SIGTERM');
  }
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(0);
  expect(output).toContain('"signal":"SIGTERM"');
});

test('installing leaves a clone clean: what npm makes executable is so already, for any Node', async () => {
  const { bin } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  for (const file of Object.values(bin)) {
    expect((await stat(path.join(ROOT, file))).mode & constants.S_IXUSR, file).not.toBe(0);
    expect(await readFile(path.join(ROOT, file), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  }
});

test.skipIf(!hasSystemNode)('npm ci prints no warning about engines', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-install-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    spawnSync('cp', [path.join(ROOT, name), folder]);
  }
  const answer = spawnSync('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts'], {
    cwd: folder,
    env: { PATH, HOME: folder },
    encoding: 'utf8',
  });
  expect(answer.status, answer.stderr).toBe(0);
  expect(answer.stderr).not.toContain('EBADENGINE');
});
