import type { Work } from '../numerics/work.ts';
import type { OutputInsight } from '../problem.ts';
import { type Coding, levelCount, snap } from '../space.ts';
import { leaveOneOutPrecision } from '../surrogate/gaussian-process.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';

/** Lattice sizes, primes; the largest that the work allows is taken. */
const SIZES = [1021, 509, 251, 127, 61, 31];
/** Million flops for the sensitivities. */
const SENSITIVITY_WORK = 20;
/** Generator of the lattice; powers of it modulo the size fill the cube evenly. */
const GENERATOR = 76;

/** Quality and sensitivities of all outputs by the surrogate. */
export function outputInsights(
  coding: Coding,
  surrogate: Surrogate,
  predictor: Predictor,
  work: Work,
): OutputInsight[] {
  const sensitivity = totalEffects(coding, surrogate, predictor, work);
  return surrogate.outputs.map((_, j) => ({
    crossValidated: crossValidate(surrogate, j),
    sensitivity: Array.from(sensitivity.subarray(j * coding.n, (j + 1) * coding.n), finite),
  }));
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** Leave-one-out residuals of output j on the standardized scale, length N; null for a constant. */
export function residualsOf(surrogate: Surrogate, j: number): Float64Array | null {
  const fitted = surrogate.outputs[j]!.fitted;
  if (!fitted) return null;
  const precision = leaveOneOutPrecision(surrogate.kernels[fitted.kernel]!.factorized);
  return fitted.conditioned.alpha.map((value, i) => (precision[i]! > 0 ? value / precision[i]! : 0));
}

function crossValidate(surrogate: Surrogate, j: number): OutputInsight['crossValidated'] {
  const residuals = residualsOf(surrogate, j);
  const N = surrogate.geometry.N;
  if (!residuals || N < 3) return { r2: null, rmse: residuals || N < 3 ? null : 0 };
  const { z, fromZ } = surrogate.outputs[j]!.fitted!.warp;
  const observed = z.map(fromZ);
  const largest = observed.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = observed.reduce((sum, value) => sum + value / N, 0);
  let missed = 0;
  let spread = 0;
  for (let i = 0; i < N; i++) {
    missed += ((observed[i]! - fromZ(z[i]! - residuals[i]!)) / largest) ** 2;
    spread += ((observed[i]! - mean) / largest) ** 2;
  }
  const r2 = 1 - missed / spread;
  const rmse = Math.sqrt(missed / N) * largest;
  return { r2: Number.isFinite(r2) ? r2 : null, rmse: Number.isFinite(rmse) ? rmse : null };
}

/**
 * Total effects of the inputs on the predicted mean, m x n, natural output units.
 *
 * Two samples of the box from one rank-1 lattice in 2 n dimensions; each input in turn is exchanged between them.
 * Source: Jansen 1999, Computer Physics Communications 117; Saltelli et al. 2010, table 2, estimator (f).
 */
function totalEffects(coding: Coding, surrogate: Surrogate, predictor: Predictor, work: Work): Float64Array {
  const { n, p } = coding;
  const m = surrogate.outputs.length;
  const perPoint = (surrogate.geometry.N * (4 * p * surrogate.kernels.length + 2 * m)) / 1e6;
  const size = SIZES.find((one) => one * (n + 1) * perPoint < SENSITIVITY_WORK) ?? SIZES[SIZES.length - 1]!;
  const u = new Float64Array(p);
  const values = new Float64Array(m);
  const evaluate = (out: Float64Array) => {
    predictor.predict(u, false, false);
    surrogate.outputs.forEach(({ fitted }, j) => {
      out[j] = fitted ? fitted.warp.fromZ(predictor.mean[j]!) : 0;
    });
  };
  const multipliers = Array.from({ length: 2 * n }, () => 1);
  for (let v = 1; v < 2 * n; v++) multipliers[v] = (multipliers[v - 1]! * GENERATOR) % size;
  const base = new Float64Array(size * m);
  const squares = new Float64Array(m * n);
  for (let k = 0; k < size && work.spent < work.limit; k++) {
    const share = (v: number) => ((k * multipliers[v]!) % size) / size + 0.5 / size;
    for (let v = 0; v < n; v++) place(coding, v, share(v), u);
    evaluate(values);
    base.set(values, k * m);
    for (let v = 0; v < n; v++) {
      if (coding.movable[v] === 0) continue;
      place(coding, v, share(n + v), u);
      evaluate(values);
      for (let j = 0; j < m; j++) squares[j * n + v]! += (values[j]! - base[k * m + j]!) ** 2;
      place(coding, v, share(v), u);
    }
  }
  for (let j = 0; j < m; j++) {
    let mean = 0;
    for (let k = 0; k < size; k++) mean += base[k * m + j]! / size;
    let variance = 0;
    for (let k = 0; k < size; k++) variance += (base[k * m + j]! - mean) ** 2;
    for (let v = 0; v < n; v++) squares[j * n + v] = variance > 0 ? squares[j * n + v]! / (2 * variance) : 0;
  }
  return squares;
}

/** Sets the features of variable v to its quantile `share` in [0, 1); every level of a discrete one is as likely. */
function place(coding: Coding, v: number, share: number, u: Float64Array): void {
  const from = coding.first[v]!;
  const to = coding.first[v + 1]!;
  if (coding.movable[v] === 0) return;
  if (coding.discrete[v] === 0) {
    u[from] = 2 * share - 1;
    return;
  }
  const levels = levelCount(coding.variables[v]!);
  const level = Math.floor(share * levels);
  if (to - from === 1) u[from] = (2 * level) / (levels - 1) - 1;
  else for (let f = from; f < to; f++) u[f] = (f - from === level ? 1 : 0) - 1 / levels;
}

/** Replaces u by the features of its nearest admissible input and returns that input. */
export function admissible(coding: Coding, u: Float64Array): Float64Array {
  const x = new Float64Array(coding.n);
  snap(coding, u, x);
  return x;
}
