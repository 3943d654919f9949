import { expect, it } from 'vitest';
import {
  describeMisses,
  describeProbability,
  missedBy,
  probabilityOf,
  whyEnded,
} from '../../clients/typescript/src/evaluator/nearness.ts';

const wanted = (type: string, target: number | null, lower: number | null = null, upper: number | null = null) => ({
  name: 'T',
  unit: 'K',
  type,
  target,
  lower,
  upper,
});

it.each([
  [wanted('value', 380, -1, 3), 384, 'T = 384 K is 1 K above 383 K'],
  [wanted('value', 380, -1, 3), 370.1234567, 'T = 370.12 K is 8.8765 K below 379 K'],
  [wanted('percent', -200, -1, 1), -197, 'T = -197 K is 1 K above -198 K'],
  [wanted('lessthan_equal', 0.5), 1.21462, 'T = 1.2146 K is 0.71462 K above 0.5 K'],
  [wanted('greaterthan', 3), 1, 'T = 1 K is 2 K below 3 K'],
  [wanted('greaterthan', 3), 3, 'T = 3 K is at its limit and not beyond it'],
  [wanted('maximize', 45), 40, 'T = 40 K is 5 K below 45 K'],
  [wanted('exact', 2), 2.5, 'T = 2.5 K is 0.5 K above 2 K'],
])('%j with %d reads: %3$s', (output, value, text) => {
  expect(describeMisses([output], [value], [1])).toEqual([text]);
});

it('What is met, or has no limit, misses nothing', () => {
  expect(describeMisses([wanted('value', 380, -1, 1)], [380], [0])).toEqual([]);
  expect(missedBy(wanted('minimize', null), 1e9)).toBe(0);
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
