import { describe, expect, it } from 'vitest';
import { collectCases } from '../../src/optimizer/goal/cases.ts';
import { stallOf } from '../../src/optimizer/goal/targets.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';

describe('the stall', () => {
  const loss = Float64Array.of(4, 1, 3, 2, 5, 0.95, 6);

  it('counts the evaluations since the loss last fell below 0.9 of the smallest before', () => {
    expect(stallOf(loss)).toBe(5);
    expect(stallOf(loss.subarray(0, 2))).toBe(0);
  });

  it('counts none of the evaluations that were made for other targets', () => {
    expect([0, 2, 4, 6, 7].map((own) => stallOf(loss, own))).toEqual([5, 5, 3, 1, 0]);
  });

  it('starts at the first own row of a history, failed runs not counted', () => {
    const asked: SuggestRequest = {
      space: { variables: [{ kind: 'float', minimum: 0, maximum: 1 }] },
      goal: {
        targets: [{ lower: 0, upper: 0, lowerOpen: false, upperOpen: false, direction: 'none' }],
        l1: null,
      },
      history: {
        count: 6,
        X: Float64Array.of(0, 0.1, 0.2, 0.3, 0.4, 0.5),
        Y: Float64Array.of(1, 2, 0, 3, 4, 5),
        failed: Uint8Array.of(0, 0, 1, 0, 0, 0),
      },
      firstSuggested: 5,
      firstOwn: 4,
      convergence: 1e-6,
      seed: 1,
      workLimit: 100,
    };
    const { encoding } = prepare(asked);
    expect(collectCases(asked, encoding).stall).toBe(2);
    expect(collectCases({ ...asked, firstOwn: 0 }, encoding).stall).toBe(4);
  });
});
