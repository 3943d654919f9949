/** A problem file with a cheaper version of its command, from the first run to the result files. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOwners } from '../../clients/typescript/src/solve/folder-lock.ts';
import { isWritten } from '../support/doc-blocks.ts';
import { blocksOf, readPages } from '../support/doc-commands.ts';
import { runCommand } from '../support/run-command.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-sources-'));
  const box = `
    import { readFileSync } from 'node:fs';
    const { input: [a, b] } = JSON.parse(readFileSync(0, 'utf8'));
    const fine = [a + 0.3 * a * b + a ** 3, b - 0.2 * a * a, a * b];
    console.log(JSON.stringify(process.argv[2] === 'coarse' ? fine.map((y) => 0.9 * y + 0.05) : fine));`;
  await writeFile(path.join(folder, 'box.mjs'), box);
});

afterAll(async () => {
  while ((await findOwners(path.join(folder, '.backsolve'))).length > 0) await sleep(50);
  await rm(folder, { recursive: true, force: true });
});

test('each source has its command, files say which one was run, and only the black box itself meets targets', async () => {
  const [a, b] = [0.62, 0.37];
  const command = (mesh: string) => JSON.stringify([process.execPath, 'box.mjs', mesh]);
  await writeFile(
    path.join(folder, 'meshes.yaml'),
    `inputs: {a: {minimum: 0, maximum: 1}, b: {minimum: 0, maximum: 1}}
outputs:
  u: {target: ${a + 0.3 * a * b + a ** 3}, within: 0.002}
  v: {target: ${b - 0.2 * a * a}, within: 0.002}
  w: {target: ${a * b}, within: 0.002}
command: ${command('fine')}
sources:
  coarse: {cost: 0.05, command: ${command('coarse')}}
`,
  );
  const { code, stdout, stderr } = await runCommand(['run', path.join(folder, 'meshes.yaml')]);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain('(coarse)');
  const { stopReason, runs } = JSON.parse(await readFile(path.join(folder, 'meshes.json'), 'utf8'));
  expect(stopReason).toBe('SATISFIED');
  expect(runs.at(-1).source).toBeNull();
  for (const { source, input, output } of runs) {
    const product = input.a * input.b;
    expect(output.w).toBeCloseTo(source === 'coarse' ? 0.9 * product + 0.05 : product, 12);
  }
  const [title, ...rows] = (await readFile(path.join(folder, 'meshes.csv'), 'utf8')).trim().split('\r\n');
  expect(title).toMatch(/sourceName$/);
  expect(rows.filter((row) => row.endsWith(',coarse')).length).toBeGreaterThan(3);
});

test('the files of the guide are solved with runs of both meshes', async () => {
  const page = (await readPages()).find((one) => one.path === 'docs/guides/cheap-models.md')!;
  for (const { info, text } of blocksOf(page).filter(isWritten)) await writeFile(path.join(folder, info), text);
  const { code, stdout, stderr } = await runCommand(['run', path.join(folder, 'beam.yaml')], {
    PATH: process.env['PATH']!,
  });
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain('(coarse)');
  expect(stdout).toContain('Solved: everything is met');
});
