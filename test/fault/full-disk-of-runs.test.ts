/** The disk on which a problem is solved is full: a real file system of a few megabytes, in a mount namespace of its own. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService } from '../support/service.ts';

const UNSHARE = ['--mount', '--map-root-user'];
const canMount = spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
const EVALUATOR = new URL('../../clients/typescript/src/evaluator/', import.meta.url).href;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-full-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a script in `disk`, which is a file system of its own; returns what it prints to either output. */
function onSmallDisk(megabytes: number, script: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const mounted = `mkdir -p disk && mount -t tmpfs -o size=${megabytes}m tmpfs disk && cd disk && { ${script}\n} 2>&1`;
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE: process.execPath, MAIN, ...environment };
    execFile('unshare', [...UNSHARE, 'sh', '-c', mounted], { cwd: folder, env }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}

/** Fills the disk to the last byte with its third run, whose output must not be lost. */
const BLACK_BOX = `
import { appendFileSync, closeSync, openSync, readFileSync, writeSync } from 'node:fs';
const { input: [a, b] } = JSON.parse(readFileSync(0, 'utf8'));
const log = new URL('box.log', import.meta.url);
appendFileSync(log, JSON.stringify([a, b]) + '\\n');
if (readFileSync(log, 'utf8').trim().split('\\n').length === 3) {
  const ballast = openSync('ballast', 'w');
  try {
    for (let bytes = Buffer.alloc(4096); ; ) writeSync(ballast, bytes);
  } catch {
    closeSync(ballast);
  }
}
console.log(JSON.stringify([a * b, a + 3 * b]));
`;
const PROBLEM = `
name: On a small disk
inputs:
  a: {minimum: 0, maximum: 5}
  b: {minimum: 0, maximum: 5}
outputs:
  p: {target: 4, within: 1%}
  q: {target: 8, within: 0.01}
`;

describe.skipIf(!canMount)('a full disk', () => {
  it('ends a run with what to do and an exit code; with space again it goes on, and nothing is run twice', async () => {
    const service = await startTestService();
    await writeFile(path.join(folder, 'box.mjs'), BLACK_BOX);
    await writeFile(
      path.join(folder, 'p.yaml'),
      `${PROBLEM}command: ["${process.execPath}", "../box.mjs"]\nkeep: all\n`,
    );
    const run = '$NODE $MAIN run p.yaml; echo "code $?"';
    const settings = { BACKSOLVE_URL: service.service.url!, BACKSOLVE_API_KEY: service.key };
    const printed = await onSmallDisk(2, `cp ../p.yaml .\n${run}\nrm ballast\necho "space again"\n${run}`, settings);
    const [full, after] = printed.split('space again');
    expect(full).toMatch(/cannot be written: the disk is full\. Free some space/);
    expect(full).toMatch(/code 2\n$/);
    expect(full).not.toMatch(/^\s+at /m);
    expect(after).toContain('Going on after 3 runs');
    expect(after).toContain('Solved: everything is met');
    expect(after).toMatch(/code 0\n$/);
    const calls = (await readFile(path.join(folder, 'box.log'), 'utf8')).trim().split('\n');
    expect(new Set(calls).size).toBe(calls.length);
    await service.close();
  });

  it('takes the results of what still runs into a journal, whole, and nothing new; with space again it takes everything', async () => {
    const program = `
      import { appendFileSync, rmSync } from 'node:fs';
      import { Journal } from '${EVALUATOR}journal.ts';
      const journal = await Journal.open('runs.jsonl');
      try {
        for (;;) appendFileSync('ballast', Buffer.alloc(512));
      } catch {}
      const finish = (id) =>
        journal.finished({ id, leaseToken: 'x', input: Array(200).fill(id) }, 'inverse', { kind: 'output', output: [1] }, 1);
      const claim = () => journal.asked({ key: 'k', limit: 1, wait: 1 }, {}).then(() => 'asked', (error) => error.message);
      for (let id = 1; id <= 64; id++) await finish(id);
      console.log(await claim());
      rmSync('ballast');
      console.log(await claim());
      await finish(65);
      await journal.close();
      const { lines } = await Journal.open('runs.jsonl');
      console.log(lines.filter(({ kind }) => kind === 'finished').map(({ evaluation }) => evaluation).join());`;
    await writeFile(path.join(folder, 'journal.mjs'), program);
    const printed = await onSmallDisk(1, '$NODE ../journal.mjs');
    const every = Array.from({ length: 65 }, (_, i) => i + 1).join();
    const [refused, asked, kept] = printed.trim().split('\n');
    expect(refused).toMatch(/^runs\.jsonl cannot be written: the disk is full\./);
    expect([asked, kept]).toEqual(['asked', every]);
  });
});
