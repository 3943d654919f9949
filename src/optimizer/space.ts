import type { RandomStream } from './numerics/random.ts';
import type { Space, Variable } from './problem.ts';

/**
 * The encoded input space. Numbers go to [-1, 1], booleans and categories of two to -1 / +1, a category of K > 2
 * levels to one feature per level, one-hot minus 1 / K. A variable with one value only has the feature 0 and is
 * never moved.
 */
export interface Coding {
  readonly n: number;
  readonly p: number;
  readonly variables: readonly Variable[];
  /** First feature of each variable, with p appended: length n + 1. */
  readonly first: Int32Array;
  /** Variable of each feature, length p. */
  readonly owner: Int32Array;
  /** Box of the features, length p each. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** 1 where the variable has more than one value, length n. */
  readonly movable: Uint8Array;
  /** 1 where the variable takes whole values only (and is movable), length n. */
  readonly discrete: Uint8Array;
  /** Number of points of the space; Infinity as soon as one float moves or beyond 2^53. */
  readonly size: number;
}

/** Points outside the box by more than this many half widths are modelled as if they were that far. */
const FARTHEST = 5;

/** Number of whole values of a discrete variable. */
export function levelCount(variable: Variable): number {
  return Math.floor(variable.maximum) - Math.ceil(variable.minimum) + 1;
}

/** Number of variables with more than one value. */
export function movableCount(coding: Coding): number {
  return coding.movable.reduce((sum, one) => sum + one, 0);
}

function featureCount(variable: Variable): number {
  if (variable.kind !== 'category') return 1;
  const levels = levelCount(variable);
  return levels > 2 ? levels : 1;
}

/** Lays out the features of a space. Throws RangeError on bounds that are not finite or out of order. */
export function makeCoding(space: Space): Coding {
  const variables = space.variables;
  const n = variables.length;
  const first = new Int32Array(n + 1);
  const movable = new Uint8Array(n);
  const discrete = new Uint8Array(n);
  let size = 1;
  for (let v = 0; v < n; v++) {
    const variable = variables[v]!;
    if (
      !Number.isFinite(variable.minimum) ||
      !Number.isFinite(variable.maximum) ||
      !(variable.maximum >= variable.minimum)
    ) {
      throw new RangeError(`variable ${v}: bounds must be finite and in order`);
    }
    first[v + 1] = first[v]! + featureCount(variable);
    movable[v] = variable.maximum > variable.minimum ? 1 : 0;
    if (movable[v] === 0) continue;
    discrete[v] = variable.kind === 'float' ? 0 : 1;
    size *= variable.kind === 'float' ? Number.POSITIVE_INFINITY : levelCount(variable);
  }
  const p = first[n]!;
  const owner = new Int32Array(p);
  const lower = new Float64Array(p);
  const upper = new Float64Array(p);
  for (let v = 0; v < n; v++) {
    const width = first[v + 1]! - first[v]!;
    for (let f = first[v]!; f < first[v + 1]!; f++) {
      owner[f] = v;
      lower[f] = movable[v] === 0 ? 0 : width > 1 ? -1 / width : -1;
      upper[f] = movable[v] === 0 ? 0 : width > 1 ? 1 - 1 / width : 1;
    }
  }
  return { n, p, variables, first, owner, lower, upper, movable, discrete, size: size > 2 ** 53 ? Infinity : size };
}

/** Writes the features of the input x (length n at `offset` of X) to `out` at `start`. */
export function encode(coding: Coding, X: Float64Array, offset: number, out: Float64Array, start: number): void {
  for (let v = 0; v < coding.n; v++) {
    const { minimum, maximum } = coding.variables[v]!;
    const from = coding.first[v]!;
    const to = coding.first[v + 1]!;
    const x = X[offset + v]!;
    if (coding.movable[v] === 0) {
      out[start + from] = 0;
    } else if (to - from > 1) {
      const level = Math.min(to - from - 1, Math.max(0, Math.round(x - minimum)));
      for (let f = from; f < to; f++) out[start + f] = (f - from === level ? 1 : 0) - 1 / (to - from);
    } else {
      // Halves first: the width of a box such as +-1e308 overflows.
      const u = (x / 2 - minimum / 2) / (maximum / 4 - minimum / 4) - 1;
      out[start + from] = Number.isFinite(u) ? Math.min(FARTHEST, Math.max(-FARTHEST, u)) : 0;
    }
  }
}

/** Writes the nearest admissible input of the features u to `out` (length n): inside the bounds, whole, in category. */
export function decode(coding: Coding, u: Float64Array, out: Float64Array): void {
  for (let v = 0; v < coding.n; v++) out[v] = decodeVariable(coding, v, u);
}

function decodeVariable(coding: Coding, v: number, u: Float64Array): number {
  const { kind, minimum, maximum } = coding.variables[v]!;
  const from = coding.first[v]!;
  const to = coding.first[v + 1]!;
  if (coding.movable[v] === 0) return minimum;
  if (to - from > 1) {
    let level = from;
    for (let f = from + 1; f < to; f++) if (u[f]! > u[level]!) level = f;
    return minimum + (level - from);
  }
  const share = Math.min(1, Math.max(0, (u[from]! + 1) / 2));
  if (kind === 'float') {
    const x =
      share < 0.5
        ? minimum + share * 2 * (maximum / 2 - minimum / 2)
        : maximum - (1 - share) * 2 * (maximum / 2 - minimum / 2);
    return Math.min(maximum, Math.max(minimum, x));
  }
  const low = Math.ceil(minimum);
  return (
    low +
    Math.min(
      levelCount(coding.variables[v]!) - 1,
      Math.max(0, Math.round(share * (maximum - minimum) + (minimum - low))),
    )
  );
}

/** Replaces the features u by those of their decoded input and returns that input in `x`. */
export function snap(coding: Coding, u: Float64Array, x: Float64Array): void {
  decode(coding, u, x);
  encode(coding, x, 0, u, 0);
}

/** Fills u with a uniform random point of the box whose discrete variables hold admissible levels. */
export function randomPoint(coding: Coding, random: RandomStream, x: Float64Array, u: Float64Array): void {
  for (let v = 0; v < coding.n; v++) {
    const from = coding.first[v]!;
    const to = coding.first[v + 1]!;
    for (let f = from; f < to; f++) {
      u[f] = coding.lower[f]! + random.uniform() * (coding.upper[f]! - coding.lower[f]!);
    }
  }
  snap(coding, u, x);
}
