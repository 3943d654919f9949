import { dot, multiplyLower, multiplyLowerTransposed, multiplyRows, multiplyTransposed } from '../linalg/cholesky.ts';
import type { Work } from '../numerics/work.ts';
import { toScale } from './input-scale.ts';
import { type Geometry, type KernelKind, makePointPairs, type PointPairs, pairWith } from './kernels.ts';
import type { OutputModel, Surrogate } from './model-choice.ts';

/** Standard deviation of an output that never varied, in units of its magnitude. */
const CONSTANT_SIGMA = 1e-6;

/** What a linear correction of one output near the centre adds; see endgame.ts. */
export interface Correction {
  readonly shift: number;
  /** Length p, or null without secants. */
  readonly slope: Float64Array | null;
  readonly center: Float64Array;
  /** Square of the distance over which the slope fades. */
  readonly reach: number;
}

/** Predictions of all outputs at one point, in the standardized units of their models. */
export interface Predictor {
  readonly m: number;
  readonly p: number;
  /** Length m. */
  readonly mean: Float64Array;
  readonly sigma: Float64Array;
  /** m x p: gradients of mean and sigma. */
  readonly meanGradient: Float64Array;
  readonly sigmaGradient: Float64Array;
  /** Fills `mean`, and on demand the others, at the features u (length p). */
  predict(u: Float64Array, gradient: boolean, sigma: boolean): void;
  /** Fills the gradients at u, where `predict` was called last, with the same `sigma`; costs as much again. */
  differentiate(u: Float64Array, sigma: boolean): void;
  /**
   * Adds `factor` times the Hessian of the mean of output j to H (p x p, lower triangle), at the point where `predict`
   * was called last; corrections are left out.
   */
  addMeanHessian(j: number, factor: number, H: Float64Array): void;
  /** Multiplies all spreads predicted from now on by this factor. */
  widen(factor: number): void;
  /** Sets the corrections, one or null per output. */
  correct(corrections: readonly (Correction | null)[]): void;
}

/** The point predicted last, as the kernels of one scale of the inputs see it. */
interface View {
  readonly geometry: Geometry;
  readonly pairs: PointPairs;
  /** Length p: its features on the scale, and their derivatives by the encoded ones. */
  readonly u: Float64Array;
  readonly slope: Float64Array;
  readonly bend: Float64Array;
  readonly hasCurved: boolean;
}

interface KernelState {
  readonly view: View;
  readonly kind: KernelKind;
  readonly users: readonly User[];
  readonly inverse: Float64Array;
  readonly ones: Float64Array;
  readonly total: number;
  /** e^w, 1 / ell^2 per group, and the same per feature. */
  readonly linear: number;
  readonly groupWeight: Float64Array;
  readonly weight: Float64Array;
  /** Length N, at the point predicted last: k(u, a_i), its derivative by Z (see `fillKernel`), and L^-1 k. */
  readonly k: Float64Array;
  readonly slopeOfK: Float64Array;
  readonly a: Float64Array;
  /** There too: 1 - 1' K^-1 k, and the root of the variance over that of the process; 0 where it has no slope. */
  rest: number;
  root: number;
}

interface User {
  readonly j: number;
  readonly alpha: Float64Array;
  readonly mean: number;
  readonly sigma: number;
  /** Length p: e^w sum_i alpha_i a_i. */
  readonly slope: Float64Array;
}

/** One view per scale in use. */
function makeViews({ kernels }: Surrogate): View[] {
  return [...new Set(kernels.map((kernel) => kernel.geometry))].map((geometry) => {
    const blank = () => new Float64Array(geometry.p);
    const hasCurved = kernels.some((kernel) => kernel.geometry === geometry && kernel.spec.kind !== 'lin');
    return { geometry, pairs: makePointPairs(geometry), u: blank(), slope: blank(), bend: blank(), hasCurved };
  });
}

function makeState(surrogate: Surrogate, views: readonly View[], index: number): KernelState {
  const { spec, factorized, geometry } = surrogate.kernels[index]!;
  const { U, N, p, grouping } = geometry;
  const view = views.find((one) => one.geometry === geometry)!;
  const { theta, inverse, ones, total } = factorized;
  const plain = spec.kind !== 'lin';
  const linear = plain ? Math.exp(theta[grouping.count]!) : 1;
  const groupWeight = new Float64Array(grouping.count);
  if (plain) for (let g = 0; g < grouping.count; g++) groupWeight[g] = Math.exp(-2 * theta[g]!);
  const weight = Float64Array.from(grouping.of, (g) => groupWeight[g]!);
  const users: User[] = [];
  surrogate.outputs.forEach(({ fitted }: OutputModel, j) => {
    if (fitted === null || fitted.kernel !== index) return;
    const { alpha, mean } = fitted.conditioned;
    const slope = new Float64Array(p);
    for (let i = 0; i < N; i++) for (let f = 0; f < p; f++) slope[f]! += linear * alpha[i]! * U[i * p + f]!;
    users.push({ j, alpha, mean, sigma: fitted.sigma, slope });
  });
  const blank = () => new Float64Array(N);
  const atPoint = { k: blank(), slopeOfK: blank(), a: blank(), rest: 0, root: 0 };
  return { view, kind: spec.kind, users, inverse, ones, total, linear, groupWeight, weight, ...atPoint };
}

