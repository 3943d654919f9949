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
import { evaluateFormula } from '../../../src/runner/petab/noise-formula.ts';
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
    ['conditions.tsv', 'rate', 'depth', 'the noise of level depends on depth, which conditions change'],
    ['measurements.tsv', '0.2', '0.2;1', 'needs 1 noiseParameters, and the measurement has 2.'],
    [
      'parameters.tsv',
      'laplace',
      'log-laplace',
      'objectivePriorType of c is "log-laplace", but version 1 has uniform,',
    ],
    ['parameters.tsv', '0;1', '1', 'objectivePriorParameters of c must be 2 numbers, as in 0;1, is "1".'],
    [
      'parameters.tsv',
      'laplace 0;1',
      'uniform 6;7',
      'c is estimated, so it needs a finite lowerBound below its upperBound, also',
    ],
    ['parameters.tsv', '1e-3', '-inf', 'k is estimated, so it needs a finite lowerBound below its upperBound'],
  ])('is refused where the problem is wrong: %s', async (name, now, then, message) => {
    const cells = (words: string) => (name.endsWith('.tsv') ? words.replaceAll(' ', '\t') : words);
    await change(name, cells(now), cells(then));
    const loading = async () => {
      const problem = await loadPetab('p.yaml', home);
      for (const { condition } of problem.sets) problem.conditionValues(condition);
    };
    await expect(loading()).rejects.toThrow(message);
  });
});

const PRIORS =
  'parameterId parameterScale lowerBound upperBound nominalValue estimate objectivePriorType objectivePriorParameters';

/** Ranges in which the density of petab.v1.priors.Prior and of petab.v2 is more than 0, by petab 0.10.0. */
it.each([
  ['log10 0.01 100 1 1 uniform 0.9;1.1', 0.9, 1.1, true],
  ['log10 0.01 100 1 1 parameterScaleUniform -1;0.5', 0.1, 10 ** 0.5, true],
  ['log 0.01 100 1 1 parameterScaleUniform -1;9', Math.exp(-1), 100, true],
  ['log10 0.01 100 1 1 parameterScaleUniform ', 0.01, 100, false],
  ['lin -2 100 1 1 uniform -5;200', -2, 100, false],
  ['lin -2 100 1 1 logNormal 0;1', 0, 100, true],
  ['lin -inf inf 1 1 uniform -5;200', -5, 200, true],
])('bounds of version 1 end where the prior does: %s', async (row, lower, upper, isNarrowed) => {
  await write('parameters.tsv', tsv(PRIORS, `k ${row}`, 'c lin 0 9 1 1', 'depth lin 0 9 3 0', 'noise lin 0.01 2 1 1'));
  const [k] = (await loadPetab('p.yaml', home)).parameters;
  expect(k).toMatchObject({ lower: expect.closeTo(lower, 12), upper: expect.closeTo(upper, 12), isNarrowed });
  const { text, notes } = await importOne();
  expect(text).toContain(`minimum: ${k!.lower}, maximum: ${k!.upper}`);
  expect(notes.some((note) => /^(Uniform priors became the bounds|The bounds end where).*: k\.$/.test(note))).toBe(
    isNarrowed,
  );
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
  // Columns that version 2 does not know are not read, and a note says so.
  await write(
    'parameters.tsv',
    tsv(
      'parameterId lowerBound upperBound nominalValue estimate priorDistribution priorParameters parameterScale',
      'k -1 10 1 true log-uniform 0.5;20 log10',
      'g -1 10 1 true gamma 2;1 lin',
      's 0 1 0.2 false',
    ),
  );
  const priors = await loadPetab('p.yaml', home);
  expect(priors.parameters).toMatchObject([
    { id: 'k', lower: 0.5, upper: 10, scale: undefined, prior: { kind: 'log-uniform', isFlat: false } },
    { id: 'g', lower: 0, upper: 10 },
    { id: 's' },
  ]);
  expect(priors.notes).toEqual(['Columns that a search of version 2 does not read: parameterScale.']);
  expect((await importOne()).notes).toEqual([
    'Not estimated, as in the PEtab problem: s.',
    'Uniform priors became the bounds, which are narrower for them: k.',
    'The bounds end where the prior does: g.',
    'Priors that are left out, because they are not normal: g.',
    'The density of log-uniform priors is not part of chi-square: k.',
    'Columns that a search of version 2 does not read: parameterScale.',
  ]);
  // As petab1to2 of petab 0.10.0 converts noise of logarithms of base 10.
  await change('observables.tsv', '\tn\tlog-normal', '\tlog(10) * (n)\tlog-normal');
  await change('measurements.tsv', '0.3', 'g');
  const converted = await loadPetab('p.yaml', home);
  expect(converted.sets[0]!.noise).toEqual([Math.log(10) * 0.2]);
  expect(converted.sets[1]!.noise).toEqual({ parameter: 'g', factor: Math.log(10) });
  await change('p.yaml', 'parameter_files', 'extensions: {sciml: {version: 1.0.0, required: true}}\nparameter_files');
  await expect(loadPetab('p.yaml', home)).rejects.toThrow('the extension sciml of PEtab is not known here.');
  await change('p.yaml', 'required: true', 'required: false');
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
  ['c', { unknown: 'c', factor: 1 }],
  ['c + 1', undefined],
  ['1 +', undefined],
  ['loop', { unknown: 'loop', factor: 1 }],
  // As petab1to2 of petab 0.10.0 writes the noise of logarithms of base 10.
  ['log(10) * (0.2)', Math.log(10) * 0.2],
  ['log(10) * (c)', { unknown: 'c', factor: Math.log(10) }],
  ['(2 * c + c) / 4 - 0', { unknown: 'c', factor: 0.75 }],
  ['c * c', undefined],
  ['1 / c', undefined],
  ['log(8, 2) + ln(1) + log2(4) + log10(1e3)', 8],
  ['sqrt(4) + abs(-1) + exp(0) + sign(-3) + pow(2, 3) + min(1, 2) + max(1, 2)', 14],
  ['+2', 2],
  ['min(1)', undefined],
  ['exp(1, 2)', undefined],
  ['constructor(1)', undefined],
  ['piecewise(1, true, 2)', undefined],
])('the noise formula %s comes to %j', (formula, value) => {
  expect(
    evaluateFormula(
      formula,
      new Map<string, number | string>([
        ['a', 1],
        ['b', 'a'],
        ['loop', 'loop'],
      ]),
    ),
  ).toEqual(value);
});
