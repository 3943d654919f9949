/** Tests the words for how near an objective came. */
import { describe, expect, test } from 'vitest';
import { bestText, fitText, reachedText } from '../../src/presentation/nearness.ts';

const head = {
  bestMisses: [95.05, 142.92],
  bestMissedBy: [1.4257, 0.7146],
  bestIteration: 6,
  bestCaseNumber: null,
  optimalIteration: null,
  objectives: [1.5, 0.5],
  objectiveTypes: ['value' as const, 'value' as const],
  l1Threshold: null,
  outputNames: ['mass', 'sag'],
  outputUnits: ['kg', 'mm'],
  confidence: null,
  confidenceOf: null,
  standing: null,
};

describe('the best run', () => {
  test('is told with its misses in the units of the outputs, the worst first', () => {
    expect(bestText(head)).toBe('Best: run 6, 0 of 2 met; misses sag by 0.715 mm and mass by 1.43 kg');
  });

  test('misses a limit of 0 by what it is off, not by a share', () => {
    const spare = { objectives: [0], bestMisses: [34_400], bestMissedBy: [-344], outputNames: ['spare'] };
    const off = { ...head, ...spare, outputUnits: null };
    expect(bestText(off)).toBe('Best: run 6, 0 of 1 met; misses spare by 344');
  });

  test('of many outputs tells the three worst', () => {
    const many = {
      objectives: [0, 0, 0, 0, 0],
      outputNames: null,
      outputUnits: null,
      bestMisses: [1, 5, 2, 4, 0],
      bestMissedBy: [1, 5, 2, 4, 0],
    };
    expect(bestText({ ...head, ...many })).toBe('Best: run 6, 1 of 5 met; misses y2 by 5, y4 by 4, y3 by 2 and 1 more');
  });

  test('of exact objectives is told by the sum', () => {
    const exact = { ...head, bestMisses: [20, 20], l1Threshold: 0.1 };
    expect(bestText(exact)).toContain('the sum of all differences is 2.14 where 0.1 is allowed');
  });

  test('has met the targets only if it has met all of them, aspirations too', () => {
    const met = { bestMisses: [0, 0], bestMissedBy: [0, 0] };
    expect(bestText({ ...head, optimalIteration: 6 })).toContain('misses');
    expect(bestText({ ...head, optimalIteration: 6, ...met })).toBe('Met at run 6');
    expect(bestText({ ...head, bestIteration: null, bestCaseNumber: 2, ...met })).toBe(
      'Best: known case 2, 2 of 2 met',
    );
  });

  test('is the cheapest one where one output is minimized, and the compromise of a front', () => {
    const met = { bestMisses: [0, 0], bestMissedBy: [0, 0], optimalIteration: 6 };
    const cheapest = {
      ...head,
      ...met,
      objectives: [null, 0.5],
      objectiveTypes: ['minimize' as const, 'value' as const],
    };
    expect(bestText(cheapest)).toBe('Best: run 6, 1 of 1 met');
    const front = { ...cheapest, objectives: [null, null], objectiveTypes: ['minimize' as const, 'maximize' as const] };
    expect(bestText(front)).toBe('Best compromise of its own runs: run 6');
  });

  test('of a fit is its best fit, as long as it meets the limits', () => {
    const fit = {
      ...head,
      objectives: [1.5, null],
      objectiveTypes: ['fit' as const, 'fit' as const],
    };
    expect(bestText({ ...fit, bestMisses: [0, 0], bestMissedBy: [0, 0] })).toBe('Best fit: run 6');
    const limited = { ...fit, objectives: [1.5, 2], objectiveTypes: ['fit' as const, 'lessthan_equal' as const] };
    const missed = { bestMisses: [0, 3], bestMissedBy: [0, 0.06] };
    expect(bestText({ ...limited, ...missed })).toBe('Best: run 6, 0 of 1 met; misses sag by 0.06 mm');
  });
});

test('How well the best run fits is told by chi-square, or by the residuals where standard errors are unknown', () => {
  const fit = {
    ...{ points: 4, freedom: 1, chiSquare: 2.5, reducedChiSquare: 2.5, probability: 0.1, runsProbability: null },
    isBeyondChance: false,
    ...{ worst: [], warnings: [], sets: [{ name: null, points: 4, sumOfSquares: 2.5, scale: 0.125 }] },
  };
  expect(fitText({ fit })).toBe('Chi-square 2.5 with 1 degree of freedom, 2.5 per degree');
  const unknown = { ...fit, chiSquare: null, reducedChiSquare: null };
  expect(fitText({ fit: unknown })).toBe('Residuals of standard deviation 0.125 at 4 points');
  expect(fitText({ fit: null })).toBeUndefined();
});

test('The probability reached is told beside the one asked for', () => {
  const standing = {
    caseCount: 9,
    inverseId: null,
    input: [1],
    runs: 4,
    run: { value: 0.72, low: 0.6, high: 0.81 },
    mean: { value: 0.97, low: 0.9, high: 0.99 },
  };
  const asked = { ...head, confidence: 0.9, confidenceOf: 'run' as const, standing };
  expect(reachedText(asked)).toBe('Met with a probability of 72 % (60 % to 81 %); 90 % is required');
  expect(reachedText({ ...asked, confidenceOf: 'mean' })).toContain('Met with a probability of 97 %');
  expect(reachedText({ ...asked, standing: null })).toBeUndefined();
  expect(reachedText(head)).toBeUndefined();
});
