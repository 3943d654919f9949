import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { seedOf } from '../../src/domain/seed.ts';

describe('a seed', () => {
  // FNV-1a of the JSON text in UTF-8, computed independently; stored designs depend on it.
  test.each([
    [[], 1947613349],
    [[1, 2.5, 'é'], 700590521],
    [{ a: [0.1, -3] }, 3260711633],
  ])('The seed of %j is %i', (data, expected) => {
    expect(seedOf(data)).toBe(expected);
  });

  it('A seed is an unsigned 32-bit number, the same for the same data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const seed = seedOf(data);
        expect(seed).toBe(seed >>> 0);
        expect(seedOf(structuredClone(data))).toBe(seed);
      }),
    );
  });
});
