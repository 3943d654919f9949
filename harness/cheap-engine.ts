/** A trivially cheap optimizer, so that only the cost of the service itself remains. */
import type { Engine } from '../src/engine/pool.ts';

/** Proposes the points of a Weyl sequence, by the number of known cases, and runs in the calling thread. */
export function makeCheapEngine(): Engine {
  return {
    design: () => Promise.reject(new Error('the cheap engine designs no cases')),
    designApart: () => Promise.reject(new Error('the cheap engine designs no cases')),
    suggest: async ({ space, history }) => {
      const input = Float64Array.from(space.variables, ({ minimum, maximum }, i) => {
        const share = ((history.count + 1) * (i + 1) * 0.6180339887498949) % 1;
        return minimum + share * (maximum - minimum);
      });
      return { ok: true, result: { kind: 'candidate', input, expected: null, chance: null }, elapsedNs: 1_000 };
    },
    explain: async () => ({ ok: true, result: { insight: null, diagnosis: null }, elapsedNs: 0 }),
    robustness: async () => ({ ok: true, result: null, elapsedNs: 0 }),
    fit: async () => ({ ok: true, result: null, elapsedNs: 0 }),
    identifiability: async () => ({ ok: true, result: null, elapsedNs: 0 }),
    predictions: async () => ({ ok: true, result: null, elapsedNs: 0 }),
    solutions: () => Promise.reject(new Error('the cheap engine finds no solutions')),
    front: () => Promise.reject(new Error('the cheap engine finds no front')),
    close: async () => undefined,
  };
}
