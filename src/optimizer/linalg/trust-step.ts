import { squareBetween } from './dense.ts';
import { symmetricEigen } from './eigen.ts';

/** A quadratic function of the offset d from a point: value + g'd + d'H d / 2, with H of n x n entries, symmetric. */
export interface Quadratic {
  readonly value: number;
  readonly g: Float64Array;
  readonly H: Float64Array;
}

/** A ball around `center` (length n), cut by bounds that hold the centre. */
export interface BoundedBall {
  readonly center: Float64Array;
  readonly radius: number;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

const BISECTIONS = 100;
/** A centre nearer to a bound than this touches it. */
const TOUCHING = 1e-12;
/** A step shorter than this share of the radius is continued along negative curvature. */
const HARD_CASE = 0.999;
const TINY = 1e-300;

/** The value of a quadratic at the offset d. */
export function quadraticAt({ value, g, H }: Quadratic, d: Float64Array): number {
  const n = d.length;
  let sum = value;
  for (let i = 0; i < n; i++) {
    let row = 0;
    for (let j = 0; j < n; j++) row += H[i * n + j]! * d[j]!;
    sum += d[i]! * (g[i]! + 0.5 * row);
  }
  return sum;
}

/**
 * The offset from the centre of a bounded ball at which a quadratic is nearly least. Exact without bounds in the way; else the
 * first bound that each step meets is kept. O(n^3) per bound.
 *
 * Source: Conn, Gould and Toint 2000, Trust-Region Methods, sections 7.3 (the ball, by eigenvalues) and 7.8 (bounds).
 */
export function trustStep({ g, H }: Quadratic, ball: BoundedBall): Float64Array {
  const n = g.length;
  const { center, radius, lower, upper } = ball;
  const d = new Float64Array(n);
  const roomOf = (f: number, by: number) => (by > 0 ? upper[f]! - center[f]! : center[f]! - lower[f]!);
  let free = Array.from({ length: n }, (_, f) => f).filter((f) => roomOf(f, -g[f]!) > TOUCHING);
  while (free.length > 0) {
    const left = Math.sqrt(Math.max(0, radius * radius - squareBetween(d, new Float64Array(n))));
    const step = ballStep(...restricted(g, H, d, free), left);
    const hit = firstBound(free, step, roomOf);
    if (hit < 0) {
      free.forEach((f, i) => {
        d[f] = step[i]!;
      });
      break;
    }
    const f = free[hit]!;
    d[f] = Math.sign(step[hit]!) * roomOf(f, step[hit]!);
    free = free.filter((_, i) => i !== hit);
  }
  return d;
}

/** Gradient and Hessian over the free variables, the others held at their offsets d, which are 0 for the free ones. */
function restricted(
  g: Float64Array,
  H: Float64Array,
  d: Float64Array,
  free: readonly number[],
): [Float64Array, Float64Array] {
  const n = d.length;
  const gradient = Float64Array.from(free, (f) => d.reduce((sum, by, k) => sum + H[f * n + k]! * by, g[f]!));
  return [gradient, Float64Array.from(free.flatMap((f) => free.map((k) => H[f * n + k]!)))];
}

/** Index of the free variable whose bound a step meets first; -1 when it meets none. */
function firstBound(free: readonly number[], step: Float64Array, roomOf: (f: number, by: number) => number): number {
  let least = 1;
  let hit = -1;
  free.forEach((f, i) => {
    const share = roomOf(f, step[i]!) / Math.abs(step[i]!);
    if (!(share < least)) return;
    least = share;
    hit = i;
  });
  return hit;
}

/** The least of g'd + d'H d / 2 with |d| <= radius. */
function ballStep(g: Float64Array, H: Float64Array, radius: number): Float64Array {
  const n = g.length;
  const { values, vectors } = symmetricEigen(H.slice(), n);
  const along = Float64Array.from(values, (_, k) => g.reduce((sum, one, i) => sum + vectors[k * n + i]! * one, 0));
  const shift = shiftOf(values, along, radius);
  const d = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const by = -along[k]! / Math.max(values[k]! + shift, TINY);
    for (let i = 0; i < n; i++) d[i]! += by * vectors[k * n + i]!;
  }
  const length = Math.hypot(...d);
  if (values[0]! >= 0 || length >= HARD_CASE * radius) return d;
  const across = d.reduce((sum, one, i) => sum + one * vectors[i]!, 0);
  const rest = Math.sqrt(across * across + radius * radius - length * length) - across;
  return d.map((one, i) => one + rest * vectors[i]!);
}

/** The shift of the eigenvalues that makes the step no longer than the radius. */
function shiftOf(values: Float64Array, along: Float64Array, radius: number): number {
  const lengthAt = (shift: number) => Math.hypot(...along.map((a, k) => a / Math.max(values[k]! + shift, TINY)));
  if (values[0]! > 0 && lengthAt(0) <= radius) return 0;
  let low = Math.max(0, -values[0]!);
  let high = low + Math.hypot(...along) / Math.max(radius, TINY) + TINY;
  for (let k = 0; k < BISECTIONS; k++) {
    const middle = (low + high) / 2;
    if (lengthAt(middle) > radius) low = middle;
    else high = middle;
  }
  return high;
}
