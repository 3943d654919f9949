import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeBestCopies } from '../../src/runner/best-copy.ts';
import type { BestValues, Surroundings } from '../../src/runner/black-box/black-box.ts';
import { readProblem } from '../../src/runner/problem-file.ts';
import { RunFolder } from '../../src/runner/run-folder.ts';
import type { SetStanding } from '../../src/runner/standing.ts';

const TEXT =
  'inputs: {a: {minimum: 0, maximum: 1}, b: {values: [x, y]}}\noutputs: {p: {below: 3}}\nspreadsheet: m.xlsx\n';

it('the copy with the best input replaces an earlier copy, but no file of the user', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'best-copy-'));
  try {
    const folder = new RunFolder(path.join(home, 'p.yaml'));
    await folder.make();
    const { problem } = readProblem(TEXT, 'p');
    const write = async ({ input }: BestValues, target: string) => {
      await writeFile(target, JSON.stringify(input));
      return undefined;
    };
    const names = (name: string, set: string) => [`${name}.best${set}.xlsx`];
    const blackBox = { ...problem!.blackBox, copies: [{ names, has: 'the input', write }] };
    const where: Surroundings = { home, workFolder: home, environment: {} };
    const copy = (...inputs: (readonly number[] | null)[]) => {
      const sets = inputs.map((input) => ({ best: input && { input, output: [1], name: 'run 4' } }) as SetStanding);
      return writeBestCopies({ ...problem!, blackBox }, sets, folder, where);
    };
    const read = (name: string) => readFile(path.join(home, name), 'utf8');
    expect(await copy(null)).toEqual([]);
    expect(await copy([0.5, 2])).toEqual(['p.best.xlsx has the input of run 4.']);
    expect(await copy([0.7, 1])).toEqual(['p.best.xlsx has the input of run 4.']);
    expect(await read('p.best.xlsx')).toBe('{"a":0.7,"b":"x"}');
    await writeFile(path.join(home, 'p.best-2.xlsx'), 'mine');
    expect(await copy([0.1, 1], [0.2, 1])).toEqual([
      'p.best-1.xlsx has the input of run 4.',
      'p.best-2.xlsx is there already and is not replaced: rename it to get a copy with the best run.',
    ]);
    expect(await read('p.best-2.xlsx')).toBe('mine');
  } finally {
    await rm(home, { recursive: true });
  }
});
