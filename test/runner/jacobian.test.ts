/** Derivatives that programs give: in files, under conditions, and in shapes that are wrong. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { evaluateUnderConditions } from '../../src/runner/conditions.ts';
import { readDocument } from '../../src/runner/files/exchange.ts';
import { parseJacobian } from '../../src/runner/files/jacobian-file.ts';
import { readProblem } from '../../src/runner/problem-file.ts';
import { EVALUATION } from './evaluation-fixture.ts';

it.each([
  [
    '1 2\n3 4\n',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [
    '# numpy\n1.0D+00,nan\n,4\n',
    [
      [1, null],
      [null, 4],
    ],
  ],
  ['a;b\n1;2\n', [{ a: 1, b: 2 }]],
  ['out,b,a\ny,1,2\nz,3,4\n', { y: { b: 1, a: 2 }, z: { b: 3, a: 4 } }],
  [
    ',a,b\nlevel,1,2\nlevel,3,4\ny,5,6\n',
    {
      level: [
        { a: 1, b: 2 },
        { a: 3, b: 4 },
      ],
      y: { a: 5, b: 6 },
    },
  ],
  ['y 1 2\nz 3 4', { y: [1, 2], z: [3, 4] }],
  ['{"y": {"a": NaN}}', { y: { a: null } }],
])('reads %j', (text, expected) => {
  expect(parseJacobian(text)).toEqual(expected);
});

it.each([
  [
    '# b a\n1 2\n3 4\n',
    [
      { b: 1, a: 2 },
      { b: 3, a: 4 },
    ],
  ],
  ['# b;a\n1;2\n', [{ b: 1, a: 2 }]],
  ['# of numpy\n1 2\n', [[1, 2]]],
  ['# out b a\ny 1 2\n', { y: { b: 1, a: 2 } }],
  ['"b" "a"\n"y" 1 2\n', { y: { b: 1, a: 2 } }],
])('reads the inputs that a line above the matrix %j names', (text, expected) => {
  expect(parseJacobian(text, ['a', 'b'])).toEqual(expected);
});

it.each([
  ['a,b\n1,2,3\n', 'line 2 has 3 cells, but line 1 has 2'],
  ['1,2\n3 4\n', 'line 2 has both blanks and commas between numbers'],
  ['1 2\n3,5 4,5\n1\n', 'line 3 has 1 cell, but line 1 has 2'],
  ['0,5 1,5\n2,5 3,5\n', 'line 1 has both blanks and commas between numbers'],
  ['{"y": {"a": 1, "a": 2}}', 'an object has the key "a" twice'],
])('refuses %j', (text, reason) => {
  expect(() => parseJacobian(text)).toThrow(reason);
});

it.each(['', 'singular matrix\n', '1 2\n3 x\n', '[1, 2'])('reads nothing from %j', (text) => {
  expect(parseJacobian(text)).toBeUndefined();
});

it('takes NaN among the derivatives of a document, but not among its outputs', () => {
  const expected = { names: ['y'] };
  const read = readDocument('{"y": 1, "jacobian": [[NaN, 2]]}', expected, 'it');
  expect(read).toEqual({ kind: 'output', output: [1], jacobian: [[null, 2]] });
  expect(readDocument('{"y": NaN, "jacobian": [[1, 2]]}', expected, 'it').kind).toBe('failed');
});

const INPUTS = 'inputs:\n  a: {minimum: 0, maximum: 4}\n  b: {minimum: 0, maximum: 4}\n';

/** Evaluates a = 1, b = 2 by a problem file whose command is a program of Node.js. */
async function evaluate(rest: string, program: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-jacobian-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  await writeFile(path.join(folder, 'model.mjs'), program);
  const text = `name: N\n${INPUTS}command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(path.join(folder, 'model.mjs'))}]\n${rest}`;
  const data = new Map([
    ['cold.csv', 't,l\n1,3\n2,5\n'],
    ['warm.csv', 't,l\n1,4\n'],
  ]);
  const { problem, violations } = readProblem(text, 'problem', data);
  expect(violations).toEqual([]);
  const box = problem!.blackBox.open({
    home: folder,
    workFolder: path.join(folder, 'work'),
    environment: process.env,
    onNote: () => undefined,
  });
  onTestFinished(() => box.close());
  const evaluation = {
    ...EVALUATION,
    input: [1, 2],
    inputByName: { a: 1, b: 2 },
    outputNames: problem!.outputs.map(({ name }) => name),
  };
  return (await evaluateUnderConditions(problem!, box.call))(evaluation, new AbortController().signal);
}

