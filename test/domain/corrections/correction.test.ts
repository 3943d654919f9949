import { describe, expect, it, test } from 'vitest';
import {
  areEqualResults,
  changeResult,
  copyResult,
  correctionSize,
  resultOf,
} from '../../../src/domain/corrections/correction.ts';
import type { RunResult } from '../../../src/domain/data/run-result.ts';
import { surprisesOf } from '../../../src/domain/search/expectation.ts';
import type { Inverse } from '../../../src/domain/search/inverse.ts';

const ran: RunResult = { output: [1, 2], jacobian: null, failureReason: null, isExcluded: false };
const failed: RunResult = { output: null, jacobian: null, failureReason: 'mesh collapsed', isExcluded: true };

describe('a correction of a result', () => {
  test.each([
    ['an output replaces the old one', ran, { kind: 'output', output: [3, 2] }, { ...ran, output: [3, 2] }],
    [
      'an output takes a failure back and leaves it excluded',
      failed,
      { kind: 'output', output: [3, 2] },
      { ...failed, output: [3, 2], jacobian: null, failureReason: null },
    ],
    [
      'a failure replaces an output',
      ran,
      { kind: 'failed', failureReason: 'leak' },
      { output: null, jacobian: null, failureReason: 'leak', isExcluded: false },
    ],
    ['a failure without a reason keeps the known one', failed, { kind: 'failed', failureReason: null }, failed],
    [
      'a failure takes another reason',
      failed,
      { kind: 'failed', failureReason: 'leak' },
      { ...failed, failureReason: 'leak' },
    ],
    ['an exclusion keeps the output', ran, { kind: 'excluded', isExcluded: true }, { ...ran, isExcluded: true }],
    ['an exclusion is taken back', failed, { kind: 'excluded', isExcluded: false }, { ...failed, isExcluded: false }],
  ] as const)('%s', (_, known, change, expected) => {
    expect(changeResult(known, change)).toEqual(expected);
  });

  it('Two results are equal when output, failure and exclusion are', () => {
    expect(areEqualResults(ran, { ...ran, output: [1, 2] })).toBe(true);
    for (const other of [{ ...ran, output: [1, 3] }, { ...ran, output: null }, { ...ran, isExcluded: true }, failed]) {
      expect(areEqualResults(ran, other)).toBe(false);
      expect(areEqualResults(other, ran)).toBe(false);
    }
    expect(areEqualResults(failed, { ...failed, failureReason: null })).toBe(false);
  });

  it('The size of a correction counts its numbers and the bytes of its texts', () => {
    const size = correctionSize({ before: ran, after: { ...failed, failureReason: 'é' }, reason: 'typo' });
    expect(size).toEqual({ bytes: 256 + 16 + 2 + 4, rows: 1 });
  });
});

describe('derivatives in corrections', () => {
  const known: RunResult = { ...ran, jacobian: [5, Number.NaN] };

  it('The same output keeps its derivatives, another one has those that come with it or none, and null removes them', () => {
    const jacobianAfter = (change: object) =>
      changeResult(known, { kind: 'output', output: [1, 2], ...change }).jacobian;
    expect(jacobianAfter({})).toEqual([5, Number.NaN]);
    expect(jacobianAfter({ output: [1, 3] })).toBeNull();
    expect(jacobianAfter({ output: [1, 3], jacobian: [6, 7] })).toEqual([6, 7]);
    expect(jacobianAfter({ jacobian: [6, 7] })).toEqual([6, 7]);
    expect(jacobianAfter({ jacobian: null })).toBeNull();
    expect(changeResult(known, { kind: 'failed', failureReason: null }).jacobian).toBeNull();
    expect(changeResult(known, { kind: 'excluded', isExcluded: true }).jacobian).toEqual([5, Number.NaN]);
  });

  it('Derivatives that differ make results differ, unknown ones are equal', () => {
    expect(areEqualResults(known, { ...known, jacobian: [5, Number.NaN] })).toBe(true);
    expect(areEqualResults(known, { ...known, jacobian: [5, 1] })).toBe(false);
    expect(areEqualResults(known, ran)).toBe(false);
  });

  it('A copy of a case takes the derivatives with the output, and keeps its own where only they change', () => {
    const copy = { ...ran, output: [1, 2], jacobian: [9, 9] };
    expect(copyResult(copy, { before: ran, after: { ...ran, output: [3, 2], jacobian: [6, 7] } }).jacobian).toEqual([
      6, 7,
    ]);
    expect(copyResult(copy, { before: ran, after: known }).jacobian).toEqual([9, 9]);
  });

  it('They count as storage', () => {
    expect(correctionSize({ before: known, after: ran, reason: '' }).bytes).toBe(256 + 8 * 6);
  });
});

describe('what an inverse has for a correction', () => {
  const inverse: Pick<
    Inverse,
    'iteration' | 'status' | 'input' | 'output' | 'jacobian' | 'loadedAt' | 'failureReason' | 'excludedAt'
  > = {
    iteration: 4,
    status: 'active',
    input: [1],
    output: [1, 2],
    jacobian: null,
    loadedAt: new Date(0),
    failureReason: null,
    excludedAt: null,
  };

  it('A completed run and a failed run have a result', () => {
    expect(resultOf(inverse)).toEqual(ran);
    const excluded = { ...inverse, excludedAt: new Date(0) };
    expect(resultOf(excluded)).toEqual({ ...ran, isExcluded: true });
    expect(resultOf({ ...inverse, status: 'failed', output: null, jacobian: null, failureReason: 'leak' })).toEqual({
      output: null,
      jacobian: null,
      failureReason: 'leak',
      isExcluded: false,
    });
  });

  test.each([
    ['is still being computed', { input: null, output: null }],
    ['still waits for its output', { output: null }],
    ['repeats a known input', { status: 'stopped', loadedAt: null }],
    ['was given up before it had an output', { status: 'stopped', output: null }],
    ['was given up before it had an output', { status: 'stopped', input: null, output: null }],
    ['could not be computed', { status: 'failed', input: null, output: null }],
  ] as const)('An inverse that %s has none, and the refusal says what to do', (what, state) => {
    expect(() => resultOf({ ...inverse, ...state })).toThrow(
      expect.objectContaining({
        code: 'NOTHING_TO_CORRECT',
        message: expect.stringMatching(`Run 4 ${what}.*[;,] .+[.]`),
      }),
    );
  });
});

describe('an unexpected output', () => {
  it('Is one outside the range of the model, whose ends are expected', () => {
    const expected = [0, 10, -5, 1, 10, 5];
    expect(surprisesOf({ output: [1, 10, -5], expected })).toEqual([]);
    expect(surprisesOf({ output: [1.5, 10, -50], expected })).toEqual([
      { output: 0, value: 1.5, minimum: 0, maximum: 1 },
      { output: 2, value: -50, minimum: -5, maximum: 5 },
    ]);
    expect(surprisesOf({ output: null, expected })).toEqual([]);
    expect(surprisesOf({ output: [1e300], expected: null })).toEqual([]);
  });
});
