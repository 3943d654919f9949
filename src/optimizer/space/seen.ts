import type { Variable } from '../interface/problem.ts';
import { squareToNearest } from '../linalg/dense.ts';
import type { RandomStream } from '../numerics/random.ts';
import { decode, type Encoding, everyInput, levelAt, nearestLevel, randomPoint } from './encoding.ts';
import type { SearchSpace } from './search-space.ts';

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
export function makeSeen(space: SearchSpace, X: Float64Array, count: number): Seen {
  const { n, variables, movable } = space.encoding;
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
      return space.isCounted ? countDistinct(space, X, count) : 0;
    },
  };
}

/** Number of distinct rows that are admissible inputs of the finite space. */
function countDistinct({ encoding, conditions }: SearchSpace, X: Float64Array, count: number): number {
  const { n, variables, movable } = encoding;
  const keys = new Set<string>();
  for (let i = 0; i < count; i++) {
    const levels: number[] = [];
    for (let v = 0; v < n; v++) {
      const variable = variables[v]!;
      const x = X[i * n + v]!;
      if (movable[v] === 0) continue;
      const isAdmissible = variable.fixedAt === undefined ? isLevel(variable, x) : x === variable.fixedAt;
      if (!isAdmissible) break;
      levels.push(x);
    }
    const isInside = levels.length === movable.reduce((sum, one) => sum + one, 0);
    const isAdmissible = conditions === null || conditions.admits(X.slice(i * n, (i + 1) * n));
    if (isInside && isAdmissible) keys.add(levels.join());
  }
  return keys.size;
}

/** Whether an input, such as one that was run before, may be proposed: it lies in the space, and conditions hold to the last bit. */
export function mayBeProposed({ encoding, conditions }: SearchSpace, x: Float64Array): boolean {
  return isInSpace(encoding, x) && conditions?.keepsAll(x) !== false;
}

/** Whether every value is one that its variable takes; known cases may lie outside. */
export function isInSpace({ variables, movable, discrete }: Encoding, x: Float64Array): boolean {
  return variables.every((variable, v) => {
    const { minimum, maximum, fixedAt } = variable;
    if (fixedAt !== undefined) return x[v] === fixedAt;
    if (movable[v] === 0) return x[v] === minimum;
    return discrete[v] === 1 ? isLevel(variable, x[v]!) : x[v]! >= minimum && x[v]! <= maximum;
  });
}

/** Whether x is one of the values of a discrete variable. */
function isLevel(variable: Variable, x: number): boolean {
  return levelAt(variable, nearestLevel(variable, x)) === x;
}

/**
 * Draws a random input that has not been evaluated to x, with its features in u; false when 1000 tries fail, or 30 under
 * conditions, where a walk makes each of them.
 */
export function drawUnseen(
  { encoding, conditions }: SearchSpace,
  seen: Seen,
  random: RandomStream,
  x: Float64Array,
  u: Float64Array,
): boolean {
  for (const point of conditions?.points(30, random) ?? []) {
    u.set(point);
    decode(encoding, u, x);
    if (!seen.has(x)) return true;
  }
  if (conditions !== null) return false;
  for (let attempt = 0; attempt < 1000; attempt++) {
    randomPoint(encoding, random, x, u);
    if (!seen.has(x)) return true;
  }
  return false;
}

/**
 * The first admissible point of a finite space, in the order of its levels, that has not been evaluated; null when all have
 * been, and for an infinite space. Without conditions it visits at most one point more than have been evaluated.
 */
export function firstUnseen({ encoding, conditions, isCounted }: SearchSpace, seen: Seen): Float64Array | null {
  if (!isCounted) return null;
  for (const x of everyInput(encoding)) {
    if (!seen.has(x) && (conditions === null || conditions.admits(x))) return x;
  }
  return null;
}

/** Random inputs among which the farthest is chosen. */
const DRAWN = 100;

/**
 * Returns the input farthest from some points (rows of features) in a random sample of those that have not been evaluated; null when none is found.
 */
export function drawFarthest(
  space: SearchSpace,
  seen: Seen,
  random: RandomStream,
  from: Float64Array,
): Float64Array | null {
  const x = new Float64Array(space.encoding.n);
  const u = new Float64Array(space.encoding.p);
  let best: Float64Array | null = null;
  let farthest = -1;
  for (let k = 0; k < DRAWN && drawUnseen(space, seen, random, x, u); k++) {
    const nearest = squareToNearest(u, from);
    if (nearest > farthest) {
      farthest = nearest;
      best = x.slice();
    }
  }
  return best;
}