const TWO = 'outputs:\n  y: {target: 1, within: 1}\n  z: {target: 1, within: 1}\n';

it('reads a file beside outputs in another file, or on the last line', async () => {
  const program = `
    import { writeFileSync } from 'node:fs';
    writeFileSync('slopes.csv', 'b,a\\n20,10\\n40,nan\\n');
    writeFileSync('out.json', '{"z": 2, "y": 1}');
    console.log('[1, 2]');`;
  const expected = {
    kind: 'output',
    output: [1, 2],
    jacobian: [
      [10, 20],
      [null, 40],
    ],
  };
  expect(await evaluate(`${TWO}read: [out.json]\njacobian: {file: slopes.csv}\n`, program)).toEqual(expected);
  expect(await evaluate(`${TWO}jacobian: {file: slopes.csv}\n`, program)).toEqual(expected);
});

it.each([
  ['missing', "console.log('[1, 2]');", 'slopes.csv: the command left no such file'],
  [
    'garbled',
    "import { writeFileSync } from 'node:fs'; writeFileSync('slopes.csv', 'singular'); console.log('[1, 2]');",
    'slopes.csv has neither JSON nor a matrix',
  ],
])('tries a run again whose file is %s', async (_, program, reason) => {
  const outcome = await evaluate(`${TWO}jacobian: {file: slopes.csv}\n`, program);
  expect(outcome).toMatchObject({ kind: 'failure', retryable: true, reason: expect.stringContaining(reason) });
});

it.each([
  ['[[1, 2]]', 'The Jacobian has 1 rows instead of 2'],
  ['[[1], [2]]', 'The derivatives of y are 1 numbers instead of 2: a, b.'],
  ['{"y": {"c": 1}}', 'The derivatives of y have c, which is not an input: a, b.'],
  ['{"x": {"a": 1}}', 'The Jacobian has x, which is not an output: y, z.'],
  ['[[1, "x"], null]', 'The derivative of y by b must be a finite number or null, is x.'],
])('says what is wrong with %s before anything is reported', async (jacobian, message) => {
  const program = `console.log(JSON.stringify({ y: 1, z: 2, jacobian: ${jacobian} }));`;
  const refused = evaluate(TWO, program);
  await expect(refused).rejects.toThrow(`The derivatives cannot be used. ${message}`);
  await expect(refused).rejects.toBeInstanceOf(LocalFault);
});

it('puts the derivatives of runs under several conditions together', async () => {
  const outputs = `outputs:
  cold: {fit: {data: cold.csv, x: t, y: l, sigma: 0.1, when: {heat: 1}, output: l}}
  warm: {fit: {data: warm.csv, x: t, y: l, sigma: 0.1, when: {heat: 2}, output: l}}
  y: {target: 1, within: 1}
`;
  const program = `
    let text = '';
    for await (const chunk of process.stdin) text += chunk;
    const { heat } = JSON.parse(text).inputByName;
    const cold = { l: [3, 5], y: 7, jacobian: { l: { a: [30, 50] }, y: [70, 71] } };
    console.log(JSON.stringify(heat === 1 ? cold : process.env.PLAIN ? { l: [4] } : { l: [4], jacobian: { l: [[40, 41]] } }));`;
  const rows = [
    [30, null],
    [50, null],
    [40, 41],
    [70, 71],
  ];
  expect(await evaluate(outputs, program)).toEqual({ kind: 'output', output: [3, 5, 4, 7], jacobian: rows });
  const some = await evaluate(`${outputs}environment: {PLAIN: "1"}\n`, program);
  expect(some).toMatchObject({ jacobian: [rows[0], rows[1], [null, null], rows[3]] });
});

it.each([
  ['jacobian: slopes.csv', 'jacobian'],
  ['jacobian: {}', 'jacobian.file'],
  ['jacobian: {file: slopes.csv, form: csv}', 'jacobian.form'],
])('refuses %s in a problem file', (line, key) => {
  const text = `name: N\n${INPUTS}${TWO}command: [node, model.mjs]\n${line}\n`;
  expect(readProblem(text, 'problem').violations.map((one) => one.key)).toEqual([key]);
});
