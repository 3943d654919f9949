/** `pest: case.pst` in a problem file: what it takes from the case, and runs of a real model. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Surroundings } from '../../../src/runner/black-box/black-box.ts';
import { describeBlackBox } from '../../../src/runner/black-box/kinds.ts';
import { evaluateUnderConditions } from '../../../src/runner/conditions.ts';
import { importProblem } from '../../../src/runner/imported-problem.ts';
import { readProblem } from '../../../src/runner/problem-file.ts';
import { EVALUATION } from '../evaluation-fixture.ts';
import { CONTROL, INSTRUCTIONS, TEMPLATE } from './pest-case.ts';

const MODEL = `import { readFileSync, writeFileSync } from 'node:fs';
const [k1, n, half, still, wide] = readFileSync('m.in', 'utf8').trim().split('\\n').map(Number);
if (k1 > 100) { console.error('it boils'); process.exit(3); }
writeFileSync('out/m.out', [[k1, n, half].join(' '), [still, wide].join(' '), k1 > 50 ? 'hot' : k1 + n].join('\\n'));
`;
const WRITTEN = `pest: m.pst
copies: [out, model.mjs]
inputs:
  k1: {}
  wide: {minimum: 1}
outputs:
  heads: {}
  temps: {fit: {sigma: null, loss: linear}}
  flow: {observation: F1, atMost: 9}
start: {k1: 0.3, wide: 5}
`;

let home: string;
let where: Surroundings;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'backsolve-pest-'));
  where = { home, workFolder: path.join(home, '.work'), environment: { PATH: process.env['PATH'] } };
  const command = `"${process.execPath}" model.mjs`;
  await write('m.pst', CONTROL.replace('python3 model.py # 1', command).replace('echo done', `${command} again`));
  await write('m.tpl', TEMPLATE);
  await write('m.ins', INSTRUCTIONS);
  await write('model.mjs', MODEL);
  await mkdir(path.join(home, 'out'));
  await write('out/m.out', 'an old one');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFile(path.join(home, name), text);

async function read(text: string) {
  const described = await describeBlackBox(text, where);
  return readProblem(text, 'p', new Map(), described);
}

async function complaintsOf(text: string): Promise<readonly string[]> {
  const { violations } = await read(text);
  return violations.map(({ position, key, message }) => `${position.line} ${key}: ${message}`);
}

describe('a problem file with a case of PEST', () => {
  it('takes bounds, scales, data and errors from it, where it states none', async () => {
    const { problem, violations } = await read(WRITTEN);
    expect(violations).toEqual([]);
    expect(problem!.inputs).toMatchObject([
      { name: 'k1', minimum: 0.01, maximum: 1000, scale: 'log' },
      { name: 'wide', minimum: 1, maximum: 10, scale: 'linear' },
    ]);
    expect(problem!.fits).toMatchObject([
      { name: 'heads', fit: { values: [1.5, 3.5], positions: [0, 2], count: 3, sigma: [0.02, 0.05] } },
      { name: 'temps', fit: { values: [4], sigma: null } },
    ]);
    expect(problem!.outputs.map(({ name }) => name)).toEqual(['heads[0]', 'heads[2]', 'temps[0]', 'flow']);
  });

  it('says what does not belong to it, with its key', async () => {
    const wrong = WRITTEN.replace('wide: {', 'wild: {')
      .replace('k1: {}', 'half: {}')
      .replace('heads: {}', 'heads: {below: 3}');
    expect(await complaintsOf(wrong.replace(/start.*/, '').replace('F1', 'F9'))).toEqual([
      '4 inputs.half: is tied to k1 in the control file: leave it out, or set its PARTRANS to none or log there.',
      '5 inputs.wild: wild is not a parameter of the control file; did you mean wide?',
      '7 outputs.heads: is a group of 3 observations, which are fitted; for a limit name one observation, as in observation: h1.',
      '9 outputs.flow: f9 is neither an observation group nor an observation of the control file; did you mean f1?',
    ]);
    expect(await complaintsOf(WRITTEN.replace(/ {2}flow: .*/, '  l_flow: {}'))).toEqual([
      '9 outputs.l_flow: has observations only that are limits to PESTPP-IES, and data to PEST and PESTPP-GLM: write fitLimits: true to fit them, or name each as a limit, as in observation: f1 with atMost or atLeast.',
    ]);
    expect(await complaintsOf(WRITTEN.replace(/ {2}flow: .*/, '  l_flow: {fitLimits: true}'))).toEqual([]);
    expect(await complaintsOf(WRITTEN.replace('F1, atMost', 'F1, fitLimits: maybe, atMost'))).toEqual([
      '9 outputs.flow: fitLimits must be true or false.',
    ]);
    expect(await complaintsOf(WRITTEN.replace('F1, atMost', 'F1, fitLimits: true, atMost'))).toEqual([
      '9 outputs.flow: fitLimits belongs to a group of observations.',
    ]);
    await write('m.pst', (await readFile(path.join(home, 'm.pst'), 'utf8')).replaceAll(' temps', ' regul_temps'));
    expect(await complaintsOf(WRITTEN.replace(/temps: .*/, 'regul_temps: {}'))).toEqual([
      '8 outputs.regul_temps: is a group of regularisation, whose observations are wishes and no data: leave it out. For data, give it a name in the control file that does not begin with regul.',
    ]);
    await rm(path.join(home, 'm.tpl'));
    const [first] = await complaintsOf(WRITTEN);
    expect(first).toBe('1 pest: m.tpl: there is no such file in the folder of the control file.');
    const [second] = await complaintsOf(WRITTEN.replace('m.pst', 'none.pst'));
    expect(second).toBe('1 pest: none.pst: there is no such file.');
  });

  it.each([
    ['m.tpl', '~n               ~\n', '', 'm.pst: n is in no template file, so the model never sees it'],
    ['m.tpl', 'n  ', 'nn ', 'm.pst: nn stands in a template file, but is not a parameter of the control file.'],
    ['m.ins', '!h3!', '!h4!', 'm.pst: h3 is read by no instruction file: set its weight to 0, or add it.'],
    ['m.pst', 'm.tpl  m.in', 'm.tpl  ../m.in', '../m.in lies outside of the folder in which the model runs'],
    [
      'm.pst',
      /1 1 double(.*)m.ins {2}out.m.out/s,
      '1 2 double$1m.ins out/m.out\nm.ins out/m.out',
      'm.pst: the observation h1 is read by two instruction files.',
    ],
    [
      'm.pst',
      /1 1 double(.*)m.tpl {2}m.in/s,
      '2 1 double$1m.tpl m.in\nm.tpl m.in',
      'm.pst: two template files write m.in, so one of them would be lost.',
    ],
  ])('refuses files that do not belong together: %s', async (name, now, then, message) => {
    await write(name, (await readFile(path.join(home, name), 'utf8')).replace(now, then));
    expect((await complaintsOf(WRITTEN))[0]).toContain(message);
  });
});

