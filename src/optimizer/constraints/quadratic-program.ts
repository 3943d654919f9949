/**
 * Strictly convex quadratic programs by the dual active-set method of Goldfarb and Idnani.
 *
 *   minimize  x' H x / 2 - g' x   subject to   a_i' x = b_i (i < equations),   a_i' x >= b_i (the other rows)
 *
 * The method starts at the unconstrained minimum and adds one violated row at a time, so it needs no feasible start and
 * recognizes an empty region by a certificate.
 *
 * Source: Goldfarb and Idnani, A numerically stable dual method for solving strictly convex quadratic programs,
 * Mathematical Programming 27 (1983), 1-33. J and R below are those of its section 4: J = L^-T Q with H = L L', and R
 * is the triangular factor of the active rows, so that J' [a_active] = [R; 0].
 */

import { Meter } from '../numerics/work.ts';

/** Rows of conditions, equations first. Rows should have entries of order 1: tolerances are relative to their terms. */
export interface Rows {
  readonly count: number;
  /** Number of leading rows that are equations. */
  readonly equations: number;
  /** count x n, row-major. */
  readonly A: Float64Array;
  /** Length count. */
  readonly b: Float64Array;
  /** Length count: the only entry of a row that is not 0, or -1 for a row with several; spares most of the products. */
  readonly only: Int32Array;
}

export type QuadraticResult =
  | {
      readonly kind: 'solved';
      /** Length n. */
      readonly x: Float64Array;
      /** Rows that hold as equations at x and are linearly independent. */
      readonly active: readonly number[];
    }
  | {
      readonly kind: 'infeasible';
      /** Rows that no point satisfies together; without any one of them some point does, roundings aside. */
      readonly conflicting: readonly number[];
    };

/** Violations below this share of the terms of a row are roundings. */
const TOLERANCE = 1e-12;
/** Length of the part of a row outside the active rows, relative to the row, below which the rows are dependent. */
const DEPENDENT = 1e-10;
/** Rows enter and leave; each round adds one row or removes one. In practice a few per row. */
const ROUNDS_PER_ROW = 20;
/** Approximate flops of a round per entry of an n x n factor, on which a row is projected and which is turned. */
const FLOPS_PER_ENTRY = 8;
/** The same per entry of the rows. */
const FLOPS_PER_LOOK = 4;

/** The state of one solve: the primal point, the multipliers of the active rows, and the two factors. */
class ActiveSet {
  readonly n: number;
  readonly rows: Rows;
  readonly x: Float64Array;
  /** Active rows, with -1 or +1 by which an equation is multiplied. */
  readonly active: number[] = [];
  readonly sign: number[] = [];
  readonly multipliers: number[] = [];
  /** Length rows.count: 1 for an active row. */
  readonly isActive: Uint8Array;
  /** n x n, by columns: column k starts at k n. */
  readonly #J: Float64Array;
  /** Columns of the triangular factor: column k has k + 1 entries from k n on. */
  readonly #R: Float64Array;
  readonly #meter: Meter;

  constructor(x: Float64Array, J: Float64Array, rows: Rows, meter: Meter) {
    this.n = x.length;
    this.#meter = meter;
    this.x = x;
    this.rows = rows;
    this.isActive = new Uint8Array(rows.count);
    this.#J = J;
    this.#R = new Float64Array(this.n * this.n);
  }

  /** Counts one change of the active rows, and the look at all rows before it. */
  spendRound(): void {
    const { n } = this;
    const looks = this.rows.only.reduce((sum, one) => sum + (one >= 0 ? 1 : n), 0);
    this.#meter.spend(FLOPS_PER_ENTRY * n * n + FLOPS_PER_LOOK * looks);
  }

  /** The violation of row i, negative when violated, and the size of its terms. */
  slack(i: number): { readonly value: number; readonly terms: number } {
    const { A, b } = this.rows;
    const one = this.rows.only[i]!;
    if (one >= 0) {
      const term = A[i * this.n + one]! * this.x[one]!;
      return { value: term - b[i]!, terms: Math.abs(term) + Math.abs(b[i]!) };
    }
    let value = -b[i]!;
    let terms = Math.abs(b[i]!);
    for (let f = 0; f < this.n; f++) {
      const term = A[i * this.n + f]! * this.x[f]!;
      value += term;
      terms += Math.abs(term);
    }
    return { value, terms };
  }

