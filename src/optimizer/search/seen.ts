import type { RandomStream } from '../numerics/random.ts';
import { type Coding, levelCount, randomPoint } from '../space.ts';

const DIGITS = 12;
/** A box narrower than this share of its position is compared by the offset from its lower bound. */
const NARROW_BOX = 1e-6;

/** The inputs evaluated so far, to be compared at 12 significant digits. */
export interface Seen {
  /** True when x (length n) equals a row. */
  has(x: Float64Array): boolean;
  /** Number of distinct rows. */
  readonly distinct: number;
}

/**
 * @param X count x n, natural units. `has` costs one pass with early exits, `distinct` is counted when it is read, and only
 * for finite spaces (Infinity would be wrong, so 0 stands for the others).
 */
export function makeSeen(coding: Coding, X: Float64Array, count: number): Seen {
  const { n, variables, movable } = coding;
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
      return Number.isFinite(coding.size) ? countDistinct(coding, X, count) : 0;
    },
  };
}

/** Distinct rows that are points of the (finite) space. */
function countDistinct({ n, variables, movable }: Coding, X: Float64Array, count: number): number {
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

/** A random point that was not evaluated, as features in u and natural units in x; false when 1000 tries fail. */
export function drawUnseen(
  coding: Coding,
  seen: Seen,
  random: RandomStream,
  x: Float64Array,
  u: Float64Array,
): boolean {
  for (let attempt = 0; attempt < 1000; attempt++) {
    randomPoint(coding, random, x, u);
    if (!seen.has(x)) return true;
  }
  return false;
}

/**
 * The first point of a finite space that was not evaluated, counting through its levels; null when all were, and for infinite spaces. Visits
 * at most one point more than there are evaluated ones.
 */
export function firstUnseen(coding: Coding, seen: Seen): Float64Array | null {
  if (!Number.isFinite(coding.size)) return null;
  const { n, variables, movable } = coding;
  const x = Float64Array.from(variables, (one, v) => (movable[v] === 0 ? one.minimum : Math.ceil(one.minimum)));
  for (let visited = 0; visited < coding.size; visited++) {
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
