import { type Acquisition, LEAST_GAIN } from '../acquisition/acquisition.ts';
import type { BoxProgram } from '../constraints/box-program.ts';
import { nearestIn } from '../constraints/region.ts';
import { choleskyInPlace, solveWithFactor } from '../linalg/cholesky.ts';
import type { RandomStream } from '../numerics/random.ts';
import { isSpent, type Work } from '../numerics/work.ts';
import type { Encoding } from '../space/encoding.ts';
import type { Box } from '../space/search-space.ts';

/** A function that `climb` maximizes, until a step gains less than `leastGain`. */
export type Climbable = Pick<
  Acquisition,
  'evaluate' | 'differentiate' | 'gradient' | 'jacobian' | 'curvature' | 'meanHessian'
> &
  Partial<Pick<Acquisition, 'leastGain'>>;

/** Draws uniform random points of the box, features; under conditions each is a step of one walk. */
export function drawerIn({ lower, upper, conditions }: Box, random: RandomStream): () => Float64Array {
  if (conditions !== null) return conditions.drawer(random, WALK_MOVES);
  return () => lower.map((low, f) => low + random.uniform() * (upper[f]! - low));
}

/** The box with every feature of a discrete variable fixed at its value in u (length p). */
export function holdDiscrete(encoding: Encoding, box: Box, u: Float64Array): Box {
  const isFree = (f: number) => encoding.discrete[encoding.owner[f]!] === 0;
  const fix = (ends: Float64Array) => ends.map((end, f) => (isFree(f) ? end : u[f]!));
  return { lower: fix(box.lower), upper: fix(box.upper), conditions: box.conditions };
}

/** Moves of a walk between two points to start from. */
const WALK_MOVES = 10;
const FIRST_DAMPING = 1e-3;
/** With less damping the Woodbury form loses its digits. */
const MIN_DAMPING = 1e-9;
/** Factors of the damping after a step that failed and after one that succeeded immediately. */
const DAMPING_UP = 6;
const DAMPING_DOWN = 0.2;
/** Factor of the damping after a program without an answer: with 6 the next two or three had none either. */
const DAMPING_UP_UNSOLVED = 36;
/** The climb ends after this many failures in a row. */
const MAX_FAILURES = 8;
/** Passes over the bounds that a step meets. */
const BOUND_PASSES = 3;

/** Quadratic model of the acquisition for a step d: value + g'd - d' (J' diag(c) J - M) d / 2. */
interface Model {
  /** Length p. */
  readonly g: Float64Array;
  /** m x p. */
  readonly J: Float64Array;
  /** Length m, >= 0. */
  readonly c: Float64Array;
  /** p x p, lower triangle; null for none. */
  readonly M: Float64Array | null;
  /** Length p: diag H + 1e-3 mean(diag H) + 1e-3, H = J' diag(c) J, the mean over the features that can move. */
  readonly metric: Float64Array;
}

/**
 * Climbs the acquisition from u (length p, changed in place) inside the box by damped Newton steps.
 *
 * Source: the damping is that of Levenberg 1944 and Marquardt 1963, with the diagonal of the Hessian as its metric.
 *
 * @param frozen length m, spreads that replace the predicted ones; null for the full acquisition
 * @returns the value reached; -Infinity when the conditions leave no point of the box
 */
export function climb(
  acquisition: Climbable,
  u: Float64Array,
  frozen: Float64Array | null,
  box: Box,
  maxIterations: number,
  work: Work,
): number {
  const program = box.conditions?.programWithin(box) ?? null;
  if (!moveInside(u, box, program)) return Number.NEGATIVE_INFINITY;
  let value = acquisition.evaluate(u, frozen);
  acquisition.differentiate();
  let lambda = FIRST_DAMPING;
  for (let iteration = 0; iteration < maxIterations && !isSpent(work, 1); iteration++) {
    const model = modelOf(acquisition, box);
    const B = program && rootOf(model);
    let gain = -1;
    for (let failure = 0; failure <= MAX_FAILURES; failure++) {
      const trial = program
        ? constrainedPoint(model, B!, u, { program, lambda }, work)
        : newtonPoint(model, u, box, lambda, work);
      // With more damping the program is easier. Here it fails for one step in ten; to solve these by rows one at a time
      // took half of the time and saved no run.
      if (trial === null) {
        lambda *= DAMPING_UP_UNSOLVED;
        continue;
      }
      // The bounds allow no step, whatever the damping.
      if (trial.every((value, f) => value === u[f])) break;
      if (box.conditions?.isCurvedMetAt(trial) === false) {
        lambda *= DAMPING_UP;
        continue;
      }
      const trialValue = acquisition.evaluate(trial, frozen);
      if (trialValue > value) {
        acquisition.differentiate();
        gain = trialValue - value;
        u.set(trial);
        value = trialValue;
        // After a failure the damping stays: a smaller one would fail again.
        if (failure === 0) lambda = Math.max(MIN_DAMPING, lambda * DAMPING_DOWN);
        break;
      }
      lambda *= DAMPING_UP;
    }
    if (gain < (acquisition.leastGain ?? LEAST_GAIN.usual)) break;
  }
  return value;
}

