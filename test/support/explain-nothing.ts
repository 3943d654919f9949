import type { Engine } from '../../src/engine/pool.ts';

/** Substitute for the engine's explanations, which says nothing of the models. */
export const explainNothing: Pick<Engine, 'explain' | 'robustness' | 'identifiability' | 'fit' | 'predictions'> = {
  robustness: async () => ({ ok: true, result: null, elapsedNs: 0 }),
  fit: async () => ({ ok: true, result: null, elapsedNs: 0 }),
  predictions: async () => ({ ok: true, result: null, elapsedNs: 0 }),
  identifiability: async () => ({ ok: true, result: null, elapsedNs: 0 }),
  explain: async () => ({ ok: true, result: { insight: null, diagnosis: null }, elapsedNs: 0 }),
};
