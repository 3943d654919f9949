import type { Engine } from '../../src/engine/pool.ts';

/** The `explain` of a substitute engine, without any insight. */
export const explainNothing: Pick<Engine, 'explain'> = {
  explain: async () => ({ ok: true, result: { insight: null, diagnosis: null }, elapsedNs: 0 }),
};
