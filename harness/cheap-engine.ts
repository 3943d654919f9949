/** A trivially cheap optimizer in place of the real one: what remains is the cost of the service itself. */
import type { Engine } from '../src/engine/pool.ts';

/** Proposes points of a fixed sequence (a Weyl sequence by the number of known cases); answers in this thread. */
export function makeCheapEngine(): Engine {
  return {
    design: () => Promise.reject(new Error('the benchmark brings its own cases')),
    suggest: async ({ space, history }) => {
      const input = Float64Array.from(space.variables, ({ minimum, maximum }, i) => {
        const share = ((history.count + 1) * (i + 1) * 0.6180339887498949) % 1;
        return minimum + share * (maximum - minimum);
      });
      return { ok: true, result: { kind: 'candidate', input }, elapsedNs: 1_000 };
    },
    explain: async () => ({ ok: true, result: { insight: null, diagnosis: null }, elapsedNs: 0 }),
    close: async () => undefined,
  };
}
