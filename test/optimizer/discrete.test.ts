import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, within } from '../../harness/optimizer-game.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { neighboursOf, pairNeighboursOf } from '../../src/optimizer/search/discrete.ts';
import { makeEncoding, randomPoint } from '../../src/optimizer/space/encoding.ts';
import { spaces } from './arbitraries.ts';

function changed(a: Float64Array, b: Float64Array): number[] {
  return Array.from(a, (value, v) => (value === b[v] ? -1 : v)).filter((v) => v >= 0);
}

describe('the search over discrete variables', () => {
  it('The search over discrete variables lists each neighbour once, inside the space and with one or two discrete variables changed', () => {
    fc.assert(
      fc.property(spaces, fc.nat(), (space, seed) => {
        const encoding = makeEncoding(space);
        const random = makeRandom(seed);
        const x = new Float64Array(encoding.n);
        randomPoint(encoding, random, x, new Float64Array(encoding.p));
        const pairs = pairNeighboursOf(encoding, x, 20, random);
        expect(pairs.length).toBeLessThanOrEqual(20);
        for (const [count, list] of [
          [1, neighboursOf(encoding, x)],
          [2, pairs],
        ] as const) {
          expect(new Set(list.map((one) => one.join())).size).toBe(list.length);
          for (const one of list) {
            const at = changed(one, x);
            expect(at).toHaveLength(count);
            for (const v of at) {
              const { minimum, maximum } = space.variables[v]!;
              expect(encoding.discrete[v]).toBe(1);
              expect(one[v]).toBeGreaterThanOrEqual(minimum);
              expect(one[v]).toBeLessThanOrEqual(maximum);
            }
          }
        }
      }),
    );
  });

  it('changes two variables at a time: within twenty suggestions it finds a gear ratio that no single wheel improves', () => {
    // Sandgren's gear train: 19 * 16 / (43 * 49) = 0.144281, where one tooth more or less on any wheel leads away.
    const wheel = { kind: 'integer', minimum: 12, maximum: 60 } as const;
    const ratio = (19 * 16) / (43 * 49);
    for (const seed of [2, 4]) {
      const goal = { targets: [within(ratio, 1e-5)], l1: null };
      const evaluate = ([a, b, c, d]: readonly number[]) => [(a! * b!) / (c! * d!)];
      expect(play({ variables: [wheel, wheel, wheel, wheel], goal, evaluate, seed }, 20).solvedAt).toBeGreaterThan(0);
    }
  });
});