describe('the spaces of its templates are tried before any run', () => {
  it('so that a narrow one is named', async () => {
    const adviceOn = async (k1: string) => {
      const { problem } = await read(WRITTEN.replace('k1: {}', `k1: ${k1}`).replace('k1: 0.3', 'k1: 100.5'));
      const advice: string[] = [];
      const box = problem!.blackBox.open({ ...where, onAdvice: (sentence) => advice.push(sentence) });
      await evaluateUnderConditions(problem!, box.call);
      await box.close();
      return advice;
    };
    expect(await adviceOn('{}')).toEqual([]);
    await write('m.tpl', TEMPLATE.replace(/~ k1 +~/, '~k1~'));
    expect(await adviceOn('{}')).toEqual([]);
    expect(await adviceOn('{minimum: 100, maximum: 101}')).toEqual([
      'm.tpl: the space of k1 (4 characters) writes 100 and 100.006 both as 100. (2 texts for 101 values from bound to bound): widen its space.',
    ]);
  });
});

describe('a run of its model', () => {
  async function open(text = WRITTEN) {
    const { problem } = await read(text);
    const box = problem!.blackBox.open(where);
    const evaluate = await evaluateUnderConditions(problem!, box.call);
    const run = (input: Readonly<Record<string, number>>) => {
      const outputNames = problem!.outputs.map(({ name }) => name);
      const asked = { ...EVALUATION, inputByName: input, outputNames, outputCount: outputNames.length };
      return evaluate(asked, new AbortController().signal).finally(box.close);
    };
    return { problem: problem!, run };
  }

  it('gets scaled, tied and fixed values, and gives fitted and other observations', async () => {
    const { run } = await open();
    expect(await run({ k1: 2, wide: 3 })).toEqual({ kind: 'output', output: [2, 1, 14, 7] });
  });

  it('fails with the words of the model, or with the place of the instruction that does not match', async () => {
    expect(await (await open()).run({ k1: 200, wide: 3 })).toMatchObject({ reason: 'exit code 3: it boils' });
    expect(await (await open()).run({ k1: 60, wide: 3 })).toMatchObject({
      reason: 'm.ins:4: line 3 of out/m.out has "hot" where t1 should be: "hot"',
      retryable: true,
    });
    await write('model.mjs', '');
    // The old output that came with the copies is no result.
    expect(await (await open()).run({ k1: 2, wide: 3 })).toMatchObject({
      reason: 'out/m.out: the command left no such file',
    });
  });

  it('leaves files of PEST with all observations of the best run', async () => {
    const { run, problem } = await open();
    await run({ k1: 2, wide: 3 });
    const output = { heads: [2, 1], 'temps[0]': 14, temps: [14], flow: 7 };
    const best = { run: 'run 3', input: { k1: 2, wide: 3 }, output };
    for (const { names, write: writeCopy } of problem.blackBox.copies!) {
      expect(await writeCopy(best, path.join(home, names('p', '')[0]!), where)).toBeUndefined();
    }
    expect(await readdir(home)).toEqual(expect.arrayContaining(['m.par', 'm.rei']));
    const residuals = (await readFile(path.join(home, 'm.rei'), 'utf8')).split('\n').slice(3);
    const modelled = residuals.map((row) => row.trim().split(/\s+/)).map(([name, , , value]) => [name, Number(value)]);
    expect(Object.fromEntries(modelled)).toMatchObject({
      h1: 2,
      h2: 12,
      h3: 1,
      f1: 7,
      p1: 3,
      t1: 14,
      pi1: Math.log10(2),
    });
    const [first, second] = problem.blackBox.copies!.map(({ names }) => names('p', '-2'));
    expect([first, second]).toEqual([
      ['m-2.par', 'm.result-2.par'],
      ['m-2.rei', 'm.result-2.rei'],
    ]);
  });
});

