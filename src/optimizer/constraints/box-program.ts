/**
 * Strictly convex quadratic programs in a box with a few further rows, by a primal-dual active-set method.
 *
 *   maximize  g'd - d' H d / 2   with  lower <= u + d <= upper,  a_i'(u + d) = b_i (i < equations),  a_i'(u + d) >= b_i
 *
 * H = D + B'B - M with a diagonal D. Each round solves for the features that are free, with the active rows as equations, and
 * then changes all bounds and rows that this solution contradicts at once, so that a few rounds do where a method that changes
 * one at a time needs one per bound. It may fail to end; the caller then takes quadratic-program.ts, which always ends.
 *
 * Source: Hintermüller, Ito and Kunisch, The primal-dual active set strategy as a semismooth Newton method, SIAM Journal on
 * Optimization 13 (2003), 865-888.
 */
import { choleskyInPlace, solveWithFactor } from '../linalg/cholesky.ts';
import { dot } from '../linalg/dense.ts';

/** H = diag(diagonal) + B'B - M. */
export interface Curvature {
  /** Length p, positive. */
  readonly diagonal: Float64Array;
  /** count x p, row-major. */
  readonly B: Float64Array;
  readonly count: number;
  /** p x p, lower triangle; null for none. */
  readonly M: Float64Array | null;
}

/** Rows with several coefficients, equations first. */
export interface GeneralRows {
  readonly count: number;
  readonly equations: number;
  /** count x p, row-major, entries of order 1. */
  readonly A: Float64Array;
  /** Length count. */
  readonly b: Float64Array;
}

const ROUNDS = 30;
/** Rounds without fewer contradictions than ever before after which the method would go on in circles. */
const PATIENCE = 4;
/** Violations below this share of the terms of a row are roundings. */
const TOLERANCE = 1e-12;

/** A row that misses its bound by more than this share of its terms is not a rounding of one that holds. */
const PLAIN = 1e-10;
/** Share of a row, squared, beside the other active ones, below which it follows from them. */
const DEPENDENT = 1e-12;

/** Where a feature stands. */
const FREE = 0;
const LOW = 1;
const HIGH = 2;

export class BoxProgram {
  readonly rows: GeneralRows;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Length p and length rows.count: what the last solve ended with, where the next one begins. */
  readonly #side: Uint8Array;
  readonly #isActive: Uint8Array;
  readonly #free: Int32Array;
  #isBegun = false;
  /** Approximate number of flops of all solves so far. */
  flops = 0;

  /** @param lower, upper length p, lower <= upper */
  constructor(rows: GeneralRows, lower: Float64Array, upper: Float64Array) {
    this.rows = rows;
    this.lower = lower;
    this.upper = upper;
    this.#side = new Uint8Array(lower.length);
    this.#isActive = new Uint8Array(rows.count).fill(1, 0, rows.equations);
    this.#free = new Int32Array(lower.length);
  }

  /** Whether x (length p) satisfies everything up to roundings. */
  holdsAt(x: Float64Array): boolean {
    const { lower, upper, rows } = this;
    for (let f = 0; f < x.length; f++) if (x[f]! < lower[f]! || x[f]! > upper[f]!) return false;
    for (let i = 0; i < rows.count; i++) if (!holds(rows, i, x)) return false;
    return true;
  }

  /** Whether a row misses its bound by far wherever the features lie in the box; spares a search for what is not there. */
  isPlainlyEmpty(): boolean {
    const { lower, upper, rows } = this;
    const p = lower.length;
    for (let f = 0; f < p; f++) if (lower[f]! > upper[f]!) return true;
    for (let i = 0; i < rows.count; i++) {
      let [least, most, terms] = [-rows.b[i]!, -rows.b[i]!, Math.abs(rows.b[i]!)];
      for (let f = 0; f < p; f++) {
        const a = rows.A[i * p + f]!;
        least += a * (a > 0 ? lower[f]! : upper[f]!);
        most += a * (a > 0 ? upper[f]! : lower[f]!);
        terms += Math.abs(a) * Math.max(Math.abs(lower[f]!), Math.abs(upper[f]!));
      }
      const slack = PLAIN * Math.max(1, terms);
      if (most < -slack || (i < rows.equations && least > slack)) return true;
    }
    return false;
  }

