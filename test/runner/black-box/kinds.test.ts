import { expect, it } from 'vitest';
import { hashOfBlackBox } from '../../../src/runner/moved-problem.ts';
import { readProblem } from '../../../src/runner/problem-file.ts';

const BASE = 'inputs: {a: {minimum: 0, maximum: 1}}\noutputs: {p: {below: 3}}\n';

// Identities of problems begun before there were other kinds.
it.each([
  [
    'command: [run, "{a}"]\nonExit: {3: retry}\nread: out.json\nenvironment: {A: b}\nkeep: all',
    '1f5c7dffb476e39bcbd3af3b96e46d1f779e1f94ace9f8ef1cfbd6a8668469e5',
  ],
  ['evaluator: {url: "http://localhost:9000/run"}', '17e2d98e7d5ad8f9a169a771473d01a5ad9a02e12b7099ecccf2f2327e3d633a'],
])('a problem that was begun with %s is still recognised by its black box', (stated, hash) => {
  expect(hashOfBlackBox(readProblem(BASE + stated, 'p').problem!)).toBe(hash);
});

it('what the black box says of an input is used where the file leaves it out', () => {
  const described = {
    inputs: { a: { minimum: -1, maximum: 4, unit: 'm' } },
    outputs: { p: { unit: 'Pa' } },
    faults: [],
  };
  const read = (inputs: string) => {
    const text = `inputs: {a: ${inputs}}\noutputs: {p: {below: 3}}\ncommand: [run]\n`;
    return readProblem(text, 'p', new Map(), described).problem!;
  };
  for (const empty of ['{}', '']) {
    expect(read(empty)).toMatchObject({
      inputs: [{ minimum: -1, maximum: 4, unit: 'm' }],
      outputs: [{ name: 'p', unit: 'Pa' }],
    });
  }
  expect(read('{minimum: 2, unit: km}').inputs).toMatchObject([{ minimum: 2, maximum: 4, unit: 'km' }]);
});

it('a fault of the black box is told at its key, and a file needs a black box', () => {
  const described = { inputs: {}, outputs: {}, faults: [{ path: ['command'], message: 'is old.' }] };
  const complaints = (text: string, ...more: [typeof described] | []) =>
    readProblem(text, 'p', new Map(), ...more).violations.map(
      ({ position, key, message }) => `${position.line} ${key}: ${message}`,
    );
  expect(complaints(`${BASE}command: [run]`, described)).toEqual(['3 command: is old.']);
  expect(complaints(BASE)).toEqual([
    '1 command: is required: the program that evaluates an input, such as ["python3", "model.py"]; or evaluator: {url: ...}, or fmu: model.fmu, or spreadsheet: model.xlsx, or pest: case.pst, or petab: problem.yaml beside a command.',
  ]);
});
