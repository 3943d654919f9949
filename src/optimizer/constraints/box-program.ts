/**
 * Strictly convex quadratic programs in a box with a few further rows, by a primal-dual active-set method.
 *
 *   maximize  g'd - d' H d / 2   with  lower <= u + d <= upper,  a_i'(u + d) = b_i (i < equations),  a_i'(u + d) >= b_i
 *
 * H = D + B'B - M with a diagonal D. Each round solves for the features that are free, with the active rows as equations, and
 * then changes all bounds and rows that this solution contradicts together, so that a few rounds do where a method that changes
 * one at a time needs one per bound. It may fail to end; the caller then takes quadratic-program.ts, which always ends.
 *
 * Source: Hintermüller, Ito and Kunisch, The primal-dual active set strategy as a semismooth Newton method, SIAM Journal on
 * Optimization 13 (2003), 865-888.
 */
import { dot } from '../linalg/dense.ts';
import { type Curvature, DirectInverse, type FreeInverse, LowRankInverse, multiply } from './free-inverse.ts';
import { addRow, type GeneralRows, holds, rowTimes, slackOf, TOLERANCE } from './general-rows.ts';

const ROUNDS = 30;
/** Rounds without fewer contradictions than ever before after which the method would go on in circles. */
const PATIENCE = 4;

/** A row that misses its bound by more than this share of its terms is not a rounding of one that holds. */
const PLAIN = 1e-10;
/** Share of a row, squared, beside the other active ones, below which it follows from them. */
const DEPENDENT = 1e-12;

/** State of a feature: between its bounds, or at one of them. */
const FREE = 0;
const LOW = 1;
const HIGH = 2;

const NO_VALUES = new Float64Array(0);

/** Arrays that the rounds of one program share: with new ones in each round the garbage collector took a fifth of the time. */
class Workspace {
  /** Length p each. The free features are the first of `free`. */
  readonly side: Uint8Array;
  readonly free: Int32Array;
  readonly d: Float64Array;
  readonly x: Float64Array;
  readonly pull: Float64Array;
  readonly direction: Float64Array;
  /** Length rows.count each. */
  readonly isActive: Uint8Array;
  readonly missing: Float64Array;
  /** Length rows.count: multipliers, of which only those of independent active rows are not 0. */
  readonly multipliers: Float64Array;
  /** The Cholesky factor of A H^-1 A' over the independent active rows; row-major with rows of length rows.count. */
  readonly S: Float64Array;

  constructor(p: number, { count, equations }: GeneralRows) {
    this.side = new Uint8Array(p);
    this.free = new Int32Array(p);
    this.d = new Float64Array(p);
    this.x = new Float64Array(p);
    this.pull = new Float64Array(p);
    this.direction = new Float64Array(p);
    this.isActive = new Uint8Array(count).fill(1, 0, equations);
    this.missing = new Float64Array(count);
    this.multipliers = new Float64Array(count);
    this.S = new Float64Array(count * count);
  }
}

export class BoxProgram {
  readonly rows: GeneralRows;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** State that the last solve left, from which the next one begins; null before the first one. */
  #work: Workspace | null = null;
  #direct: DirectInverse | null = null;
  #lowRank: LowRankInverse | null = null;
  #isBegun = false;
  /** Active rows that are independent over the free features, and those that follow from them or have no free feature. */
  #active: number[] = [];
  #dependent: number[] = [];
  /** Approximate number of flops of all solves so far. */
  flops = 0;

  /** @param lower, upper length p, lower <= upper */
  constructor(rows: GeneralRows, lower: Float64Array, upper: Float64Array) {
    this.rows = rows;
    this.lower = lower;
    this.upper = upper;
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
    for (let f = 0; f < lower.length; f++) if (lower[f]! > upper[f]!) return true;
    for (let i = 0; i < rows.count; i++) {
      let least = -rows.b[i]!;
      let most = least;
      let terms = Math.abs(least);
      for (let k = rows.first[i]!; k < rows.first[i + 1]!; k++) {
        const a = rows.values[k]!;
        const low = lower[rows.features[k]!]!;
        const high = upper[rows.features[k]!]!;
        least += a * (a > 0 ? low : high);
        most += a * (a > 0 ? high : low);
        terms += Math.abs(a) * Math.max(Math.abs(low), Math.abs(high));
      }
      const slack = PLAIN * Math.max(1, terms);
      if (most < -slack || (i < rows.equations && least > slack)) return true;
    }
    return false;
  }

