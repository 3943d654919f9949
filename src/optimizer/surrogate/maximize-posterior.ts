import { isSpent, type Work } from '../numerics/work.ts';
import { clampParameters, type Fit, logPosterior, type Workspace } from './gaussian-process.ts';

/** Longest step in any log hyperparameter. */
const MAX_STEP = 1.5;
/** A step that gains, or promises, less than this many nats per output ends the search. */
const MIN_GAIN = 1e-3;
/** Number of times that a step is shortened before the search gives up. */
const BACKTRACKS = 4;

/** The highest point that a search has found. */
export interface Maximum {
  readonly theta: Float64Array;
  readonly value: number;
  /** q x q estimate of the inverse of the negative Hessian, for one output. */
  readonly inverse: Float64Array;
}

/** Starting point of a search. */
export interface Start {
  /** Length q. */
  readonly theta: Float64Array;
  /** Inverse Hessian of an earlier search for outputs of the same kind, which saves the first steps; null for none. */
  readonly inverse: Float64Array | null;
}

/**
 * Maximizes the log posterior by BFGS with at most `maxSteps` accepted steps.
 *
 * Source: Nocedal and Wright 2006, Numerical Optimization, 2nd ed. (N&W), algorithm 6.1 with backtracking.
 */
export function maximizePosterior(fit: Fit, start: Start, maxSteps: number, space: Workspace, work: Work): Maximum {
  const q = start.theta.length;
  const m = fit.outputs.length;
  let theta: Float64Array = start.theta.slice();
  clampParameters(fit, theta);
  let gradient = new Float64Array(q);
  let value = logPosterior(fit, theta, gradient, space, work);
  const H = start.inverse?.map((entry) => entry / m) ?? identity(q, 1 / m / Math.max(1, fit.geometry.N / 10));
  const finish = () => ({ theta, value, inverse: H.map((entry) => entry * m) });
  if (q === 0 || !Number.isFinite(value)) return finish();
  let trialGradient = new Float64Array(q);
  for (let step = 0; step < maxSteps && !isSpent(work, 0.6); step++) {
    const direction = ascentDirection(H, gradient);
    const slope = direction.reduce((sum, d, i) => sum + d * gradient[i]!, 0);
    if (!(slope > MIN_GAIN * m)) break;
    const evaluate = (trial: Float64Array) => {
      clampParameters(fit, trial);
      return logPosterior(fit, trial, trialGradient, space, work, value);
    };
    const next = backtrack({ theta, value }, direction, slope, evaluate);
    if (next === null) break;
    updateInverse(H, theta, next.theta, gradient, trialGradient);
    const gain = next.value - value;
    ({ theta, value } = next);
    [gradient, trialGradient] = [trialGradient, gradient];
    if (gain < MIN_GAIN * m) break;
  }
  return finish();
}

interface Point {
  readonly theta: Float64Array;
  readonly value: number;
}

/**
 * The first point with a larger value along the direction. Each step that does not gain is shortened to the vertex of the
 * parabola through the value and slope at its start and the value at its end, but to between 0.1 and 0.5 of its length.
 *
 * @param evaluate may move the point into its bounds
 * @returns null when no step gains
 * Source: N&W, section 3.5, quadratic interpolation.
 */
function backtrack(
  { theta, value }: Point,
  direction: Float64Array,
  slope: number,
  evaluate: (trial: Float64Array) => number,
): Point | null {
  let length = 1;
  for (let k = 0; k <= BACKTRACKS; k++) {
    const trial = theta.map((t, i) => t + length * direction[i]!);
    const trialValue = evaluate(trial);
    if (trialValue > value) return { theta: trial, value: trialValue };
    const vertex = (0.5 * slope * length) / (value + slope * length - trialValue);
    length *= Math.min(0.5, Math.max(0.1, Number.isFinite(vertex) ? vertex : 0.1));
  }
  return null;
}

function identity(q: number, scale: number): Float64Array {
  const H = new Float64Array(q * q);
  for (let i = 0; i < q; i++) H[i * q + i] = scale;
  return H;
}

/** H x for a full matrix H (q x q). */
function product(H: Float64Array, x: Float64Array): Float64Array {
  const q = x.length;
  return x.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < q; j++) sum += H[i * q + j]! * x[j]!;
    return sum;
  });
}

/** H times the gradient, shortened to the longest step allowed. */
function ascentDirection(H: Float64Array, gradient: Float64Array): Float64Array {
  const direction = product(H, gradient);
  const largest = direction.reduce((most, d) => Math.max(most, Math.abs(d)), 0);
  return largest > MAX_STEP ? direction.map((d) => d * (MAX_STEP / largest)) : direction;
}

/**
 * BFGS update of the inverse of the negative Hessian, skipped when the curvature is not positive.
 *
 * Source: N&W (6.17), multiplied out. A maximum is sought, so y is the difference of the negative gradients.
 */
function updateInverse(
  H: Float64Array,
  from: Float64Array,
  to: Float64Array,
  g0: Float64Array,
  g1: Float64Array,
): void {
  const q = from.length;
  const s = to.map((t, i) => t - from[i]!);
  const y = g0.map((g, i) => g - g1[i]!);
  let sy = 0;
  let yy = 0;
  let ss = 0;
  for (let i = 0; i < q; i++) {
    sy += s[i]! * y[i]!;
    yy += y[i]! * y[i]!;
    ss += s[i]! * s[i]!;
  }
  if (!(sy > 1e-10 * Math.sqrt(yy * ss))) return;
  const Hy = product(H, y);
  const yHy = Hy.reduce((sum, value, i) => sum + value * y[i]!, 0);
  for (let i = 0; i < q; i++) {
    for (let j = 0; j < q; j++) {
      H[i * q + j]! += ((sy + yHy) * s[i]! * s[j]!) / (sy * sy) - (Hy[i]! * s[j]! + s[i]! * Hy[j]!) / sy;
    }
  }
}
