/** PEtab problems as problem files, with a small problem of version 1 and one of version 2. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Surroundings } from '../../../src/runner/black-box/black-box.ts';
import { describeBlackBox } from '../../../src/runner/black-box/kinds.ts';
import { evaluateUnderConditions } from '../../../src/runner/conditions.ts';
import { importProblem, nameOfImport } from '../../../src/runner/imported-problem.ts';
import { loadPetab } from '../../../src/runner/petab/load-petab.ts';
import { evaluateNoise } from '../../../src/runner/petab/noise-formula.ts';
import { readProblem } from '../../../src/runner/problem-file.ts';
import { EVALUATION } from '../evaluation-fixture.ts';

const tsv = (...rows: readonly string[]) => `${rows.map((row) => row.replaceAll(/ +/g, '\t')).join('\n')}\n`;

const FILES: Readonly<Record<string, string>> = {
  'p.yaml': `format_version: 1
parameter_file: parameters.tsv
problems:
- condition_files: [conditions.tsv]
  measurement_files: [measurements.tsv]
  observable_files: [observables.tsv]
  sbml_files: [model.xml]
`,
  'model.xml': '<sbml/>',
  'parameters.tsv': tsv(
    'parameterId parameterScale lowerBound upperBound nominalValue estimate objectivePriorType objectivePriorParameters',
    'k log10 1e-3 1e3 0.5 1 parameterScaleNormal 0;0.5',
    'c lin 0.001 5 1 1 laplace 0;1',
    'depth lin 0 10 3 0',
    'noise lin 0.01 2 0.5 1',
  ),
  'conditions.tsv': tsv('conditionId conditionName heat rate', 'cold Cold 280 k', 'warm Warm 300 c'),
  'observables.tsv': tsv(
    'observableId observableFormula observableTransformation noiseFormula',
    'level h lin noiseParameter1_level+0.1*depth',
    'flux f log10 noise',
  ),
  'measurements.tsv': tsv(
    'observableId simulationConditionId time measurement noiseParameters',
    'level cold 0 2 0.1',
    'level cold inf 1 0.2',
    'level warm 0 2.5 0.1',
    'flux cold 5 10 ',
    'flux cold 5 100 ',
  ),
};

/** Writes what it is told as simulated values, so that tests see it. */
const SIMULATE = `import { readFileSync, writeFileSync } from 'node:fs';
const told = JSON.parse(readFileSync(0, 'utf8')).inputByName;
const [titles, ...rows] = readFileSync('measurements.tsv', 'utf8').trimEnd().split('\\n').map((line) => line.split('\\t'));
const nominal = Object.fromEntries(readFileSync('parameters.tsv', 'utf8').trim().split('\\n').map((line) => [line.split('\\t')[0], line.split('\\t')[4]]));
if (Number(nominal.k) !== told.k || nominal.depth !== '3') throw new Error('other parameters in the table');
const value = { level: told.heat + told.rate, flux: told.c };
if (told.c === 4) console.log(JSON.stringify(told.simulationConditionId === 'cold' ? { level: [1, 2], flux: [10, 1000] } : { level: [3] }));
else writeFileSync('simulations.tsv', [titles.join('\\t').replace('measurement', 'simulation'), ...rows.map((row) => [row[0], row[1], row[2], told.c === 5 ? -1 : value[row[0]]].join('\\t'))].join('\\n'));
`;

let home: string;
let where: Surroundings;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'backsolve-petab-'));
  where = { home, workFolder: path.join(home, '.work'), environment: { PATH: process.env['PATH'] } };
  for (const [name, text] of Object.entries(FILES)) await write(name, text);
  await write('simulate.mjs', SIMULATE);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFile(path.join(home, name), text);
const change = async (name: string, now: string, then: string) =>
  write(name, (await readFile(path.join(home, name), 'utf8')).replace(now, then));

const importOne = (command: readonly string[] | undefined = [process.execPath, 'simulate.mjs']) =>
  importProblem({ from: path.join(home, 'p.yaml'), file: path.join(home, 'p.fit.yaml'), command });

async function read(text: string) {
  return readProblem(text, 'p', new Map(), await describeBlackBox(text, where));
}

