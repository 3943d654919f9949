import { expect, it } from 'vitest';
import {
  describeMiss,
  describeProbability,
  probabilityOf,
  whyEnded,
} from '../../clients/typescript/src/evaluator/nearness.ts';

const output = { name: 'T', unit: 'K' };

it.each([
  [{ value: 384, miss: 0.5, missedBy: 1 }, 'T = 384 K is 1 K above 383 K'],
  [{ value: 370.1234567, miss: 4, missedBy: -8.8765433 }, 'T = 370.12 K is 8.8765 K below 379 K'],
  [{ value: -197, miss: 0.5, missedBy: 1 }, 'T = -197 K is 1 K above -198 K'],
  [{ value: 3, miss: Number.MIN_VALUE, missedBy: 0 }, 'T = 3 K is at its limit and not beyond it'],
  [{ value: 380, miss: 0, missedBy: 0 }, undefined],
  // One of several exact outputs whose sum is within the threshold.
  [{ value: 2.5, miss: 0, missedBy: 0.5 }, undefined],
])('%j reads: %s', (missed, text) => {
  expect(describeMiss(output, missed)).toBe(text);
});

it('The probability is that of one run or of the mean, as was asked for', () => {
  const standing = { run: { value: 0.834, low: 0.71, high: 0.923 }, mean: { value: 1, low: 1, high: 1 } };
  const asked = { confidence: 0.95 };
  expect(describeProbability(probabilityOf(standing, asked)!, asked)).toBe(
    'everything is met in each run with a probability of 0.83 (0.71 to 0.92), 0.95 was asked for',
  );
  expect(probabilityOf(standing, { ...asked, confidenceOf: 'mean' })).toBe(standing.mean);
  expect(probabilityOf(standing, {})).toBeUndefined();
  expect(probabilityOf(null, asked)).toBeUndefined();
});

it('Why the service ended a search is told without its own number of the best run', () => {
  expect(
    whyEnded('Stopped: the models expect no further improvement; the nearest run, iteration 15, misses T by 2.'),
  ).toBe('Stopped: the models expect no further improvement');
  expect(whyEnded('Stopped: the best output cost = 1.7 of iteration 23 has not improved; more.')).toBe(
    'Stopped: the best output cost = 1.7 has not improved',
  );
  expect(whyEnded(null)).toBeUndefined();
});
