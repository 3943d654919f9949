import type { Encoding } from './encoding.ts';

/** The distance of `Solutions` between two points by their features (length p). */
export function makeDistance(encoding: Encoding): (a: Float64Array, b: Float64Array) => number {
  const weights = squareWeights(encoding);
  return (a, b) => {
    let square = 0;
    for (let f = 0; f < weights.length; f++) square += weights[f]! * (a[f]! - b[f]!) ** 2;
    return Math.sqrt(square);
  };
}

/** Length p: the factors of squared differences of features in a squared distance; 0 for what never changes. */
export function squareWeights({ p, owner, first, variables, movable }: Encoding): Float64Array {
  const isFree = (v: number) => movable[v] === 1 && variables[v]!.fixedAt === undefined;
  const free = Math.max(1, variables.filter((_, v) => isFree(v)).length);
  return Float64Array.from({ length: p }, (_, f) => {
    const v = owner[f]!;
    // Two levels of a one-hot category differ by 1 in two features; the range of a number is 2.
    return isFree(v) ? (first[v + 1]! - first[v]! > 1 ? 1 / 2 : 1 / 4) / free : 0;
  });
}
