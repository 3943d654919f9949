import { describe, expect, it } from 'vitest';
import { checkSearchOptions, searchOptionsOf } from '../../../src/domain/search/search-options.ts';

const wrong = (fields: Parameters<typeof checkSearchOptions>[0] & { readonly objectives: readonly number[] }) =>
  checkSearchOptions(fields, fields).map(({ pointer, message }) => [pointer, message]);

describe('search options', () => {
  it('What asks for nothing is not stored', () => {
    expect(searchOptionsOf({})).toBeNull();
    expect(searchOptionsOf({ weights: null, priorities: null })).toBeNull();
    expect(searchOptionsOf({ weights: [1, null], priorities: [2, 2] })).toBeNull();
  });

  it('null is the default of an entry', () => {
    expect(searchOptionsOf({ weights: [null, 4], priorities: [null, 2] })).toEqual({
      weights: [1, 4],
      priorities: [1, 2],
    });
  });

  it('Every wrong entry is named', () => {
    expect(wrong({ objectives: [1, 2], weights: [0, 101], priorities: [4, 1.5] })).toEqual([
      ['/weights/0', 'must be from 0.01 to 100, is 0.'],
      ['/weights/1', 'must be from 0.01 to 100, is 101.'],
      ['/priorities/0', 'must be 1, 2 or 3, is 4.'],
      ['/priorities/1', 'must be 1, 2 or 3, is 1.5.'],
    ]);
    expect(wrong({ objectives: [1, 2], weights: [1], priorities: [1, 2, 3] })).toEqual([
      ['/weights', 'must have one value per objective (2), has 1.'],
      ['/priorities', 'must have one value per objective (2), has 3.'],
    ]);
  });

  it('exact has weights and no priorities', () => {
    const exact = { objectives: [1, 2], objectiveTypes: ['exact', 'exact'] };
    expect(wrong({ ...exact, weights: [1, 5] })).toEqual([]);
    expect(wrong({ ...exact, priorities: [1, 2] })).toEqual([['/priorities', expect.stringContaining('exact')]]);
  });

  it('Asking for more than one run estimates the noise unless it is stated', () => {
    expect(searchOptionsOf({ confidence: 0.9 })).toEqual({
      noise: 'estimate',
      confidence: 0.9,
      confidenceOf: 'run',
    });
    expect(searchOptionsOf({ confirm: 3, noise: { standardDeviations: [0, 2] } })).toEqual({
      noise: { standardDeviations: [0, 2] },
      confirm: 3,
    });
    expect(searchOptionsOf({ confirm: 1 })).toBeNull();
  });

  it('What is wrong about noise is named', () => {
    const objectives = [1, 2];
    expect(wrong({ objectives, noise: { standardDeviations: [1, -1] } })).toEqual([
      ['/noise/standardDeviations/1', 'must be finite and at least 0, is -1.'],
    ]);
    expect(wrong({ objectives, noise: { standardDeviations: [1] } })).toEqual([
      ['/noise/standardDeviations', 'must have one value per objective (2), has 1.'],
    ]);
    expect(wrong({ objectives, confirm: 2.5, confidence: 0.4, confidenceOf: 'mean' })).toEqual([
      ['/confirm', 'must be a whole number from 1 to 20, is 2.5.'],
      ['/confidence', 'must be from 0.5 to 0.999, is 0.4.'],
    ]);
    expect(wrong({ objectives, confidenceOf: 'mean' })).toEqual([
      ['/confidenceOf', expect.stringContaining('state confidence')],
    ]);
  });
});