describe('a new problem file of a case of PEST', () => {
  it('is solved without further work, and says what became of the rest', async () => {
    const from = path.join(home, 'm.pst');
    const { text, notes } = await importProblem({ from, file: path.join(home, 'm.yaml'), command: undefined });
    const { problem, violations } = await read(text);
    expect(violations).toEqual([]);
    expect(problem!.inputs).toMatchObject([
      { name: 'k1', minimum: 0.01, maximum: 1000, scale: 'log', likelyMinimum: 0.1, likelyMaximum: 10 },
      { name: 'n', scale: 'linear' },
      { name: 'wide', scale: 'linear' },
    ]);
    expect(problem!.outputs.map(({ name }) => name)).toEqual(['heads[0]', 'heads[2]', 'f1', 'temps[0]']);
    expect(problem!.targetSets[0]![2]).toMatchObject({ type: 'lessthan_equal', target: 9 });
    expect(problem!.start).toEqual({ k1: 0.3, n: 1, wide: 5 });
    expect(problem!.blackBox.record['command']).toMatchObject({ copies: ['model.mjs', 'out'], shell: true });
    expect(notes).toEqual([
      'Fixed, as in the control file: still.',
      'Tied, as in the control file: half to k1.',
      'May leave its own bounds while it follows another one: half. Narrow the bounds of that one to prevent it.',
      'Prior information became likely ranges, of two standard errors, and no part of chi-square: pi1.',
      'Prior information that is left out: pi2. A likely range is about one parameter.',
      'Regularisation is left out: pi3.',
      'Weight 0, so not fitted: the observations of forecast.',
      'Limits to PESTPP-IES, and data to PEST and PESTPP-GLM, became limits, which hold whatever their weight: observations of l_flow. To fit them, write fitLimits: true for the group instead.',
      'Options of PEST++ are not used: ies_num_reals, svd_pack.',
    ]);
  });

  it('has limits for what is a limit to PESTPP-IES, and says how to fit it as PEST and PESTPP-GLM do', async () => {
    const upTo = ['pcf version=2', ...CONTROL.split('\n').slice(1)].join('\n').replace('6 1 3 4', '7 1 4 4');
    const rows = 'obsnme,obsval,weight,obgnme,less_than,greater_than\n'.concat(
      ...['h1,1.5,50,heads,2,\n', 'h2,2.5,0,heads,3,\n', 'h3,3.5,20,heads,,\n', 'f1,9,1,<@flow,,\n'],
      ...['p1,0,1,regul_p,,\n', 't1,4,1,temps,6,3\n', 'p2,1,1,prices,,\n'],
    );
    await write('m.csv', rows);
    await write('m.ins', INSTRUCTIONS.replace('!p1!', '!p1! !p2!'));
    const control = upTo.replace(/(\* observation data)\n[^*]*/, '$1 external\nm.csv\n');
    await write('m.pst', control);
    const from = path.join(home, 'm.pst');
    const { text, notes } = await importProblem({ from, file: path.join(home, 'm.yaml'), command: undefined });
    const { problem, violations } = await read(text);
    expect(violations).toEqual([]);
    expect(problem!.outputs.map(({ name }) => name)).toEqual(['heads[2]', 'h1', 'f1', 't1', 'prices[0]']);
    expect(problem!.targetSets[0]!.slice(1, 4)).toMatchObject([
      { type: 'lessthan_equal', target: 2 },
      { type: 'greaterthan_equal', target: 9 },
      { type: 'value', target: 4.5 },
    ]);
    expect(notes).toContain('Regularisation is no data and left out: the observations of regul_p.');
    const fitting = text
      .replace(/ {2}heads: .*/, '  heads: {fitLimits: true}')
      .replace(/ {2}h1: .*/, '')
      .replace(/ {2}f1: .*/, '  "<@flow": {fitLimits: true}')
      .replace(/ {2}t1: .*/, '  temps: {fitLimits: true}');
    const { problem: fitted, violations: none } = await read(fitting);
    expect(none).toEqual([]);
    expect(fitted!.outputs.map(({ name }) => name)).toEqual([
      ...['heads[0]', 'heads[2]', '<@flow[0]', 'temps[0]', 'prices[0]'],
    ]);
    expect(fitted!.fits[0]!.fit).toMatchObject({ values: [1.5, 3.5], sigma: [0.02, 0.05] });
  });

  it('cuts names that are too long, and keeps them apart', async () => {
    const long = (end: string) => `a_name_of_pest_that_goes_on_for_longer_than_sixty_four_characters_${end}`;
    const rename = (text: string) => text.replaceAll(/\bwide\b/g, long('w')).replaceAll(/\bn\b/g, long('n'));
    await write('m.pst', rename(CONTROL).replaceAll(/\btemps\b/g, long('t')));
    await write('m.tpl', rename(TEMPLATE));
    const from = path.join(home, 'm.pst');
    const { problem, violations } = await read(
      (await importProblem({ from, file: path.join(home, 'm.yaml'), command: ['run'] })).text,
    );
    expect(violations).toEqual([]);
    expect(new Set(problem!.inputs.map(({ name }) => name)).size).toBe(3);
    expect(Math.max(...[...problem!.inputs, ...problem!.outputs].map(({ name }) => name.length))).toBeLessThanOrEqual(
      64,
    );
    expect(problem!.blackBox.record['command']).toMatchObject({ command: ['run'], shell: false });
  });

  it.each([
    [
      / (50|20|1)\.0 (heads|l_flow|temps)/g,
      ' 0 $2',
      'm.pst: all observations have weight 0 or are regularisation, so there is nothing to fit.',
    ],
    [/(log|none)(?=\s+(factor|relative))/g, 'fixed', 'm.pst: no parameter is estimated; all are fixed or tied.'],
  ])('is refused where nothing is left to do', async (now, then, message) => {
    const untied = CONTROL.replace('half tied', 'half fixed').replace('half k1\n', '');
    await write('m.pst', untied.replace(now, then));
    const importing = importProblem({
      from: path.join(home, 'm.pst'),
      file: path.join(home, 'm.yaml'),
      command: undefined,
    });
    await expect(importing).rejects.toThrow(message);
  });

  it('is refused for files of another kind', async () => {
    await write('p.yaml', WRITTEN);
    const refusing = (name: string) =>
      expect(importProblem({ from: path.join(home, name), file: path.join(home, 'x.yaml'), command: undefined }))
        .rejects;
    await refusing('p.yaml').toThrow('is a problem file of Backsolve already: backsolve run');
    await refusing('model.mjs').toThrow(
      'is neither a control file of PEST, which begins with pcf, nor a PEtab problem',
    );
    await refusing('none.pst').toThrow('none.pst: there is no such file.');
  });
});
