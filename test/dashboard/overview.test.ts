import { describe, expect, it } from 'vitest';
import { addressOf, readChoice } from '../../src/dashboard/views/overview/choice.ts';
import { cornersOf } from '../../src/dashboard/views/overview/sparkline.ts';

describe('the choice of the overview', () => {
  it.each([
    ['', '/page'],
    ['state=running', '/page?state=running'],
    ['state=constructor&after=-1', '/page'],
    ['after=7.5', '/page'],
    ['after=57&find=a+%26b&state=stopped', '/page?state=stopped&find=a+%26b&after=57'],
  ])('Of the query "%s" the address %s is left', (query, address) => {
    expect(addressOf(readChoice(new URLSearchParams(query)))).toBe(address);
  });
});

describe('the line of a trend', () => {
  const box = { width: 90, height: 30 };

  it('It begins at the top, has a step at each nearer run and ends at the bottom when all is met', () => {
    expect(cornersOf({ iterations: [0, 1, 2, 3], misses: [10, 10, 0.1, 0] }, box)).toEqual([
      { x: 0, y: 0 },
      { x: 30, y: 0 },
      { x: 60, y: 0 },
      { x: 60, y: expect.closeTo(15) },
      { x: 90, y: expect.closeTo(15) },
      { x: 90, y: 30 },
    ]);
  });

  it.each([
    { iterations: [1], misses: [5] },
    { iterations: [1], misses: [0] },
    { iterations: [0, 1], misses: [0, 0] },
    { iterations: [4, 90_000], misses: [Number.MAX_VALUE, Number.MIN_VALUE] },
  ])('Its corners lie within the box: %o', (trend) => {
    for (const { x, y } of cornersOf(trend, box)) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(90);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(30);
    }
  });

  it('What is met from the start lies at the bottom', () => {
    expect(cornersOf({ iterations: [0, 1], misses: [0, 0] }, box).map(({ y }) => y)).toEqual([30, 30]);
  });
});