/** The model at the point differentiated last; a copy, since evaluations overwrite the arrays of the acquisition. */
function modelOf({ gradient, jacobian, curvature, meanHessian }: Climbable, box: Box): Model {
  return {
    g: gradient.slice(),
    J: jacobian.slice(),
    c: curvature.slice(),
    M: meanHessian?.slice() ?? null,
    metric: metricOf(jacobian, curvature, box),
  };
}

/** B with B'B = J' diag(c) J, m x p. */
function rootOf({ J, c }: Model): Float64Array {
  const B = J.slice();
  const p = J.length / c.length;
  for (let j = 0; j < c.length; j++) {
    const root = Math.sqrt(c[j]!);
    for (let f = 0; f < p; f++) B[j * p + f]! *= root;
  }
  return B;
}

/** Moves u to the nearest point of the box; false when its conditions leave none. */
function moveInside(u: Float64Array, { lower, upper, conditions }: Box, program: BoxProgram | null): boolean {
  for (let f = 0; f < u.length; f++) u[f] = Math.min(upper[f]!, Math.max(lower[f]!, u[f]!));
  if (program === null) return true;
  const nearest = program.isPlainlyEmpty() ? null : nearestIn(program, u);
  if (nearest === null) return false;
  u.set(nearest);
  return conditions!.isCurvedMetAt(u);
}

/** As `newtonPoint`, under the rows of conditions and bounds; null when the program ends without an answer. */
function constrainedPoint(
  { g, c, M, metric }: Model,
  B: Float64Array,
  u: Float64Array,
  { program, lambda }: { readonly program: BoxProgram; readonly lambda: number },
  work: Work,
): Float64Array | null {
  const diagonal = metric.map((one) => lambda * one);
  const before = program.flops;
  // With M the matrix may be indefinite; without it, it never is.
  const found =
    (M && program.solve({ diagonal, B, count: c.length, M }, u, g)) ??
    program.solve({ diagonal, B, count: c.length, M: null }, u, g);
  work.spent += (program.flops - before) / 1e6;
  return found;
}

/** The maximizer of the damped model in the box; features that a step takes beyond a bound are fixed there. */
function newtonPoint(model: Model, u: Float64Array, box: Box, lambda: number, work: Work): Float64Array {
  const p = u.length;
  const m = model.c.length;
  const diagonal = model.metric.map((one) => lambda * one);
  const step = new Float64Array(p);
  let free: number[] = [];
  for (let f = 0; f < p; f++) {
    const isBlocked = model.g[f]! > 0 ? u[f]! >= box.upper[f]! : u[f]! <= box.lower[f]!;
    if (box.lower[f]! < box.upper[f]! && !isBlocked) free.push(f);
  }
  for (let pass = 0; pass < BOUND_PASSES && free.length > 0; pass++) {
    const right = rightSide(model, step, free);
    const full = model.M ? solveDirectly(model, diagonal, right, free) : null;
    // With M the matrix may be indefinite; without it, it never is.
    const plain = { ...model, M: null };
    const solve = free.length > m ? solveByWoodbury : solveDirectly;
    const d = full ?? solve(plain, diagonal, right, free);
    work.spent += (Math.min(free.length, m) ** 2 * (free.length + m) + p * m) / 1e6;
    if (d === null) break;
    const staying: number[] = [];
    free.forEach((f, k) => {
      const target = u[f]! + d[k]!;
      step[f] = Math.min(box.upper[f]!, Math.max(box.lower[f]!, target)) - u[f]!;
      if (target >= box.lower[f]! && target <= box.upper[f]!) staying.push(f);
    });
    if (staying.length === free.length) break;
    free = staying;
  }
  const trial = new Float64Array(p);
  for (let f = 0; f < p; f++) trial[f] = Math.min(box.upper[f]!, Math.max(box.lower[f]!, u[f]! + step[f]!));
  return trial;
}

