import type { Engine } from '../../src/engine/pool.ts';

/** The part of a stand-in engine that has nothing to explain. */
export const explainNothing: Pick<Engine, 'explain'> = {
  explain: async () => ({ ok: true, result: { insight: null, diagnosis: null }, elapsedNs: 0 }),
};