  /** The point nearest to u (length p); null when the rounds do not end, also for an empty program. */
  project(u: Float64Array): Float64Array | null {
    if (this.holdsAt(u)) return u.slice();
    const p = u.length;
    const curvature = { diagonal: new Float64Array(p).fill(1), B: new Float64Array(0), count: 0, M: null };
    return this.solve(curvature, u, new Float64Array(p));
  }

  /** u + d, length p; null when the rounds do not end, also for an empty program or an H that is not positive definite. */
  solve(curvature: Curvature, u: Float64Array, g: Float64Array): Float64Array | null {
    this.#begin(u);
    let fewest = Number.POSITIVE_INFINITY;
    let patience = PATIENCE;
    for (let round = 0; round < ROUNDS; round++) {
      const system = this.#solveFree(curvature, u, g);
      if (system === null) break;
      const wrong = this.#contradicted(curvature, u, g, system);
      if (wrong.length === 0) return this.#finished(u, system);
      patience = wrong.length < fewest ? PATIENCE : patience - 1;
      if (patience === 0) break;
      fewest = Math.min(fewest, wrong.length);
      for (const one of wrong) this.#exchange(one);
    }
    // The next solve begins anew.
    this.#isBegun = false;
    this.#side.fill(FREE);
    this.#isActive.fill(0, this.rows.equations);
    return null;
  }

  /** The first solve begins with the bounds at which u stands. */
  #begin(u: Float64Array): void {
    const { lower, upper } = this;
    if (this.#isBegun) return;
    this.#isBegun = true;
    for (let f = 0; f < u.length; f++) {
      if (u[f]! <= lower[f]! || lower[f] === upper[f]) this.#side[f] = LOW;
      else if (u[f]! >= upper[f]!) this.#side[f] = HIGH;
    }
  }

