import { isSpent, type Work } from '../numerics/work.ts';
import { clampParameters, type Fit, logPosterior, type Workspace } from './gaussian-process.ts';

/** Longest step in one log hyperparameter. */
const LONGEST_STEP = 1.5;
/** A step that gains, or promises, less than this many nats per output ends the search. */
const SMALL_GAIN = 1e-3;

/** Shortenings of a step before it is given up. */
const BACKTRACKS = 4;

export interface Maximum {
  readonly theta: Float64Array;
  readonly value: number;
  /** q x q estimate of the inverse of the negative Hessian, per output. */
  readonly inverse: Float64Array;
}

/**
 * Maximizes the log posterior by BFGS from `start`, at most `maxSteps` accepted steps.
 *
 * @param prior `inverse` of an earlier search for outputs of the same kind, which saves its first steps; null without
 * Source: Nocedal and Wright, Numerical Optimization, 2nd ed., algorithm 6.1 with backtracking by interpolation.
 */
export function maximizePosterior(
  fit: Fit,
  start: Float64Array,
  prior: Float64Array | null,
  maxSteps: number,
  space: Workspace,
  work: Work,
): Maximum {
  const q = start.length;
  const m = fit.outputs.length;
  let theta = start.slice();
  clampParameters(fit, theta);
  let gradient = new Float64Array(q);
  let value = logPosterior(fit, theta, gradient, space, work);
  const H = prior ? prior.map((entry) => entry / m) : identity(q, 1 / m / Math.max(1, fit.geometry.N / 10));
  const finish = () => ({ theta, value, inverse: H.map((entry) => entry * m) });
  if (q === 0 || !Number.isFinite(value)) return finish();
  let trialGradient = new Float64Array(q);
  for (let step = 0; step < maxSteps && !isSpent(work, 0.6); step++) {
    const direction = ascent(H, gradient);
    const slope = direction.reduce((sum, d, i) => sum + d * gradient[i]!, 0);
    if (!(slope > SMALL_GAIN * m)) break;
    let trial = theta;
    let trialValue = value;
    let length = 1;
    for (let k = 0; k <= BACKTRACKS; k++) {
      trial = theta.map((t, i) => t + length * direction[i]!);
      clampParameters(fit, trial);
      trialValue = logPosterior(fit, trial, trialGradient, space, work, value);
      if (trialValue > value) break;
      // Vertex of the parabola through the value and slope at 0 and the value here, kept between 0.1 and 0.5.
      const vertex = (0.5 * slope * length) / (value + slope * length - trialValue);
      length *= Math.min(0.5, Math.max(0.1, Number.isFinite(vertex) ? vertex : 0.1));
    }
    if (!(trialValue > value)) break;
    updateInverse(H, theta, trial, gradient, trialGradient);
    const gain = trialValue - value;
    theta = trial;
    value = trialValue;
    [gradient, trialGradient] = [trialGradient, gradient];
    if (gain < SMALL_GAIN * m) break;
  }
  return finish();
}

function identity(q: number, scale: number): Float64Array {
  const H = new Float64Array(q * q);
  for (let i = 0; i < q; i++) H[i * q + i] = scale;
  return H;
}

function ascent(H: Float64Array, gradient: Float64Array): Float64Array {
  const q = gradient.length;
  const direction = new Float64Array(q);
  let largest = 0;
  for (let i = 0; i < q; i++) {
    let sum = 0;
    for (let j = 0; j < q; j++) sum += H[i * q + j]! * gradient[j]!;
    direction[i] = sum;
    largest = Math.max(largest, Math.abs(sum));
  }
  if (largest > LONGEST_STEP) for (let i = 0; i < q; i++) direction[i]! *= LONGEST_STEP / largest;
  return direction;
}

/** BFGS update of the inverse of the negative Hessian, skipped when the curvature is not positive. */
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
  const Hy = new Float64Array(q);
  let yHy = 0;
  for (let i = 0; i < q; i++) {
    let sum = 0;
    for (let j = 0; j < q; j++) sum += H[i * q + j]! * y[j]!;
    Hy[i] = sum;
    yHy += sum * y[i]!;
  }
  for (let i = 0; i < q; i++) {
    for (let j = 0; j < q; j++) {
      H[i * q + j]! += ((sy + yHy) * s[i]! * s[j]!) / (sy * sy) - (Hy[i]! * s[j]! + s[i]! * Hy[j]!) / sy;
    }
  }
}