  /** J' a for a signed row. */
  project(i: number, sign: number): Float64Array {
    const { n } = this;
    const { A } = this.rows;
    const d = new Float64Array(n);
    const one = this.rows.only[i]!;
    if (one >= 0) {
      const entry = sign * A[i * n + one]!;
      for (let k = 0; k < n; k++) d[k] = entry * this.#J[k * n + one]!;
      return d;
    }
    for (let k = 0; k < n; k++) {
      let sum = 0;
      for (let f = 0; f < n; f++) sum += this.#J[k * n + f]! * A[i * n + f]!;
      d[k] = sign * sum;
    }
    return d;
  }

  /** The primal direction: the part of the row outside the active rows, in the metric of H. */
  primalDirection(d: Float64Array): Float64Array {
    const { n } = this;
    const z = new Float64Array(n);
    for (let k = this.active.length; k < n; k++) {
      for (let f = 0; f < n; f++) z[f]! += d[k]! * this.#J[k * n + f]!;
    }
    return z;
  }

  /** The dual direction: R^-1 times the first part of d. */
  dualDirection(d: Float64Array): Float64Array {
    const q = this.active.length;
    const r = d.slice(0, q);
    for (let k = q - 1; k >= 0; k--) {
      r[k]! /= this.#R[k * this.n + k]!;
      for (let i = 0; i < k; i++) r[i]! -= r[k]! * this.#R[k * this.n + i]!;
    }
    return r;
  }

