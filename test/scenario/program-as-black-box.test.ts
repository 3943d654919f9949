/** docs/guides/program-as-black-box.md as a reader would follow it: its files in a folder, its commands in a shell. */
import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkClone } from '../support/clone-folder.ts';
import { readProgram } from '../support/doc-programs.ts';
import { startTestService, type TestService } from '../support/service.ts';

const PAGE = 'guides/program-as-black-box.md';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startTestService({ worker: false });
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-black-box-'));
  await linkClone(folder);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const CASES = [
  [120, 8],
  [80.5, 10],
];

/** A batch whose cases can be claimed immediately. */
async function createBatch(): Promise<number> {
  const model = await service.ok<{ id: number }>('POST', '/models', { name: `beam ${crypto.randomUUID()}` });
  const project = await service.ok<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'beam',
    inputCount: 2,
    inputNames: ['length', 'height'],
    minimums: [50, 5],
    maximums: [200, 20],
    inputTypes: ['float', 'float'],
    outputNames: ['mass', 'sag'],
    inputCases: CASES,
  });
  const objective = {
    objectives: [0.1, 1],
    objectiveTypes: ['percent', 'percent'],
    minimumBounds: [-1, -1],
    maximumBounds: [1, 1],
  };
  const batch = { objectives: [objective] };
  const { id } = await service.ok<{ id: number }>('POST', `/models/${model.id}/projects/${project.id}/batches`, batch);
  return id;
}

/** Plays the command under the heading until nothing is left, and returns the outputs of the cases. */
async function play(
  heading: string,
  change: (command: string) => string = (command) => command,
): Promise<readonly (readonly number[])[]> {
  const batchId = await createBatch();
  const written = await readProgram(PAGE, heading, 'sh');
  // The clone has no npm cache for npx; bin/backsolve.js is what npx runs.
  const command = change(written).replace(
    'npx backsolve evaluate',
    `node bin/backsolve.js evaluate --batch ${batchId} --drain 0`,
  );
  expect(command).toContain('--drain 0');
  await promisify(execFile)('bash', ['-euc', command], {
    cwd: folder,
    env: { PATH: process.env['PATH'], BACKSOLVE_URL: service.service.url!, BACKSOLVE_API_KEY: service.key },
  });
  const done = await service.ok<{ caseNumber: number; output: number[] }[]>('GET', `/evaluations?batch_id=${batchId}`);
  return done.sort((a, b) => a.caseNumber - b.caseNumber).map(({ output }) => output);
}

const write = async (name: string, heading: string, language: string) =>
  writeFile(path.join(folder, name), await readProgram(PAGE, heading, language), { mode: 0o755 });

const EXPECTED = CASES.map(([l, h]) => [
  expect.closeTo(7.85e-5 * l! * h!, 6),
  expect.closeTo((l! / h!) ** 3 / 2000, 6),
]);

test.skipIf(spawnSync('python3', ['--version']).status !== 0)('a program of your own', async () => {
  await write('beam.py', 'A program of your own', 'python');
  expect(await play('A program of your own')).toEqual(EXPECTED);
});

test('a program that takes arguments', async () => {
  await write('beam', 'A program that takes arguments', 'bash');
  expect(await play('A program that takes arguments')).toEqual(EXPECTED);
});

test('a program that reads and writes files, of which none are left', async () => {
  await write('solve', 'A program that reads and writes files', 'bash');
  await write('deck.tmpl', 'A program that reads and writes files', 'text');
  expect(await play('A program that reads and writes files')).toEqual(EXPECTED);
  expect(await readdir(path.join(folder, 'backsolve-work'))).toEqual([]);
});

const docker = (...words: readonly string[]) => promisify(execFile)('docker', words);

/** An image of the programs of this machine, since there may be no registry. */
async function makeImage(name: string, files: Readonly<Record<string, string>>): Promise<void> {
  const root = path.join(folder, 'image');
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text, { mode: 0o755 });
  }
  for (const program of ['sh', 'awk', 'sleep']) {
    const { stdout: found } = await promisify(execFile)('sh', ['-c', 'readlink -f "$(command -v "$0")"', program]);
    const { stdout: libraries } = await promisify(execFile)('ldd', [found.trim()]);
    for (const file of libraries.match(/\/\S+/g) ?? []) await cp(file, path.join(root, file), { dereference: true });
    await cp(found.trim(), path.join(root, 'bin', program));
  }
  await promisify(execFile)('sh', ['-c', 'tar -C "$0" -c . | docker import - "$1"', root, name]);
}

const hasEngine = spawnSync('docker', ['version']).status === 0;

test.skipIf(!hasEngine)('a program in a container, of which none is left after a time limit', async () => {
  const image = `backsolve-test-${process.pid}`;
  await write('in-docker', 'A program in a container', 'bash');
  const beam = await readProgram(PAGE, 'A program that takes arguments', 'bash');
  // Nothing but SIGKILL ends it.
  const deaf =
    '#!/bin/sh\ntrap "" TERM INT HUP\necho "$BACKSOLVE_EVALUATION_ID" > started\nwhile :; do sleep 1; done\n';
  try {
    await makeImage(image, { 'bin/beam': beam, 'bin/deaf': deaf });
    expect(await play('A program in a container', (command) => command.replace(' beam ', ` ${image} `))).toEqual(
      EXPECTED,
    );
    const limited = (command: string) =>
      command.replace('evaluate', 'evaluate --timeout 3 --keep all').replace(/beam beam.*/, `${image} deaf`);
    // A run that took too long has no output.
    expect(await play('A program in a container', limited)).toEqual([null, null]);
    const kept = await readdir(path.join(folder, 'backsolve-work'), { recursive: true });
    expect(kept.filter((name) => name.endsWith('started'))).toHaveLength(2);
    const { stdout: left } = await docker('ps', '--all', '--quiet', '--filter', `ancestor=${image}`);
    expect(left).toBe('');
  } finally {
    await docker('image', 'rm', '--force', image);
  }
});

test.skipIf(spawnSync('docker', ['--version']).status !== 0)(
  'docker run without a daemon is no failed run',
  async () => {
    const batchId = await createBatch();
    const command = `node bin/backsolve.js evaluate --batch ${batchId} --drain 0 -- docker run --rm beam`;
    const ended = promisify(execFile)('bash', ['-euc', command], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        DOCKER_HOST: `unix://${folder}/no-daemon`,
        BACKSOLVE_URL: service.service.url!,
        BACKSOLVE_API_KEY: service.key,
      },
    });
    await expect(ended).rejects.toMatchObject({ code: 74, stderr: expect.stringContaining('exit code 125: ') });
    const left = await service.ok<{ state: string; failureReason: string | null }[]>(
      'GET',
      `/evaluations?batch_id=${batchId}`,
    );
    expect(left).toMatchObject([
      { state: 'waiting', failureReason: null },
      { state: 'waiting', failureReason: null },
    ]);
  },
);
