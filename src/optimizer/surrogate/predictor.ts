import { multiplyLower, multiplyLowerTransposed } from '../linalg/cholesky.ts';
import type { Work } from '../numerics/work.ts';
import type { KernelKind } from './kernels.ts';
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
  /** Adds `factor` times the Hessian of the mean of output j at u to H (p x p, lower triangle); see predict. */
  addMeanHessian(j: number, u: Float64Array, factor: number, H: Float64Array): void;
  /** Multiplies all spreads predicted from now on by this factor. */
  widen(factor: number): void;
  /** Sets the corrections, one or null per output. */
  correct(corrections: readonly (Correction | null)[]): void;
}

interface KernelState {
  readonly kind: KernelKind;
  readonly users: readonly User[];
  readonly inverse: Float64Array;
  readonly ones: Float64Array;
  readonly total: number;
  /** e^w, and 1 / ell^2 per feature. */
  readonly linear: number;
  readonly weight: Float64Array;
}

interface User {
  readonly j: number;
  readonly alpha: Float64Array;
  readonly mean: number;
  readonly sigma: number;
  /** Length p: e^w sum_i alpha_i a_i. */
  readonly slope: Float64Array;
}

function makeState(surrogate: Surrogate, index: number): KernelState {
  const { U, N, p, grouping } = surrogate.geometry;
  const { spec, factorized } = surrogate.kernels[index]!;
  const { theta, inverse, ones, total } = factorized;
  const plain = spec.kind !== 'lin';
  const linear = plain ? Math.exp(theta[grouping.count]!) : 1;
  const weight = new Float64Array(p);
  if (plain) for (let f = 0; f < p; f++) weight[f] = Math.exp(-2 * theta[grouping.of[f]!]!);
  const users: User[] = [];
  surrogate.outputs.forEach(({ fitted }: OutputModel, j) => {
    if (fitted === null || fitted.kernel !== index) return;
    const { alpha, mean } = fitted.conditioned;
    const slope = new Float64Array(p);
    for (let i = 0; i < N; i++) for (let f = 0; f < p; f++) slope[f]! += linear * alpha[i]! * U[i * p + f]!;
    users.push({ j, alpha, mean, sigma: fitted.sigma, slope });
  });
  return { kind: spec.kind, users, inverse, ones, total, linear, weight };
}