  #exchange(one: Exchange): void {
    if ('feature' in one) this.#side[one.feature] = one.side;
    else this.#isActive[one.row] = 1 - this.#isActive[one.row]!;
  }

  /** The maximum over the free features with the active rows as equations. */
  #solveFree(curvature: Curvature, u: Float64Array, g: Float64Array): FreeSolution | null {
    const { rows, lower, upper } = this;
    const p = u.length;
    const side = this.#side;
    const free = this.#free;
    const d = new Float64Array(p);
    let q = 0;
    for (let f = 0; f < p; f++) {
      if (side[f] === FREE) free[q++] = f;
      else d[f] = (side[f] === LOW ? lower[f]! : upper[f]!) - u[f]!;
    }
    const solver = makeSolver(curvature, free.subarray(0, q), p);
    if (solver === null) return null;
    const bent = multiply(curvature, d);
    const step = new Float64Array(q);
    for (let k = 0; k < q; k++) step[k] = g[free[k]!]! - bent[free[k]!]!;
    solver(step);
    for (let k = 0; k < q; k++) d[free[k]!] = step[k]!;
    const solution: FreeSolution = { ...this.#independentRows(solver, q), d, free: free.subarray(0, q) };
    const w = solution.active.length;
    this.flops += 4 * (curvature.count + w) * (curvature.count + w + 2) * p + (curvature.M ? q ** 3 / 3 : 0);
    meetRows(rows, u, solution);
    return solution;
  }

  /** The active rows that are independent over the first q free features. */
  #independentRows(solver: (right: Float64Array) => void, q: number) {
    const { A, count } = this.rows;
    const p = this.lower.length;
    const free = this.#free;
    const active: number[] = [];
    const dependent: number[] = [];
    const directions: Float64Array[] = [];
    const S: Float64Array[] = [];
    for (let i = 0; i < count; i++) {
      if (this.#isActive[i] === 0) continue;
      const v = new Float64Array(q);
      for (let k = 0; k < q; k++) v[k] = A[i * p + free[k]!]!;
      const row = new Float64Array(active.length + 1);
      for (let c = 0; c < active.length; c++) row[c] = dot(v, 0, directions[c]!, 0, q);
      const direction = v.slice();
      solver(direction);
      const whole = dot(v, 0, direction, 0, q);
      let pivot = whole;
      for (let c = 0; c < active.length; c++) {
        row[c] = (row[c]! - dot(row, 0, S[c]!, 0, c)) / S[c]![c]!;
        pivot -= row[c]! * row[c]!;
      }
      if (!(pivot > DEPENDENT * whole)) {
        dependent.push(i);
        continue;
      }
      row[active.length] = Math.sqrt(pivot);
      active.push(i);
      directions.push(direction);
      S.push(row);
    }
    const w = active.length;
    const factor = new Float64Array(w * w);
    for (const [a, row] of S.entries()) factor.set(row, a * w);
    return { active, dependent, directions, S: factor, multipliers: new Float64Array(w) };
  }

  /** The bounds and rows that the solution contradicts. */
  #contradicted(
    curvature: Curvature,
    u: Float64Array,
    g: Float64Array,
    { d, active, dependent, multipliers }: FreeSolution,
  ): Exchange[] {
    const { rows, lower, upper } = this;
    const p = u.length;
    const side = this.#side;
    const pull = multiply(curvature, d);
    let size = 0;
    for (let f = 0; f < p; f++) {
      size = Math.max(size, Math.abs(g[f]!), Math.abs(pull[f]!));
      pull[f]! -= g[f]!;
    }
    active.forEach((i, a) => {
      for (let f = 0; f < p; f++) pull[f]! -= multipliers[a]! * rows.A[i * p + f]!;
    });
    const least = TOLERANCE * size;
    const x = new Float64Array(p);
    for (let f = 0; f < p; f++) x[f] = u[f]! + d[f]!;
    const wrong: Exchange[] = [];
    for (let f = 0; f < p; f++) {
      if (lower[f] === upper[f]) continue;
      if (side[f] === FREE) {
        if (x[f]! < lower[f]! - TOLERANCE) wrong.push({ feature: f, side: LOW });
        else if (x[f]! > upper[f]! + TOLERANCE) wrong.push({ feature: f, side: HIGH });
      } else if (side[f] === LOW ? pull[f]! < -least : pull[f]! > least) wrong.push({ feature: f, side: FREE });
    }
    active.forEach((i, a) => {
      if (i >= rows.equations && multipliers[a]! < 0) wrong.push({ row: i });
    });
    for (const i of dependent) {
      if (i >= rows.equations) this.#isActive[i] = 0;
      if (holds(rows, i, x)) continue;
      // Too few features are free to meet the row: those that would help may move.
      const missing = -slackOf(rows, i, x);
      for (let f = 0; f < p; f++) {
        if (side[f] === FREE || lower[f] === upper[f]) continue;
        if (rows.A[i * p + f]! * missing * (side[f] === LOW ? 1 : -1) > 0) wrong.push({ feature: f, side: FREE });
      }
    }
    for (let i = rows.equations; i < rows.count; i++) {
      if (this.#isActive[i] === 1 || active.includes(i) || holds(rows, i, x)) continue;
      wrong.push({ row: i });
    }
    return wrong;
  }

  /** The point of the last round, without its roundings; null when these are too many. */
  #finished(u: Float64Array, solution: FreeSolution): Float64Array | null {
    meetRows(this.rows, u, solution);
    const side = this.#side;
    const x = u.map((value, f) => {
      if (side[f] === LOW) return this.lower[f]!;
      if (side[f] === HIGH) return this.upper[f]!;
      return Math.min(this.upper[f]!, Math.max(this.lower[f]!, value + solution.d[f]!));
    });
    return this.holdsAt(x) ? x : null;
  }
}

/** A feature that is to stand elsewhere, or a row that is to become active or to cease to be. */
type Exchange = { readonly feature: number; readonly side: number } | { readonly row: number };

/** A step for the active rows, and what is needed to correct it. */
interface FreeSolution {
  /** Length p. */
  readonly d: Float64Array;
  readonly active: readonly number[];
  /** Active rows that follow from those, or have no free feature. */
  readonly dependent: readonly number[];
  /** H^-1 a over the free features, one for each active row. */
  readonly directions: readonly Float64Array[];
  /** The Cholesky factor of A H^-1 A'. */
  readonly S: Float64Array;
  readonly free: Int32Array;
  /** Length active.length. */
  readonly multipliers: Float64Array;
}

