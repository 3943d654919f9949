import { type Encoding, levelCount, randomPoint } from '../encoding.ts';
import type { RandomStream } from '../numerics/random.ts';

const DIGITS = 12;
/** In a box narrower than this share of its position, inputs are compared by their offset from the lower bound. */
const NARROW_BOX = 1e-6;

/** The inputs evaluated so far, compared at 12 significant digits. */
export interface Seen {
  /** True when x (length n) has been evaluated. O(count n), usually far less. */
  has(x: Float64Array): boolean;
  /** Number of distinct admissible inputs evaluated, recounted at every access; 0 for an infinite space. */
  readonly distinct: number;
}

/** @param X count x n, natural units */
export function makeSeen(encoding: Encoding, X: Float64Array, count: number): Seen {
  const { n, variables, movable } = encoding;
  const origin = variables.map(({ minimum, maximum }) =>
    maximum - minimum < NARROW_BOX * Math.max(Math.abs(minimum), Math.abs(maximum)) ? minimum : 0,
  );
  const isSame = (a: number, b: number, v: number) => {
    if (a === b || movable[v] === 0) return true;
    const c = a - origin[v]!;
    const d = b - origin[v]!;
    if (Math.abs(c - d) > 1.1e-11 * Math.max(Math.abs(c), Math.abs(d))) return false;
    return c.toPrecision(DIGITS) === d.toPrecision(DIGITS);
  };
  const has = (x: Float64Array) => {
    for (let i = 0; i < count; i++) {
      let v = 0;
      while (v < n && isSame(x[v]!, X[i * n + v]!, v)) v++;
      if (v === n) return true;
    }
    return false;
  };
  return {
    has,
    get distinct() {
      return Number.isFinite(encoding.size) ? countDistinct(encoding, X, count) : 0;
    },
  };
}

/** Number of distinct rows that are points of the finite space. */
function countDistinct({ n, variables, movable }: Encoding, X: Float64Array, count: number): number {
  const keys = new Set<string>();
  for (let i = 0; i < count; i++) {
    const levels: number[] = [];
    for (let v = 0; v < n; v++) {
      const { minimum, maximum } = variables[v]!;
      const x = X[i * n + v]!;
      if (movable[v] === 0) continue;
      if (!Number.isInteger(x) || x < minimum || x > maximum) break;
      levels.push(x);
    }
    if (levels.length === movable.reduce((sum, one) => sum + one, 0)) keys.add(levels.join());
  }
  return keys.size;
}

/** Draws a random input that has not been evaluated to x, with its features in u; false when 1000 tries fail. */
export function drawUnseen(
  encoding: Encoding,
  seen: Seen,
  random: RandomStream,
  x: Float64Array,
  u: Float64Array,
): boolean {
  for (let attempt = 0; attempt < 1000; attempt++) {
    randomPoint(encoding, random, x, u);
    if (!seen.has(x)) return true;
  }
  return false;
}

/**
 * The first point of a finite space, in the order of its levels, that has not been evaluated; null when all have been, and
 * for an infinite space. Visits at most one point more than have been evaluated.
 */
export function firstUnseen(encoding: Encoding, seen: Seen): Float64Array | null {
  if (!Number.isFinite(encoding.size)) return null;
  const { n, variables, movable } = encoding;
  const x = Float64Array.from(variables, (one, v) => (movable[v] === 0 ? one.minimum : Math.ceil(one.minimum)));
  for (let visited = 0; visited < encoding.size; visited++) {
    if (!seen.has(x)) return x;
    let v = 0;
    while (v < n) {
      if (movable[v] === 1) {
        x[v]! += 1;
        if (x[v]! - Math.ceil(variables[v]!.minimum) < levelCount(variables[v]!)) break;
        x[v] = Math.ceil(variables[v]!.minimum);
      }
      v++;
    }
  }
  return null;
}
