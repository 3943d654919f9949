/** Answers to an evaluator are checked before they are used. */
import { describe, expect, it } from 'vitest';
import { readEvaluations, readHeartbeat, readState } from '../../clients/typescript/src/evaluator/claimed-answer.ts';
import { EVALUATION } from './evaluation-fixture.ts';

describe('a claim', () => {
  it('gives the evaluations of the service, with all that later versions add', () => {
    const evaluations = [
      { ...EVALUATION, later: {} },
      { ...EVALUATION, kind: 'case', trialId: null, objectiveId: null, inverseId: null, caseNumber: 1 },
      // Stored before names had to be printable.
      { ...EVALUATION, inputByName: { 'a\u001b[2J': 1, b: true }, outputNames: ['p\n', 'q'] },
    ];
    expect(readEvaluations({ evaluations }, 3)).toEqual(evaluations);
    expect(readEvaluations({ evaluations: [] }, 1)).toEqual([]);
  });

  it.each([
    [null, 'evaluations must be a list of at most 1, is missing'],
    ['text', 'evaluations must be a list of at most 1, is missing'],
    [{ evaluations: {} }, 'evaluations must be a list of at most 1, is {}'],
    [{ evaluations: [EVALUATION, EVALUATION] }, 'evaluations must be a list of at most 1'],
    [{ evaluations: [null] }, 'evaluations[0].id must be a whole number from 1, is missing'],
  ])('that answers %j is refused', (body, message) => {
    expect(() => readEvaluations(body, 1)).toThrow(message);
  });

  it.each([
    ['id', '../../x'],
    ['id', 1.5],
    ['id', 0],
    ['try', '1/../../x'],
    ['leaseToken', { toString: 'x' }],
    ['input', [1, null]],
    ['input', 'abc'],
    ['inputByName', null],
    ['inputByName', { a: { b: 1 } }],
    ['inputByName', { ['x'.repeat(1_001)]: 1 }],
    ['outputNames', [1]],
    ['outputNames', Array.from({ length: 10_001 }, () => 'y')],
    ['outputCount', -1],
    ['timeoutSeconds', '60'],
    ['caseNumber', '1'],
  ])('whose %s is %j is refused with that', (field, value) => {
    const body = { evaluations: [{ ...EVALUATION, [field]: value }] };
    expect(() => readEvaluations(body, 1)).toThrow(`evaluations[0].${field} must be`);
  });
});

it('Other answers are refused as well', () => {
  expect(readHeartbeat({ isWanted: false, leaseExpiresAt: 'x' }).isWanted).toBe(false);
  expect(() => readHeartbeat(null)).toThrow('isWanted must be true or false, is missing');
  expect(readState({ state: 'done', inverse: { status: 'active' } }).inverse?.status).toBe('active');
  expect(readState({ state: 'done', inverse: null }).state).toBe('done');
  expect(() => readState([])).toThrow('state must be text');
  expect(() => readState({ state: 'done', inverse: {} })).toThrow('inverse.status must be text');
});
