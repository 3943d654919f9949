/** A stream of pseudo-random numbers that depends on its seeds only. */
export interface RandomStream {
  /** Uniform in [0, 1), 32 random bits. */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
  /** Whole number in [0, count). */
  below(count: number): number;
}

/**
 * Small fast counting generator, sfc32, with 128 bits of state.
 *
 * @param seeds whole numbers, taken modulo 2^32; the stream depends on each of them and on their order
 * Source: Doty-Humphrey, PractRand 0.95, sfc32; its seeding too discards the first twelve outputs. Normal numbers by Box
 * and Muller 1958.
 */
export function makeRandom(...seeds: readonly number[]): RandomStream {
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88 | 0;
  let c = 0xb7e15162 | 0;
  let counter = 1;

  function next(): number {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  }

  for (const seed of seeds) {
    a ^= seed | 0;
    b = (b + Math.imul(seed | 0, 0x85ebca6b)) | 0;
    for (let i = 0; i < 12; i++) next();
  }

  const uniform = () => next() / 4294967296;
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    below: (count) => Math.floor(uniform() * count),
  };
}