/** Changes the step so that the active rows hold as equations. */
function meetRows(rows: GeneralRows, u: Float64Array, { d, active, directions, S, free, multipliers }: FreeSolution) {
  const p = u.length;
  const missing = Float64Array.from(active, (i) => {
    let left = rows.b[i]!;
    for (let f = 0; f < p; f++) left -= rows.A[i * p + f]! * (u[f]! + d[f]!);
    return left;
  });
  solveWithFactor(S, active.length, missing);
  for (let a = 0; a < active.length; a++) {
    multipliers[a]! += missing[a]!;
    for (let k = 0; k < free.length; k++) d[free[k]!]! += missing[a]! * directions[a]![k]!;
  }
}

function slackOf({ A, b }: GeneralRows, i: number, x: Float64Array): number {
  return dot(A, i * x.length, x, 0, x.length) - b[i]!;
}

/** Whether row i holds at x up to roundings. */
function holds({ A, b, equations }: GeneralRows, i: number, x: Float64Array): boolean {
  const p = x.length;
  let value = -b[i]!;
  let terms = Math.abs(b[i]!);
  for (let f = 0; f < p; f++) {
    const term = A[i * p + f]! * x[f]!;
    value += term;
    terms += Math.abs(term);
  }
  const least = -TOLERANCE * Math.max(1, terms);
  return value >= least && (i >= equations || value <= -least);
}

/** H d. */
function multiply({ diagonal, B, count, M }: Curvature, d: Float64Array): Float64Array {
  const p = d.length;
  const out = new Float64Array(p);
  for (let f = 0; f < p; f++) out[f] = diagonal[f]! * d[f]!;
  for (let j = 0; j < count; j++) {
    let along = 0;
    for (let f = 0; f < p; f++) along += B[j * p + f]! * d[f]!;
    if (along !== 0) for (let f = 0; f < p; f++) out[f]! += along * B[j * p + f]!;
  }
  if (M === null) return out;
  for (let a = 0; a < p; a++) {
    for (let b = 0; b < a; b++) {
      out[a]! -= M[a * p + b]! * d[b]!;
      out[b]! -= M[a * p + b]! * d[a]!;
    }
    out[a]! -= M[a * p + a]! * d[a]!;
  }
  return out;
}

/** Replaces a right side over the free features by H^-1 times it; null when H is not positive definite there. */
function makeSolver(curvature: Curvature, free: Int32Array, p: number): ((right: Float64Array) => void) | null {
  return curvature.M === null && curvature.count < free.length
    ? makeLowRankSolver(curvature, free, p)
    : makeDirectSolver(curvature, free, p);
}

function makeDirectSolver({ diagonal, B, count, M }: Curvature, free: Int32Array, p: number) {
  const q = free.length;
  const H = new Float64Array(q * q);
  for (let a = 0; a < q; a++) {
    H[a * q + a] = diagonal[free[a]!]!;
    for (let b = 0; b <= a; b++) {
      let sum = M ? -M[free[a]! * p + free[b]!]! : 0;
      for (let j = 0; j < count; j++) sum += B[j * p + free[a]!]! * B[j * p + free[b]!]!;
      H[a * q + b]! += sum;
    }
  }
  return choleskyInPlace(H, q) ? (right: Float64Array) => solveWithFactor(H, q, right) : null;
}

/** (D + B'B)^-1 = D^-1 - W'(I + B D^-1 B')^-1 W with W = B D^-1 (Sherman, Morrison and Woodbury). */
function makeLowRankSolver({ diagonal, B, count: m }: Curvature, free: Int32Array, p: number) {
  const q = free.length;
  const W = new Float64Array(m * q);
  const K = new Float64Array(m * m);
  for (let j = 0; j < m; j++) {
    for (let k = 0; k < q; k++) W[j * q + k] = B[j * p + free[k]!]! / diagonal[free[k]!]!;
    for (let i = 0; i <= j; i++) {
      let sum = i === j ? 1 : 0;
      for (let k = 0; k < q; k++) sum += W[j * q + k]! * B[i * p + free[k]!]!;
      K[j * m + i] = sum;
    }
  }
  if (!choleskyInPlace(K, m)) return null;
  const t = new Float64Array(m);
  return (right: Float64Array): void => {
    for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let k = 0; k < q; k++) sum += W[j * q + k]! * right[k]!;
      t[j] = sum;
    }
    solveWithFactor(K, m, t);
    for (let k = 0; k < q; k++) {
      let value = right[k]! / diagonal[free[k]!]!;
      for (let j = 0; j < m; j++) value -= W[j * q + k]! * t[j]!;
      right[k] = value;
    }
  };
}