/** Compiles a surrogate for fast evaluation. The arrays of the result are overwritten by every call of `predict`. */
export function makePredictor(surrogate: Surrogate, work: Work): Predictor {
  const { N, p, grouping } = surrogate.geometry;
  const m = surrogate.outputs.length;
  const views = makeViews(surrogate);
  const states = surrogate.kernels
    .map((_, index) => makeState(surrogate, views, index))
    .filter((state) => state.users.length > 0);
  const mean = new Float64Array(m);
  const sigma = new Float64Array(m).fill(CONSTANT_SIGMA);
  const meanGradient = new Float64Array(m * p);
  const sigmaGradient = new Float64Array(m * p);
  const v = new Float64Array(N);
  const factor = new Float64Array(N);
  const curved = new Float64Array(p);
  const straight = new Float64Array(p);
  const rootGradient = new Float64Array(p);
  let widening = 1;
  let corrections: readonly (Correction | null)[] = [];

  /** Fills k(u, a_i) and its derivative by Z (times -1 for rbf, which has dZ = 2 (u - a) / ell^2). */
  function fillKernel({ view, kind, linear, groupWeight, k, slopeOfK }: KernelState): void {
    const { pairs } = view;
    const { product } = pairs;
    multiplyRows(kind === 'rbf' ? pairs.distances : pairs.products, N, groupWeight.length, groupWeight, slopeOfK);
    for (let i = 0; i < N; i++) {
      const Z = slopeOfK[i]!;
      const R = kind === 'rbf' ? Math.exp(-0.5 * Z) : Z * Z;
      k[i] = linear * product[i]! + R;
      slopeOfK[i] = kind === 'rbf' ? R : 2 * Z;
    }
  }

  /** Writes the gradient of sum_i c_i k(u, a_i) without its linear part to `curved`. */
  function fillCurved({ view, kind, weight, slopeOfK }: KernelState, c: Float64Array): void {
    const { u } = view;
    let sum = 0;
    for (let i = 0; i < N; i++) {
      factor[i] = c[i]! * slopeOfK[i]!;
      sum += factor[i]!;
    }
    multiplyTransposed(view.geometry.U, N, p, factor, curved);
    for (let f = 0; f < p; f++) curved[f] = weight[f]! * (kind === 'rbf' ? curved[f]! - sum * u[f]! : curved[f]!);
  }

  function predictMean({ view, kind, k }: KernelState, { j, alpha, slope, mean: start }: User): void {
    mean[j] = start + (kind === 'lin' ? dot(slope, 0, view.u, 0, p) : dot(alpha, 0, k, 0, N));
  }

  function differentiateMean(state: KernelState, { j, alpha, slope }: User): void {
    if (state.kind === 'lin') curved.fill(0);
    else fillCurved(state, alpha);
    for (let f = 0; f < p; f++) meanGradient[j * p + f] = (slope[f]! + curved[f]!) * state.view.slope[f]!;
  }

  /** Root of the posterior variance over the process variance. */
  function predictRoot(state: KernelState): number {
    const { u } = state.view;
    const { kind, inverse, ones, total, linear, weight, k, a } = state;
    let square = 0;
    let Z = 0;
    for (let f = 0; f < p; f++) {
      square += u[f]! * u[f]!;
      Z += u[f]! * u[f]! * weight[f]!;
    }
    const own = linear * square + (kind === 'rbf' ? 1 : Z * Z);
    multiplyLower(inverse, N, k, a);
    const explained = dot(a, 0, a, 0, N);
    const rest = 1 - dot(ones, 0, k, 0, N);
    const floor = 1e-14 * (1 + own);
    const variance = own - explained + (rest * rest) / total;
    const root = Math.sqrt(Math.max(variance, floor));
    state.rest = rest;
    state.root = variance > floor ? root : 0;
    work.spent += (N * N) / 1e6;
    return root;
  }

  /** The gradient of `predictRoot`, into `rootGradient`. */
  function differentiateRoot(state: KernelState): void {
    const { u, slope, geometry } = state.view;
    const { kind, inverse, ones, total, linear, weight, a, rest, root } = state;
    rootGradient.fill(0);
    if (root === 0) return;
    multiplyLowerTransposed(inverse, N, a, v);
    for (let i = 0; i < N; i++) v[i] = -2 * v[i]! - (2 * rest * ones[i]!) / total;
    fillCurved(state, v);
    multiplyTransposed(geometry.U, N, p, v, straight);
    let Z = 0;
    for (let f = 0; f < p; f++) Z += u[f]! * u[f]! * weight[f]!;
    for (let f = 0; f < p; f++) {
      const own = 2 * linear * u[f]! + (kind === 'q2' ? 4 * Z * u[f]! * weight[f]! : 0);
      rootGradient[f] = (slope[f]! * (curved[f]! + linear * straight[f]! + own)) / (2 * root);
    }
    work.spent += (N * (N + 2 * p)) / 1e6;
  }

  function addMeanHessian(j: number, factor: number, H: Float64Array): void {
    const state = states.find((one) => one.users.some((user) => user.j === j));
    const user = state?.users.find((one) => one.j === j);
    if (!state || !user) return;
    const { kind, weight, slopeOfK, view } = state;
    const { u, slope } = view;
    const { U, scale } = view.geometry;
    if (scale) {
      // By the chain rule with features that curve themselves.
      if (kind === 'lin') curved.fill(0);
      else fillCurved(state, user.alpha);
      for (let f = 0; f < p; f++) H[f * p + f]! += factor * (user.slope[f]! + curved[f]!) * view.bend[f]!;
    }
    if (kind === 'lin') return;
    let total = 0;
    for (let i = 0; i < N; i++) {
      const c = factor * user.alpha[i]! * (kind === 'rbf' ? slopeOfK[i]! : 2);
      total += c;
      for (let f = 0; f < p; f++) {
        curved[f] = slope[f]! * weight[f]! * (kind === 'rbf' ? u[f]! - U[i * p + f]! : U[i * p + f]!);
        const along = c * curved[f]!;
        for (let g = 0; g <= f; g++) H[f * p + g]! += along * curved[g]!;
      }
    }
    if (kind === 'rbf') for (let f = 0; f < p; f++) H[f * p + f]! -= total * weight[f]! * slope[f]! ** 2;
    work.spent += (N * p * (p + 4)) / 1e6;
  }

  function lookAt({ geometry, u: scaled, slope, bend }: View, u: Float64Array): void {
    if (geometry.scale) toScale(geometry.scale, u, scaled, slope, bend);
    else {
      scaled.set(u);
      slope.fill(1);
    }
  }

  function correctMean(j: number, { shift, slope, center, reach }: Correction, u: Float64Array, gradient: boolean) {
    if (!gradient) mean[j]! += shift;
    if (slope === null) return;
    let along = 0;
    let distance = 0;
    for (let f = 0; f < p; f++) {
      const d = u[f]! - center[f]!;
      along += slope[f]! * d;
      distance += d * d;
    }
    const fade = Math.exp(-0.5 * (distance / reach));
    if (!gradient) mean[j]! += along * fade;
    else {
      for (let f = 0; f < p; f++) {
        meanGradient[j * p + f]! += fade * (slope[f]! - (along * (u[f]! - center[f]!)) / reach);
      }
    }
  }

  function correctAll(u: Float64Array, gradient: boolean): void {
    corrections.forEach((correction, j) => {
      if (correction) correctMean(j, correction, u, gradient);
    });
  }

  function predict(u: Float64Array, gradient: boolean, withSigma: boolean): void {
    for (const view of views) {
      lookAt(view, u);
      if (withSigma || view.hasCurved) pairWith(view.geometry, view.u, view.pairs);
    }
    for (const state of states) {
      if (state.kind !== 'lin' || withSigma) fillKernel(state);
      for (const user of state.users) predictMean(state, user);
      work.spent += (N * (2 * grouping.count + 2 * state.users.length + 8)) / 1e6;
      if (!withSigma) continue;
      const root = predictRoot(state);
      for (const user of state.users) sigma[user.j] = user.sigma * widening * root;
    }
    correctAll(u, false);
    if (gradient) differentiate(u, withSigma);
  }

  function differentiate(u: Float64Array, withSigma: boolean): void {
    for (const state of states) {
      for (const user of state.users) differentiateMean(state, user);
      work.spent += (2 * N * p * state.users.length) / 1e6;
      if (!withSigma) continue;
      differentiateRoot(state);
      for (const user of state.users) {
        const scale = user.sigma * widening;
        for (let f = 0; f < p; f++) sigmaGradient[user.j * p + f] = scale * rootGradient[f]!;
      }
    }
    correctAll(u, true);
  }

  return {
    m,
    p,
    mean,
    sigma,
    meanGradient,
    sigmaGradient,
    predict,
    differentiate,
    addMeanHessian,
    widen: (factor) => {
      widening = factor;
    },
    correct: (next) => {
      corrections = next;
    },
  };
}