describe('a new problem file of a PEtab problem', () => {
  it('has its parameters, and its measurements by observable and condition', async () => {
    const { text, notes } = await importOne();
    const { problem, violations } = await read(text);
    expect(violations).toEqual([]);
    expect(problem!.inputs).toMatchObject([
      { name: 'k', minimum: 0.001, maximum: 1000, scale: 'log', likelyMinimum: 0.1, likelyMaximum: 10 },
      { name: 'c', minimum: 0.001, maximum: 5, scale: 'linear', likelyMinimum: null },
    ]);
    expect(problem!.start).toEqual({ k: 0.5, c: 1 });
    const [cold, warm] = ['cold', 'warm'].map((id) => ({ simulationConditionId: id }));
    expect(
      problem!.fits.map(({ name, fit: { values, x, sigma, when, output } }) => [name, values, x, sigma, when, output]),
    ).toEqual([
      ['level cold', [2, 1], null, [0.1 + 0.1 * 3, 0.2 + 0.1 * 3], cold, 'level'],
      ['level warm', [2.5], [0], 0.1 + 0.1 * 3, warm, 'level'],
      ['flux', [1, 2], [5, 5], null, cold, 'flux'],
    ]);
    expect(notes).toEqual([
      'Not estimated, as in the PEtab problem: depth.',
      'Estimated as the error of data, not as an input: noise.',
      'Priors became likely ranges, of two standard deviations, and no part of chi-square: k.',
      'Priors that are left out, because they are not normal: c.',
    ]);
    expect(nameOfImport('sub/p.yaml')).toBe('p.fit.yaml');
  });

  it('needs a simulator', async () => {
    const none = importProblem({
      from: path.join(home, 'p.yaml'),
      file: path.join(home, 'x.yaml'),
      command: undefined,
    });
    await expect(none).rejects.toThrow('has no program: name the simulator, as in --command "python3 simulate.py".');
  });

  it.each([
    ['p.yaml', 'format_version: 1', 'format_version: 3', 'p.yaml: format_version 3 of PEtab is not known here.'],
    ['p.yaml', 'model.xml', '../model.xml', 'p.yaml: ../model.xml lies outside of its folder'],
    ['p.yaml', 'observables.tsv', 'none.tsv', 'none.tsv: there is no such file.'],
    ['parameters.tsv', '1e-3', '0', 'parameters.tsv:2: k is logarithmic, so its lowerBound must be positive; it is 0.'],
    ['parameters.tsv', 'log10', 'ln', 'parameters.tsv:2: parameterScale of k must be lin, log or log10, is "ln".'],
    ['measurements.tsv', 'flux', 'flow', 'measurements.tsv:5: flow is in no observable table.'],
    [
      'measurements.tsv',
      '100',
      '-1',
      'measurements.tsv:6: the measurement must be positive, for its logarithm is compared',
    ],
    [
      'measurements.tsv',
      '0.2',
      'k',
      'the noise formula of level, noiseParameter1_level+0.1*depth, is neither a number nor one parameter',
    ],
    [
      'observables.tsv',
      'noise\n',
      '0.1*f\n',
      'the noise formula of flux, 0.1*f, is neither a number nor one parameter',
    ],
    ['conditions.tsv', 'warm', 'hot', 'The condition warm of measurements is in no condition table.'],
  ])('is refused where the problem is wrong: %s', async (name, now, then, message) => {
    await change(name, now, then);
    const loading = async () => {
      const problem = await loadPetab('p.yaml', home);
      for (const { condition } of problem.sets) problem.conditionValues(condition);
    };
    await expect(loading()).rejects.toThrow(message);
  });
});

