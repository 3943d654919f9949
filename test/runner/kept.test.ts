/** Tests what is compared when the black box of a problem file may have changed, and which files say so. */
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chooseKept, differing, noiseOf } from '../../clients/typescript/src/solve/kept.ts';
import {
  changesOf,
  inBoth,
  OWN,
  updated,
  withImports,
  withoutMoving,
} from '../../clients/typescript/src/solve/looks.ts';
import { lookerOf } from '../../src/runner/moved-problem.ts';
import type { Problem } from '../../src/runner/problem.ts';
import { readProblem } from '../../src/runner/problem-file.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'backsolve-kept-'));
});
afterEach(() => rm(home, { recursive: true }));

const BASE = 'inputs: {a: {minimum: 0, maximum: 1}}\noutputs: {b: {target: 1, within: 1}}\n';

function read(stated: string): Problem {
  const { problem, violations } = readProblem(BASE + stated, 'p');
  expect(violations).toEqual([]);
  return problem!;
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(home, name)), { recursive: true });
    await writeFile(path.join(home, name), text);
  }
}

const lookAt = (stated: string) =>
  lookerOf(read(stated), { home, workFolder: home, environment: { PATH: process.env['PATH'] } });

it.each([
  ['a command', 'command: [node, model.mjs]\n', ['model.mjs', 'inner/helper.mjs', 'inner/deep.mjs']],
  ['a text for a shell', 'command: "cd . && node model.mjs > out"\nshell: true\n', ['model.mjs', 'inner/helper.mjs']],
  [
    'copies and templates',
    'command: [node]\ncopies: [mesh]\ntemplates: ["in.tmpl:in.dat"]\n',
    ['mesh/a.dat', 'in.tmpl'],
  ],
  ['a program of Python', 'command: [node, model.py]\n', ['model.py', 'load.py', 'pack/__init__.py']],
  ['an argument with a name', 'command: [node, "--config=mesh/a.dat"]\n', ['mesh/a.dat']],
  ['an FMU', 'fmu: model.fmu\n', ['model.fmu']],
  ['a workbook', 'spreadsheet: model.xlsx\n', ['model.xlsx']],
  ['an address', 'evaluator: {url: "http://localhost:9/run"}\nfiles: [mesh]\n', ['mesh/a.dat']],
])('The files of %s are its own', async (_, stated, names) => {
  await write({
    'model.mjs': "import { k } from './inner/helper.mjs';\n",
    'inner/helper.mjs': "export { k } from './deep.mjs';\n",
    'inner/deep.mjs': 'export const k = 1;\n',
    'model.py': 'import json\nfrom load import k\nfrom pack import part\n',
    'load.py': 'k = 1\n',
    'pack/__init__.py': '',
    'mesh/a.dat': '1',
    'mesh/.git/b': '1',
    'in.tmpl': '1',
    'model.fmu': '1',
    'model.xlsx': '1',
    'unrelated.txt': '1',
  });
  const looker = lookAt(stated);
  const before = await looker.look();
  expect(changesOf(before, await looker.look())).toEqual(new Map());
  for (const name of names) {
    await appendFile(path.join(home, name), '\n');
    expect(changesOf(before, await lookAt(stated).look()).get(OWN)).toContain(name);
  }
  expect(Object.keys(before[OWN]!)).not.toContain('unrelated.txt');
  expect(Object.keys(before[OWN]!)).not.toContain('mesh/.git/b');
});

it('How it is called counts as well, and a source has files of its own', async () => {
  await write({ 'coarse.mjs': '1', 'fine.mjs': '1' });
  const sources = (file: string) => `sources: {coarse: {cost: 0.1, command: [node, ${file}]}}\n`;
  const before = await lookAt(`command: [node, fine.mjs]\n${sources('coarse.mjs')}`).look();
  const called = await lookAt(`command: [node, fine.mjs, "2"]\n${sources('coarse.mjs')}`).look();
  expect(changesOf(before, called)).toEqual(new Map([[OWN, ['how the black box is called']]]));
  await write({ 'coarse.mjs': '2' });
  const now = await lookAt(`command: [node, fine.mjs]\n${sources('coarse.mjs')}`).look();
  expect(changesOf(before, now)).toEqual(new Map([['coarse', ['coarse.mjs']]]));
});

