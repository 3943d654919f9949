import { expect, test } from 'vitest';
import type { Evaluation } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { readDocument, readFailWord, writeEnvironment, writeMessage } from '../../src/runner/files/exchange.ts';
import { parseExitCodes } from '../../src/runner/programs/exit-codes.ts';
import { EVALUATION } from './evaluation-fixture.ts';

const NAMES = ['mass', 'sag'];

test.each([
  '[1.5, -2e3]',
  '{"mass": 1.5, "sag": -2000}',
  '{"output": [1.5, -2000]}',
  '{"outputs": {"sag": -2000, "mass": 1.5, "hints": "more than was asked for"}}',
  '["1.5", "-2.0D+03"]',
])('%s is an output', (text) => {
  expect(readDocument(text, { names: NAMES }, 'it')).toEqual({ kind: 'output', output: [1.5, -2000] });
});

test('points of a fit are taken from its array, by their places among all points', () => {
  const names = ['level[0]', 'level[2]', 'cost'];
  const read = (text: string) => readDocument(text, { names }, 'it');
  expect(read('{"level": [5, 4, 3], "cost": 1}')).toEqual({ kind: 'output', output: [5, 3, 1] });
  expect(read('{"level[0]": 5, "level[2]": 3, "cost": 1}')).toEqual({ kind: 'output', output: [5, 3, 1] });
  expect(read('{"level": [5, 4], "cost": 1}')).toMatchObject({ reason: 'it lacks the output level[2]' });
  expect(read('{"level": [5, 4, null], "cost": 1}')).toMatchObject({ reason: 'it: level[2] is not finite' });
});

test('an output may be called output', () => {
  expect(readDocument('{"output": 3, "mass": 1}', { names: ['mass', 'output'] }, 'it')).toMatchObject({
    output: [1, 3],
  });
  expect(readDocument('{"output": 3}', { names: ['mass'] }, 'it')).toMatchObject({ output: [3] });
  expect(readDocument('3', { names: ['mass'] }, 'it')).toMatchObject({ output: [3] });
});

test.each([
  ['[1, NaN]', 'not finite'],
  ['{"mass": Infinity, "sag": 1}', 'not finite'],
  ['[1, null]', 'sag is not finite'],
  ['[1, "-nan"]', 'sag is not finite'],
  ['{"failed": true, "reason": "the mesh broke"}', 'the mesh broke'],
])('%s is a failed run', (text, reason) => {
  expect(readDocument(text, { names: NAMES }, 'it')).toEqual({
    kind: 'failed',
    reason: expect.stringContaining(reason),
  });
});

test.each([
  ['1.5 2', 'it is not JSON: "1.5 2"'],
  ['[1]', 'it has 1 numbers, but there are 2 outputs: mass, sag'],
  ['[1, 2, 3]', 'it has 3 numbers'],
  ['{"mass": 1}', 'it lacks the output sag'],
  ['{"mass": 1, "sag": "a lot"}', 'sag is not a number: "a lot"'],
  ['[1, [2]]', 'sag is not a number: [2]'],
  ['[1, "0x10"]', 'sag is not a number'],
  ['true', 'neither a list nor an object'],
  ['{"mass": 1, "sag": 2, "mass": 3}', 'it: an object has the key "mass" twice'],
  ['{"mass": 1, "sag": NaN, "m\\u0061ss": 3}', 'an object has the key "mass" twice'],
])('%s cannot be read', (text, reason) => {
  expect(readDocument(text, { names: NAMES }, 'it')).toEqual({
    kind: 'unreadable',
    reason: expect.stringContaining(reason),
  });
});

test.each([
  ['fail', 'the program says that the run failed'],
  ['FAIL: no convergence', 'no convergence'],
  ['failed  after 3 tries', 'after 3 tries'],
  ['failure is no option', undefined],
  ['failed at t = 0', 'at t = 0'],
  ['failed: residual = 0', 'residual = 0'],
  ['Failed elements: 3', 'elements: 3'],
  ['fail: 0', '0'],
  ['Failed elements: 0', undefined],
  ['Failed: 0', undefined],
  ['FAILED ELEMENTS ........ 0 of 1200 (0.0 %)', undefined],
  ['Failed elements = 0.00 %', undefined],
  ['[1, 2]', undefined],
])('the word fail in %j', (line, reason) => {
  expect(readFailWord(line)).toBe(reason);
});

test('the message has the evaluation on one line, and the lease token only when asked for', () => {
  const message = writeMessage(EVALUATION, false);
  expect(message).toMatch(/^[^\n]*\n$/);
  const { leaseToken, ...rest } = EVALUATION;
  expect(JSON.parse(message)).toEqual(rest);
  expect(JSON.parse(writeMessage(EVALUATION, true))).toEqual({ ...rest, leaseToken });
});

test('the environment names inputs in letters, digits and underscores, unless two names would become one', () => {
  const inputByName = { length: 3.5, 'incubation, days': 4, 'a b': 1, a_b: 2, '%': 3, 'Länge (mm)': 1 };
  const evaluation: Evaluation = { ...EVALUATION, inputByName };
  expect(writeEnvironment(evaluation)).toEqual({
    BACKSOLVE_EVALUATION_ID: '91',
    BACKSOLVE_TRY: '1',
    BACKSOLVE_BATCH_ID: '5',
    BACKSOLVE_INPUT_LENGTH: '3.5',
    BACKSOLVE_INPUT_INCUBATION_DAYS: '4',
    BACKSOLVE_INPUT_L_NGE_MM: '1',
  });
});

test('exit codes mean what is documented, and what is asked for', () => {
  const usual = parseExitCodes(undefined);
  expect([0, 1, 2, 75, 126, 127, 128, 137, 143, 160, 255].map(usual)).toEqual([
    'output',
    'fail',
    'fail',
    'retry',
    'fault',
    'fault',
    'fail',
    'retry',
    'retry',
    'fail',
    'fail',
  ]);
  const given = parseExitCodes('3=retry, 4=abort,1=output');
  expect([0, 1, 2, 3, 4].map(given)).toEqual(['output', 'output', 'fail', 'retry', 'abort']);
  for (const wrong of ['3', '3=again', '300=retry', '3=retry=4', '-1=retry', '3=retry,3=fail', ',']) {
    expect(() => parseExitCodes(wrong), wrong).toThrow('--on-exit');
  }
});