  /** The point nearest to u (length p); null when the rounds do not end, also for an empty program. */
  project(u: Float64Array): Float64Array | null {
    if (this.holdsAt(u)) return u.slice();
    this.#forget();
    const p = u.length;
    const curvature = { diagonal: new Float64Array(p).fill(1), B: NO_VALUES, count: 0, M: null };
    return this.solve(curvature, u, new Float64Array(p));
  }

  /** u + d, length p; null when the rounds do not end, also for an empty program or an H that is not positive definite. */
  solve(curvature: Curvature, u: Float64Array, g: Float64Array): Float64Array | null {
    this.#work ??= new Workspace(u.length, this.rows);
    const work = this.#work;
    this.#begin(u, work);
    const inverse = this.#inverseOf(curvature);
    let fewest = Number.POSITIVE_INFINITY;
    let patience = PATIENCE;
    for (let round = 0; round < ROUNDS; round++) {
      if (!this.#solveFree(curvature, inverse, u, g, work)) break;
      const wrong = this.#exchange(curvature, u, g, work);
      if (wrong === 0) return this.#finished(inverse, u, work);
      patience = wrong < fewest ? PATIENCE : patience - 1;
      if (patience === 0) break;
      fewest = Math.min(fewest, wrong);
    }
    this.#forget();
    return null;
  }

  #inverseOf(curvature: Curvature): FreeInverse {
    const p = this.lower.length;
    if (curvature.M !== null || curvature.count >= p) {
      this.#direct ??= new DirectInverse(p);
      return this.#direct;
    }
    if (this.#lowRank?.count !== curvature.count) this.#lowRank = new LowRankInverse(p, curvature.count);
    return this.#lowRank;
  }

  /** The next solve starts from scratch. */
  #forget(): void {
    this.#isBegun = false;
    this.#work?.side.fill(FREE);
    this.#work?.isActive.fill(0, this.rows.equations);
  }

  /** The first solve begins with the bounds at which u stands. */
  #begin(u: Float64Array, { side }: Workspace): void {
    const { lower, upper } = this;
    if (this.#isBegun) return;
    this.#isBegun = true;
    for (let f = 0; f < u.length; f++) {
      if (u[f]! <= lower[f]! || lower[f] === upper[f]) side[f] = LOW;
      else if (u[f]! >= upper[f]!) side[f] = HIGH;
    }
  }

