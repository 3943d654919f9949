import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkDefinition } from '../../../src/composing/check-definition.ts';
import type { Described } from '../../../src/runner/black-box/black-box.ts';
import { describeBlackBox } from '../../../src/runner/black-box/kinds.ts';
import { checkProblemFile } from '../../../src/runner/check-problem.ts';
import { hashOfBlackBox } from '../../../src/runner/moved-problem.ts';
import { readProblem } from '../../../src/runner/problem-file.ts';

const INPUTS = { gain: { minimum: 0, maximum: 4, unit: 'kg' }, mode: { type: 'category', values: ['low', 'high'] } };
const DESCRIBED: Described = { inputs: INPUTS, outputs: { peak: { unit: 'm' } }, faults: [] };
const TEXT = `fmu: {file: tank.fmu, stopTime: 5, stepSize: 0.1, solver: Euler, type: model-exchange, parameters: {area: 2, on: true}}
inputs:
  gain: {variable: "body.J[1,1]"}
  mode: {}
outputs:
  peak: {variable: level, at: 2.5, below: 3}
`;

const read = (text: string, described = DESCRIBED) => readProblem(text, 'tank', new Map(), described);
const complaintsOf = (text: string) =>
  read(text).violations.map(({ position, key, message }) => `${position.line} ${key}: ${message}`);

it('an FMU needs no more than the names of inputs whose bounds it states', () => {
  const { problem, violations } = read(TEXT);
  expect(violations).toEqual([]);
  expect(problem!.inputs).toMatchObject([
    { name: 'gain', minimum: 0, maximum: 4, unit: 'kg' },
    { name: 'mode', type: 'category', categories: ['low', 'high'] },
  ]);
  expect(problem!.outputs).toEqual([{ name: 'peak', unit: 'm' }]);
  expect(problem!.blackBox.record).toMatchObject({
    fmu: {
      file: 'tank.fmu',
      experiment: { stop: 5, step: 0.1, solver: 'Euler', type: 'model-exchange', start: null },
      parameters: { area: 2, on: true },
      inputs: { gain: { variable: 'body.J[1,1]' }, mode: { variable: 'mode' } },
      outputs: { peak: { variable: 'level', at: 2.5 } },
    },
  });
});

it('what is wrong with an FMU is told at its place', () => {
  expect(complaintsOf(TEXT.replace('at: 2.5', 'at: 9').replace('Euler', 'euler').replace('0.1', '0'))).toEqual([
    '1 fmu.stepSize: must be more than 0.',
    '1 fmu.solver: must be CVode or Euler, is "euler". Did you mean Euler?',
    '6 outputs.peak.at: must not be after the stopTime of the FMU, 5.',
  ]);
  expect(complaintsOf(TEXT.replace('stopTime: 5', 'startTime: 3'))).toEqual([
    '6 outputs.peak.at: must not be before the startTime of the FMU, 3.',
  ]);
  expect(complaintsOf(TEXT.replace('below: 3', 'fit: {data: [1, 2], x: [0, 1]}'))).toEqual([
    '6 outputs.peak.at: cannot go with fit, whose data have their times.',
  ]);
  expect(complaintsOf(`${TEXT}command: [run]`)).toEqual([
    '7 command: cannot be stated beside fmu; leave one of them out.',
  ]);
  expect(complaintsOf(TEXT.replace('file: tank.fmu, ', ''))).toEqual(['1 fmu.file: is required: the name of the FMU.']);
});

it('a change of what the FMU is asked makes it another black box, its place does not', () => {
  const hashOf = (text: string) => hashOfBlackBox(read(text).problem!);
  const others = [
    TEXT.replace('stopTime: 5', 'stopTime: 6'),
    TEXT.replace('area: 2', 'area: 3'),
    TEXT.replace('at: 2.5', 'at: 2'),
    TEXT.replace('variable: level', 'variable: flow'),
  ];
  expect(new Set([TEXT, ...others].map(hashOf)).size).toBe(5);
  expect(hashOf(`${TEXT}python: ./venv/bin/python\n`)).toBe(hashOf(TEXT));
});

it.skipIf(process.platform === 'win32')('an FMU is asked before anything runs, and its answer told', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'backsolve-fmu-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const python = path.join(home, 'python');
  const where = { home, workFolder: home, environment: { BACKSOLVE_PYTHON: python } };
  // It answers with the settings that it is given.
  const answer = (program: string) => writeFile(python, `#!${process.execPath}\n${program}`);
  await answer(
    "const settings = JSON.parse(require('node:fs').readFileSync(0)); console.log(JSON.stringify({ model: settings }))",
  );
  await chmod(python, 0o755);
  const fitted = TEXT.replace('below: 3', 'fit: {data: [1], x: [0], when: {load: 2}, output: flow}').replace(
    'variable: level, at: 2.5, ',
    '',
  );
  expect(await describeBlackBox(fitted, where)).toMatchObject({
    model: {
      file: path.join(home, 'tank.fmu'),
      experiment: { type: 'model-exchange', stop: 5 },
      hasData: true,
      inputs: { gain: { variable: 'body.J[1,1]' } },
      outputs: { flow: { variable: 'flow', at: null } },
      conditions: ['load'],
    },
  });

  // Only the black box is told to be at fault while it cannot be asked.
  await answer("console.log(JSON.stringify({ fault: { missing: 'FMPy' } }))");
  const file = path.join(home, 'tank.yaml');
  await writeFile(file, TEXT);
  await expect(checkProblemFile(file, {}, checkDefinition, where)).rejects.toThrow(
    `${file}:1:1: fmu: needs the package FMPy, which ${python} does not have: run "${python} -m pip install 'backsolve[fmu]'", or name another Python in python or BACKSOLVE_PYTHON.`,
  );
});