/** See `metric` of `Model`. */
function metricOf(J: Float64Array, c: Float64Array, box: Box): Float64Array {
  const p = box.lower.length;
  const out = new Float64Array(p);
  let trace = 0;
  let q = 0;
  for (let f = 0; f < p; f++) {
    for (let j = 0; j < c.length; j++) out[f]! += c[j]! * J[j * p + f]! * J[j * p + f]!;
    if (!(box.lower[f]! < box.upper[f]!)) continue;
    trace += out[f]!;
    q++;
  }
  const base = 1e-3 * (trace / Math.max(1, q)) + 1e-3;
  for (let f = 0; f < p; f++) out[f]! += base;
  return out;
}

/** Gradient of the model by the free features after the steps of those fixed at bounds. */
function rightSide({ g, J, c }: Model, step: Float64Array, free: readonly number[]): Float64Array {
  const p = step.length;
  const fixed = step.slice();
  for (const f of free) fixed[f] = 0;
  const right = Float64Array.from(free, (f) => g[f]!);
  for (let j = 0; j < c.length; j++) {
    let along = 0;
    for (let f = 0; f < p; f++) along += J[j * p + f]! * fixed[f]!;
    along *= c[j]!;
    if (along === 0) continue;
    for (let k = 0; k < free.length; k++) right[k]! -= along * J[j * p + free[k]!]!;
  }
  return right;
}

/** Solves (D + J' C J - M) d = r for the free features; null when the matrix is not positive definite. */
function solveDirectly(model: Model, diagonal: Float64Array, r: Float64Array, free: readonly number[]) {
  const L = factorize(model, diagonal, free);
  if (L === null) return null;
  const d = r.slice();
  solveWithFactor(L, free.length, d);
  return d;
}

/** The Cholesky factor of D + J' C J - M over the free features; null when the matrix is not positive definite. */
function factorize({ J, c, M }: Model, diagonal: Float64Array, free: readonly number[]): Float64Array | null {
  const q = free.length;
  const p = diagonal.length;
  const H = new Float64Array(q * q);
  for (let j = 0; j < c.length; j++) {
    for (let a = 0; a < q; a++) {
      const factor = c[j]! * J[j * p + free[a]!]!;
      if (factor === 0) continue;
      for (let b = 0; b <= a; b++) H[a * q + b]! += factor * J[j * p + free[b]!]!;
    }
  }
  for (let a = 0; a < q; a++) {
    H[a * q + a]! += diagonal[free[a]!]!;
    if (M) for (let b = 0; b <= a; b++) H[a * q + b]! -= M[free[a]! * p + free[b]!]!;
  }
  return choleskyInPlace(H, q) ? H : null;
}

/**
 * Solves (D + B' B) d = r, B = C^1/2 J, for the free features: d = D^-1 r - D^-1 B' (I + B D^-1 B')^-1 B D^-1 r. Without this
 * m x m system 200 features took 4 s.
 *
 * Source: Golub and Van Loan, Matrix Computations, 4th ed., section 2.1.4 (Sherman, Morrison and Woodbury).
 */
function solveByWoodbury({ J, c }: Model, diagonal: Float64Array, r: Float64Array, free: readonly number[]) {
  const q = free.length;
  const m = c.length;
  const p = diagonal.length;
  const B = new Float64Array(m * q);
  for (let j = 0; j < m; j++) {
    const root = Math.sqrt(c[j]!);
    for (let a = 0; a < q; a++) B[j * q + a] = root * J[j * p + free[a]!]!;
  }
  const scaled = Float64Array.from(free, (f, a) => r[a]! / diagonal[f]!);
  const M = new Float64Array(m * m);
  const t = new Float64Array(m);
  for (let j = 0; j < m; j++) {
    for (let k = 0; k <= j; k++) {
      let sum = 0;
      for (let a = 0; a < q; a++) sum += (B[j * q + a]! * B[k * q + a]!) / diagonal[free[a]!]!;
      M[j * m + k] = sum + (j === k ? 1 : 0);
    }
    for (let a = 0; a < q; a++) t[j]! += B[j * q + a]! * scaled[a]!;
  }
  if (!choleskyInPlace(M, m)) return null;
  solveWithFactor(M, m, t);
  for (let a = 0; a < q; a++) {
    let sum = 0;
    for (let j = 0; j < m; j++) sum += B[j * q + a]! * t[j]!;
    scaled[a]! -= sum / diagonal[free[a]!]!;
  }
  return scaled;
}