it('A file that runs write says nothing: one that a word of the command names later, and one that two runs change', async () => {
  const stated = 'command: [node, model.mjs, log.txt]\n';
  await write({ 'model.mjs': '1' });
  const first = await lookAt(stated).look();
  await write({ 'log.txt': 'a run' });
  const looker = lookAt(stated);
  const kept = updated(first, await looker.look(), (part) => looker.isWord(part));
  expect(kept[OWN]).toMatchObject({ 'log.txt': null, 'model.mjs': first[OWN]!['model.mjs'] });
  await write({ 'log.txt': 'two runs' });
  expect(changesOf(kept, await lookAt(stated).look())).toEqual(new Map());

  const there = await lookAt(stated).look();
  await write({ 'log.txt': 'three', 'model.mjs': '2' });
  const second = await lookAt(stated).look();
  await write({ 'log.txt': 'four' });
  const moving = inBoth(changesOf(there, second), changesOf(second, await lookAt(stated).look()));
  expect(moving).toEqual(new Map([[OWN, ['log.txt']]]));
  expect(withoutMoving(there, moving)[OWN]).toMatchObject({
    'log.txt': null,
    'model.mjs': there[OWN]!['model.mjs'],
  });
});

it('Programs that import each other are read once, and packages are not', async () => {
  await write({ 'a.mjs': "import './b.mjs';\nimport 'package';\n", 'b.mjs': "import './a.mjs';\n" });
  const found = await withImports({ path: path.join(home, 'a.mjs'), name: 'a.mjs' }, home);
  expect(found.map(({ name }) => name)).toEqual(['a.mjs', 'b.mjs']);
});

const run = (input: number, output: readonly number[], source: string | null = null) => ({
  input: [input],
  output,
  source,
});

it('A black box without noise repeats itself up to rounding', () => {
  const kept = run(1, [5, 1e-17]);
  const runs = [kept, run(2, [4, 0.1]), run(3, [9, 0.3])];
  expect(differing(kept, [5.000001, 3e-17], runs, null)).toEqual([]);
  expect(differing(kept, [5.00001, 1e-9], runs, null)).toEqual([1, 0]);
});

it('The noise is what is stated, or what repeats tell, and else not known', () => {
  const kept = run(1, [5]);
  // sqrt(2 ln 10,000) standard deviations of a difference.
  expect(differing(kept, [5 + 0.1 * Math.SQRT2 * 4.29], [kept], [0.1])).toEqual([]);
  expect(differing(kept, [5 + 0.1 * Math.SQRT2 * 4.3], [kept], [0.1])).toEqual([0]);
  const repeats = [3.95, 4.1, 4.02, 3.9, 4.08, 3.97].map((y) => run(2, [y]));
  expect(differing(kept, [5.2], [kept, ...repeats], null)).toEqual([]);
  expect(differing(kept, [7], [kept, ...repeats], null)).toEqual([0]);
  expect(differing(kept, [5.2], [kept, ...repeats.slice(0, 2)], 'estimate')).toEqual([]);
  expect(differing(kept, [5.2], [kept], 'estimate')).toBeUndefined();
  const objective = { objectives: [1], objectiveTypes: ['exact'] } as never as Parameters<typeof noiseOf>[0][number];
  expect(noiseOf([objective])).toBeNull();
  expect(noiseOf([{ ...objective, confidence: 0.9 }])).toBe('estimate');
  expect(noiseOf([{ ...objective, noise: { standardDeviations: [0.1] } }])).toEqual([0.1]);
});

it('The answer is run again, else the newest run of what has changed', () => {
  const runs = [run(1, [1]), run(2, [2]), run(3, [3]), run(4, [4], 'coarse')];
  const both = new Map([
    ['coarse', ['x']],
    [OWN, ['x']],
  ]);
  expect(chooseKept(runs, both, [2])).toBe(runs[1]);
  expect(chooseKept(runs, both, null)).toBe(runs[2]);
  expect(chooseKept(runs, new Map([['coarse', ['x']]]), [2])).toBe(runs[3]);
  expect(chooseKept(runs.slice(3), both, null)).toBeUndefined();
});