  /** Makes a row active. `d` is its projection and is overwritten. */
  add(i: number, sign: number, multiplier: number, d: Float64Array): void {
    const { n } = this;
    const q = this.active.length;
    for (let k = n - 1; k > q; k--) {
      const norm = Math.hypot(d[k - 1]!, d[k]!);
      if (norm === 0) continue;
      const [c, s] = [d[k - 1]! / norm, d[k]! / norm];
      d[k - 1] = norm;
      d[k] = 0;
      rotate(this.#J, (k - 1) * n, k * n, n, c, s);
    }
    for (let k = 0; k <= q; k++) this.#R[q * n + k] = d[k]!;
    this.active.push(i);
    this.isActive[i] = 1;
    this.sign.push(sign);
    this.multipliers.push(multiplier);
  }

  /** Removes the active row at a position. */
  drop(position: number): void {
    const { n } = this;
    const q = this.active.length;
    this.isActive[this.active[position]!] = 0;
    this.active.splice(position, 1);
    this.sign.splice(position, 1);
    this.multipliers.splice(position, 1);
    // Columns after it move one to the left, which leaves one entry below the diagonal in each.
    for (let k = position; k < q - 1; k++) {
      for (let i = 0; i <= k + 1; i++) this.#R[k * n + i] = this.#R[(k + 1) * n + i]!;
    }
    for (let k = position; k < q - 1; k++) {
      const [upper, below] = [this.#R[k * n + k]!, this.#R[k * n + k + 1]!];
      const norm = Math.hypot(upper, below);
      if (norm === 0) continue;
      const [c, s] = [upper / norm, below / norm];
      for (let j = k; j < q - 1; j++) {
        const [a, b] = [this.#R[j * n + k]!, this.#R[j * n + k + 1]!];
        this.#R[j * n + k] = c * a + s * b;
        this.#R[j * n + k + 1] = c * b - s * a;
      }
      rotate(this.#J, k * n, (k + 1) * n, n, c, s);
    }
  }
}

/** Turns two columns of J: the first becomes c a + s b, the second c b - s a. */
function rotate(J: Float64Array, first: number, second: number, n: number, c: number, s: number): void {
  for (let f = 0; f < n; f++) {
    const [a, b] = [J[first + f]!, J[second + f]!];
    J[first + f] = c * a + s * b;
    J[second + f] = c * b - s * a;
  }
}

/**
 * @param inverseFactor L^-T by columns (n x n) with H = L L'; the identity for the distance to a point
 * @param start         H^-1 g, the unconstrained minimum, length n
 * @returns the minimum, or rows that contradict each other. Throws RangeError when the rounds do not end, which takes
 *          rows that are no numbers, and OutOfWork past the limit of the meter.
 */
export function solveQuadratic(
  inverseFactor: Float64Array,
  start: Float64Array,
  rows: Rows,
  meter: Meter = new Meter(),
): QuadraticResult {
  const set = new ActiveSet(start.slice(), inverseFactor.slice(), rows, meter);
  const limit = ROUNDS_PER_ROW * (rows.count + set.n + 1);
  for (let round = 0; round < limit; round++) {
    const violated = mostViolated(set);
    if (violated === null) return { kind: 'solved', x: set.x, active: set.active };
    const conflict = makeActive(set, violated, limit);
    if (conflict !== null) return { kind: 'infeasible', conflicting: conflict };
  }
  throw new RangeError('The quadratic program does not end.');
}

/** The next equation that is not active, or the inequality with the largest violation relative to its terms. */
function mostViolated(set: ActiveSet): { readonly row: number; readonly sign: number } | null {
  let worst = -TOLERANCE;
  let found: number | null = null;
  for (let i = 0; i < set.rows.count; i++) {
    if (set.isActive[i] === 1) continue;
    const { value, terms } = set.slack(i);
    const relative = value / Math.max(terms, 1);
    if (i < set.rows.equations) {
      if (Math.abs(relative) > TOLERANCE) return { row: i, sign: value > 0 ? -1 : 1 };
    } else if (relative < worst) {
      worst = relative;
      found = i;
    }
  }
  return found === null ? null : { row: found, sign: 1 };
}

/** Moves until the row holds, dropping rows that stand against it; the rows in conflict when no point can satisfy it. */
function makeActive(
  set: ActiveSet,
  { row, sign }: { readonly row: number; readonly sign: number },
  limit: number,
): readonly number[] | null {
  let multiplier = 0;
  for (let round = 0; round < limit; round++) {
    set.spendRound();
    const d = set.project(row, sign);
    const r = set.dualDirection(d);
    const { step: dualStep, position } = longestDualStep(set, r);
    const primalStep = fullStep(set, row, sign, d);
    const step = Math.min(dualStep, primalStep);
    if (step === Number.POSITIVE_INFINITY) {
      const least = leastPart(r);
      return [row, ...set.active.filter((_, k) => Math.abs(r[k]!) > least)].sort((a, b) => a - b);
    }
    if (primalStep < Number.POSITIVE_INFINITY) {
      const z = set.primalDirection(d);
      for (let f = 0; f < set.n; f++) set.x[f]! += step * z[f]!;
    }
    for (let k = 0; k < r.length; k++) set.multipliers[k]! -= step * r[k]!;
    multiplier += step;
    if (primalStep <= dualStep) {
      set.add(row, sign, multiplier, d);
      return null;
    }
    set.drop(position);
  }
  throw new RangeError('The quadratic program does not end.');
}

/** The longest step that keeps the multipliers of the active inequalities positive, and the position of the one that becomes zero there. */
function longestDualStep(set: ActiveSet, r: Float64Array): { readonly step: number; readonly position: number } {
  let step = Number.POSITIVE_INFINITY;
  let position = -1;
  const least = leastPart(r);
  for (let k = 0; k < r.length; k++) {
    if (set.active[k]! < set.rows.equations || !(r[k]! > least)) continue;
    const length = Math.max(0, set.multipliers[k]!) / r[k]!;
    if (length < step) {
      step = length;
      position = k;
    }
  }
  return { step, position };
}

/** The step along the primal direction at which the row holds; Infinity when the row depends on the active ones. */
function fullStep(set: ActiveSet, row: number, sign: number, d: Float64Array): number {
  let outside = 0;
  let whole = 0;
  for (let k = 0; k < set.n; k++) {
    whole += d[k]! * d[k]!;
    if (k >= set.active.length) outside += d[k]! * d[k]!;
  }
  if (!(outside > DEPENDENT * DEPENDENT * whole)) return Number.POSITIVE_INFINITY;
  return Math.max(0, (-sign * set.slack(row).value) / outside);
}

/** The smallest part that an active row takes in a combination; others are there by rounding. */
function leastPart(r: Float64Array): number {
  let largest = 1;
  for (let k = 0; k < r.length; k++) largest = Math.max(largest, Math.abs(r[k]!));
  return 1e-9 * largest;
}
