import { expect, it } from 'vitest';
import { describeProbability, probabilityOf } from '../../clients/typescript/src/evaluator/nearness.ts';

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