/** Compiles a surrogate for fast evaluation. The arrays of the result are overwritten by every call of `predict`. */
export function makePredictor(surrogate: Surrogate, work: Work): Predictor {
  const { U, N, p } = surrogate.geometry;
  const m = surrogate.outputs.length;
  const states = surrogate.kernels.map((_, index) => makeState(surrogate, index)).filter((s) => s.users.length > 0);
  const mean = new Float64Array(m);
  const sigma = new Float64Array(m).fill(CONSTANT_SIGMA);
  const meanGradient = new Float64Array(m * p);
  const sigmaGradient = new Float64Array(m * p);
  const k = new Float64Array(N);
  const slopeOfK = new Float64Array(N);
  const a = new Float64Array(N);
  const v = new Float64Array(N);
  const rootGradient = new Float64Array(p);
  let widening = 1;
  let corrections: readonly (Correction | null)[] = [];

  /** Fills k(u, a_i) and its derivative by Z (times -1 for rbf, which has dZ = 2 (u - a) / ell^2). */
  function fillKernel(state: KernelState, u: Float64Array): void {
    const { kind, linear, weight } = state;
    for (let i = 0; i < N; i++) {
      let product = 0;
      let Z = 0;
      const row = i * p;
      if (kind === 'rbf') {
        for (let f = 0; f < p; f++) {
          const d = u[f]! - U[row + f]!;
          product += u[f]! * U[row + f]!;
          Z += d * d * weight[f]!;
        }
        const R = Math.exp(-0.5 * Z);
        k[i] = linear * product + R;
        slopeOfK[i] = R;
      } else {
        for (let f = 0; f < p; f++) {
          const t = u[f]! * U[row + f]!;
          product += t;
          Z += t * weight[f]!;
        }
        k[i] = linear * product + Z * Z;
        slopeOfK[i] = 2 * Z;
      }
    }
  }

  /** Adds the gradient of sum_i c_i k(u, a_i) without its linear part to `out` at `start`. */
  function addGradient(state: KernelState, c: Float64Array, u: Float64Array, out: Float64Array, start: number): void {
    const { kind, weight } = state;
    let sum = 0;
    scratch.fill(0);
    for (let i = 0; i < N; i++) {
      const factor = c[i]! * slopeOfK[i]!;
      sum += factor;
      const row = i * p;
      for (let f = 0; f < p; f++) scratch[f]! += factor * U[row + f]!;
    }
    for (let f = 0; f < p; f++) {
      out[start + f]! += weight[f]! * (kind === 'rbf' ? scratch[f]! - sum * u[f]! : scratch[f]!);
    }
  }
  const scratch = new Float64Array(p);

  function predictMean(state: KernelState, user: User, u: Float64Array, gradient: boolean): void {
    const { j, alpha, slope } = user;
    let value = user.mean;
    if (state.kind === 'lin') for (let f = 0; f < p; f++) value += slope[f]! * u[f]!;
    else for (let i = 0; i < N; i++) value += alpha[i]! * k[i]!;
    mean[j] = value;
    if (!gradient) return;
    for (let f = 0; f < p; f++) meanGradient[j * p + f] = slope[f]!;
    if (state.kind !== 'lin') addGradient(state, alpha, u, meanGradient, j * p);
  }

  /** Root of the posterior variance over the process variance; its gradient goes to `rootGradient`. */
  function predictRoot(state: KernelState, u: Float64Array, gradient: boolean): number {
    const { kind, inverse, ones, total, linear, weight } = state;
    let square = 0;
    let Z = 0;
    for (let f = 0; f < p; f++) {
      square += u[f]! * u[f]!;
      Z += u[f]! * u[f]! * weight[f]!;
    }
    const own = linear * square + (kind === 'rbf' ? 1 : Z * Z);
    multiplyLower(inverse, N, k, a);
    let explained = 0;
    let c = 1;
    for (let i = 0; i < N; i++) {
      explained += a[i]! * a[i]!;
      c -= ones[i]! * k[i]!;
    }
    const floor = 1e-14 * (1 + own);
    const variance = own - explained + (c * c) / total;
    const root = Math.sqrt(Math.max(variance, floor));
    work.spent += (2 * N * N) / 1e6;
    if (!gradient) return root;
    rootGradient.fill(0);
    if (!(variance > floor)) return root;
    multiplyLowerTransposed(inverse, N, a, v);
    for (let i = 0; i < N; i++) v[i] = -2 * v[i]! - (2 * c * ones[i]!) / total;
    addGradient(state, v, u, rootGradient, 0);
    for (let i = 0; i < N; i++) for (let f = 0; f < p; f++) rootGradient[f]! += linear * v[i]! * U[i * p + f]!;
    for (let f = 0; f < p; f++) {
      const slopeOfOwn = 2 * linear * u[f]! + (kind === 'q2' ? 4 * Z * u[f]! * weight[f]! : 0);
      rootGradient[f] = (rootGradient[f]! + slopeOfOwn) / (2 * root);
    }
    return root;
  }

  function addMeanHessian(j: number, u: Float64Array, factor: number, H: Float64Array): void {
    const state = states.find((one) => one.users.some((user) => user.j === j));
    const user = state?.users.find((one) => one.j === j);
    if (!state || !user || state.kind === 'lin') return;
    fillKernel(state, u);
    const { kind, weight } = state;
    let total = 0;
    for (let i = 0; i < N; i++) {
      const c = factor * user.alpha[i]! * (kind === 'rbf' ? slopeOfK[i]! : 2);
      total += c;
      for (let f = 0; f < p; f++) {
        scratch[f] = weight[f]! * (kind === 'rbf' ? u[f]! - U[i * p + f]! : U[i * p + f]!);
        const along = c * scratch[f]!;
        for (let g = 0; g <= f; g++) H[f * p + g]! += along * scratch[g]!;
      }
    }
    if (kind === 'rbf') for (let f = 0; f < p; f++) H[f * p + f]! -= total * weight[f]!;
    work.spent += (N * p * (p + 4)) / 1e6;
  }

  function applyCorrection(j: number, { shift, slope, center, reach }: Correction, u: Float64Array, gradient: boolean) {
    mean[j]! += shift;
    if (slope === null) return;
    let along = 0;
    let distance = 0;
    for (let f = 0; f < p; f++) {
      const d = u[f]! - center[f]!;
      along += slope[f]! * d;
      distance += d * d;
    }
    const fade = Math.exp(-0.5 * (distance / reach));
    mean[j]! += along * fade;
    if (!gradient) return;
    for (let f = 0; f < p; f++) {
      meanGradient[j * p + f]! += fade * (slope[f]! - (along * (u[f]! - center[f]!)) / reach);
    }
  }

  function predict(u: Float64Array, gradient: boolean, withSigma: boolean): void {
    for (const state of states) {
      if (state.kind !== 'lin' || withSigma) fillKernel(state, u);
      for (const user of state.users) predictMean(state, user, u, gradient);
      work.spent += (N * p * (4 + (gradient ? 2 * state.users.length : 0)) + 2 * N * state.users.length) / 1e6;
      if (!withSigma) continue;
      const root = predictRoot(state, u, gradient);
      for (const user of state.users) {
        const scale = user.sigma * widening;
        sigma[user.j] = scale * root;
        if (gradient) for (let f = 0; f < p; f++) sigmaGradient[user.j * p + f] = scale * rootGradient[f]!;
      }
    }
    for (let j = 0; j < corrections.length; j++) {
      const correction = corrections[j];
      if (correction) applyCorrection(j, correction, u, gradient);
    }
  }

  return {
    m,
    p,
    mean,
    sigma,
    meanGradient,
    sigmaGradient,
    predict,
    addMeanHessian,
    widen: (factor) => {
      widening = factor;
    },
    correct: (next) => {
      corrections = next;
    },
  };
}