describe('a simulator of PEtab', () => {
  async function open() {
    const { problem } = await read((await importOne()).text);
    const box = problem!.blackBox.open(where);
    const evaluate = await evaluateUnderConditions(problem!, box.call);
    const run = (input: Readonly<Record<string, number>>) => {
      const outputNames = problem!.outputs.map(({ name }) => name);
      const asked = { ...EVALUATION, inputByName: input, outputNames, outputCount: outputNames.length };
      return evaluate(asked, new AbortController().signal).finally(box.close);
    };
    return { problem: problem!, run };
  }

  it('is told parameters and condition, once per condition, and leaves a table', async () => {
    expect(await (await open()).run({ k: 2, c: 100 })).toEqual({ kind: 'output', output: [282, 282, 400, 2, 2] });
  });

  it('may print values instead, which are transformed, too', async () => {
    expect(await (await open()).run({ k: 2, c: 4 })).toEqual({ kind: 'output', output: [1, 2, 3, 1, 3] });
  });

  it('fails where a logarithm has no value, or a row is missing', async () => {
    expect(await (await open()).run({ k: 2, c: 5 })).toMatchObject({
      kind: 'failure',
      reason: expect.stringContaining('a simulated value is not positive'),
    });
    await change('simulate.mjs', '...rows.map', '...rows.slice(1).map');
    expect(await (await open()).run({ k: 2, c: 1 })).toMatchObject({
      reason: 'with simulationConditionId = cold: simulations.tsv has no row for level at time 0',
    });
  });

  it('gets its best run in tables of PEtab', async () => {
    const { problem } = await open();
    const output = { 'level cold': [2, 1.5], 'level warm': [3], flux: [1.1, 1.9] };
    const best = { run: 'run 3', input: { k: 2, c: 0.1 }, output };
    for (const { names, write: writeCopy } of problem.blackBox.copies!) {
      expect(await writeCopy(best, path.join(home, names('p.fit', '')[0]!), where)).toBeUndefined();
    }
    const rows = async (name: string) => {
      const text = await readFile(path.join(home, name), 'utf8');
      return text
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
    };
    const parameters = await rows('p.best.parameters.tsv');
    expect(parameters.map((row) => row[4])).toEqual(['nominalValue', '2', '0.1', '3', expect.stringMatching(/^0\.1/)]);
    const simulated = await rows('p.best.simulations.tsv');
    expect(simulated[0]![3]).toBe('simulation');
    expect(simulated.slice(1).map((row) => Number(row[3]))).toEqual([2, 1.5, 3, 10 ** 1.1, 10 ** 1.9]);
  });
});

it('a problem of version 2 has experiments, and logarithms in its noise', async () => {
  await write(
    'p.yaml',
    `format_version: 2.0.0
parameter_files: [parameters.tsv]
condition_files: [conditions.tsv]
experiment_files: [experiments.tsv]
measurement_files: [measurements.tsv]
observable_files: [observables.tsv]
model_files: {m: {location: model.xml, language: sbml}}
`,
  );
  await write(
    'parameters.tsv',
    tsv('parameterId lowerBound upperBound nominalValue estimate', 'k 0.1 10 1 true', 's 0 1 0.2 false'),
  );
  await write('conditions.tsv', tsv('conditionId targetId targetValue', 'a heat 280', 'b heat k'));
  await write('experiments.tsv', tsv('experimentId time conditionId', 'one 0 a', 'two -inf a', 'two 0 b'));
  await write(
    'observables.tsv',
    tsv('observableId observableFormula noiseFormula noiseDistribution noisePlaceholders', 'h h n log-normal n'),
  );
  await write(
    'measurements.tsv',
    tsv('observableId experimentId time measurement noiseParameters', 'h one 1 2 s', 'h two 1 4 0.3'),
  );
  const problem = await loadPetab('p.yaml', home);
  expect(problem.sets).toMatchObject([
    { condition: { experimentId: 'one' }, transformation: 'log', noise: [0.2] },
    { condition: { experimentId: 'two' }, transformation: 'log', noise: [0.3] },
  ]);
  expect([...problem.conditionValues({ experimentId: 'one' })]).toEqual([['heat', '280']]);
  expect([...problem.conditionValues({ experimentId: 'two' })]).toEqual([]);
  expect(problem.parameters[0]).toMatchObject({ id: 'k', scale: undefined, isEstimated: true });
  await change('observables.tsv', 'log-normal', 'laplace');
  await expect(loadPetab('p.yaml', home)).rejects.toThrow(
    'noiseDistribution laplace of h is not known here: make it normal',
  );
});

it.each([
  ['0.5', 0.5],
  ['(a + 2) * 3 ^ -1', 1],
  ['-a - -2**2', 3],
  ['b', 1],
  ['c', { unknown: 'c' }],
  ['c + 1', undefined],
  ['1 +', undefined],
  ['sqrt(4)', undefined],
  ['loop', { unknown: 'loop' }],
])('the noise formula %s comes to %j', (formula, value) => {
  expect(
    evaluateNoise(
      formula,
      new Map<string, number | string>([
        ['a', 1],
        ['b', 'a'],
        ['loop', 'loop'],
      ]),
    ),
  ).toEqual(value);
});