  /** The maximum over the free features with the active rows as equations, to `d`; false when H is not positive definite. */
  #solveFree(curvature: Curvature, inverse: FreeInverse, u: Float64Array, g: Float64Array, work: Workspace): boolean {
    const { lower, upper } = this;
    const { side, free, d, pull, direction } = work;
    const p = u.length;
    let q = 0;
    for (let f = 0; f < p; f++) {
      if (side[f] === FREE) free[q++] = f;
      d[f] = side[f] === FREE ? 0 : (side[f] === LOW ? lower[f]! : upper[f]!) - u[f]!;
    }
    if (!inverse.factorize(curvature, free.subarray(0, q))) return false;
    multiply(curvature, d, pull);
    for (let f = 0; f < p; f++) direction[f] = g[f]! - pull[f]!;
    inverse.apply(direction);
    for (let f = 0; f < p; f++) d[f]! += direction[f]!;
    this.#chooseIndependent(inverse, work);
    const w = this.#active.length;
    this.flops += 4 * (curvature.count + w) * (curvature.count + w + 2) * p + (curvature.M ? q ** 3 / 3 : 0);
    work.multipliers.fill(0);
    this.#meetRows(inverse, u, work);
    return true;
  }

  /** Sorts the active rows into those that are independent over the free features, with the factor S, and the others. */
  #chooseIndependent(inverse: FreeInverse, { isActive, direction, S }: Workspace): void {
    const { rows } = this;
    const { count } = rows;
    const active: number[] = [];
    const dependent: number[] = [];
    for (let i = 0; i < count; i++) {
      if (isActive[i] === 0) continue;
      inverse.applyToRow(rows, i, direction);
      const own = active.length * count;
      for (let c = 0; c < active.length; c++) {
        const product = rowTimes(rows, active[c]!, direction);
        S[own + c] = (product - dot(S, own, S, c * count, c)) / S[c * count + c]!;
      }
      const whole = rowTimes(rows, i, direction);
      const pivot = whole - dot(S, own, S, own, active.length);
      if (!(pivot > DEPENDENT * whole)) {
        dependent.push(i);
        continue;
      }
      S[own + active.length] = Math.sqrt(pivot);
      active.push(i);
    }
    this.#active = active;
    this.#dependent = dependent;
  }

  /** Changes the step so that the active rows hold as equations. */
  #meetRows(inverse: FreeInverse, u: Float64Array, { d, x, missing, multipliers, direction, S }: Workspace): void {
    const { rows } = this;
    const active = this.#active;
    if (active.length === 0) return;
    for (let f = 0; f < u.length; f++) x[f] = u[f]! + d[f]!;
    for (let a = 0; a < active.length; a++) missing[a] = -slackOf(rows, active[a]!, x);
    solveWithStride(S, active.length, rows.count, missing);
    direction.fill(0);
    for (let a = 0; a < active.length; a++) {
      multipliers[active[a]!]! += missing[a]!;
      addRow(rows, active[a]!, missing[a]!, direction);
    }
    inverse.apply(direction);
    for (let f = 0; f < u.length; f++) d[f]! += direction[f]!;
  }

  /** Changes the bounds and rows that the solution contradicts. @returns how many these are */
  #exchange(curvature: Curvature, u: Float64Array, g: Float64Array, work: Workspace): number {
    const { rows, lower, upper } = this;
    const { side, isActive, d, x, pull, multipliers } = work;
    const p = u.length;
    let wrong = 0;
    for (let f = 0; f < p; f++) x[f] = u[f]! + d[f]!;
    for (const i of this.#dependent) {
      if (i >= rows.equations) isActive[i] = 0;
      if (holds(rows, i, x)) continue;
      // Too few features are free to meet the row: those that would help may move.
      const missing = -slackOf(rows, i, x);
      for (let k = rows.first[i]!; k < rows.first[i + 1]!; k++) {
        const f = rows.features[k]!;
        if (side[f] === FREE || lower[f] === upper[f]) continue;
        if (rows.values[k]! * missing * (side[f] === LOW ? 1 : -1) <= 0) continue;
        side[f] = FREE;
        wrong++;
      }
    }
    for (let i = rows.equations; i < rows.count; i++) {
      // Rows without a multiplier are not active, or active and no limit.
      if (multipliers[i] === 0 ? isActive[i] === 1 || holds(rows, i, x) : multipliers[i]! > 0) continue;
      isActive[i] = 1 - isActive[i]!;
      wrong++;
    }
    multiply(curvature, d, pull);
    let size = 0;
    for (let f = 0; f < p; f++) {
      size = Math.max(size, Math.abs(g[f]!), Math.abs(pull[f]!));
      pull[f]! -= g[f]!;
    }
    for (const i of this.#active) addRow(rows, i, -multipliers[i]!, pull);
    const least = TOLERANCE * size;
    for (let f = 0; f < p; f++) {
      if (lower[f] === upper[f]) continue;
      let next = side[f]!;
      if (next === LOW ? pull[f]! < -least : next === HIGH && pull[f]! > least) next = FREE;
      else if (next === FREE && x[f]! < lower[f]! - TOLERANCE) next = LOW;
      else if (next === FREE && x[f]! > upper[f]! + TOLERANCE) next = HIGH;
      if (next === side[f]) continue;
      side[f] = next;
      wrong++;
    }
    return wrong;
  }

  /** The point of the last round, without its roundings; null when these are too many. */
  #finished(inverse: FreeInverse, u: Float64Array, work: Workspace): Float64Array | null {
    this.#meetRows(inverse, u, work);
    const { side, d } = work;
    const x = new Float64Array(u.length);
    for (let f = 0; f < u.length; f++) {
      if (side[f] === LOW) x[f] = this.lower[f]!;
      else if (side[f] === HIGH) x[f] = this.upper[f]!;
      else x[f] = Math.min(this.upper[f]!, Math.max(this.lower[f]!, u[f]! + d[f]!));
    }
    return this.holdsAt(x) ? x : null;
  }
}

/** As `solveWithFactor` for a factor whose rows lie `stride` apart. */
function solveWithStride(L: Float64Array, N: number, stride: number, b: Float64Array): void {
  for (let i = 0; i < N; i++) b[i] = (b[i]! - dot(L, i * stride, b, 0, i)) / L[i * stride + i]!;
  for (let i = N - 1; i >= 0; i--) {
    const value = b[i]! / L[i * stride + i]!;
    b[i] = value;
    for (let j = 0; j < i; j++) b[j]! -= value * L[i * stride + j]!;
  }
}
