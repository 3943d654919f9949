/** Seeded random numbers for the noisy problems and for generated coefficients. */
import type { RunIdentity } from './problem.ts';

/** Uniform in [0, 1): mulberry32, 32 bits of state, public domain (T. Ettinger, 2017). */
export function makeUniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Standard normal numbers by Box and Muller (1958); one of each pair is dropped to keep the stream simple. */
export function makeNormal(seed: number): () => number {
  const uniform = makeUniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** The noise of one evaluation: a repeated run draws the same numbers. */
export function makeRunNoise(run: RunIdentity): () => number {
  return makeNormal(Math.imul(run.seed + 1, 0x9e3779b1) ^ Math.imul(run.index + 1, 0x85ebca6b));
}
