import { describe, expect, it } from 'vitest';
import {
  appendRows,
  condition,
  type Fit,
  factorize,
  leaveOneOutPrecision,
  logPosterior,
  makeWorkspace,
  priorMode,
} from '../../src/optimizer/surrogate/gaussian-process.ts';
import { appendPoints, type KernelSpec, makeGeometry } from '../../src/optimizer/surrogate/kernels.ts';
import { maximizePosterior } from '../../src/optimizer/surrogate/maximize-posterior.ts';
import { pointsAndGeometry, smooth, unlimited } from './surrogate-fixture.ts';

const SPECS: KernelSpec[] = [
  { kind: 'q2', noisy: false },
  { kind: 'rbf', noisy: false },
  { kind: 'lin', noisy: true },
  { kind: 'rbf', noisy: true },
];

function standardized(values: readonly number[]): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return Float64Array.from(values, (value) => (value - mean) / sd);
}

function makeFit(spec: KernelSpec, N: number, p: number, roughness = 0): Fit {
  const { U, geometry } = pointsAndGeometry(N, p, 5);
  const rows = Array.from({ length: N }, (_, i) => smooth(U.subarray(i * p, (i + 1) * p)));
  // With nine points, fewer than the ten terms of a quadratic, every kernel interpolates. Roughness keeps the variance away
  // from its cap and the nugget away from its bound.
  const outputs = [1, 2].map((j) => standardized(rows.map((row, i) => row[j]! + roughness * Math.sin(37 * i))));
  return { geometry, spec, outputs, logEll: 0.3 };
}

describe('the log posterior of the hyperparameters', () => {
  it.each(SPECS)('has a gradient that matches central differences (kernel $kind, noisy $noisy)', (spec) => {
    const fit = makeFit(spec, 9, 3, 0.3);
    const space = makeWorkspace(9);
    const theta = priorMode(fit).map((value, k) => value + 0.1 * Math.sin(k + 1));
    if (spec.noisy) theta[theta.length - 1] = Math.log(0.05);
    const gradient = new Float64Array(theta.length);
    logPosterior(fit, theta, gradient, space, unlimited());
    theta.forEach((_, k) => {
      const at = (h: number) => {
        const moved = theta.slice();
        moved[k]! += h;
        return logPosterior(fit, moved, null, space, unlimited());
      };
      const difference = (at(1e-4) - at(-1e-4)) / 2e-4;
      expect(Math.abs(gradient[k]! - difference)).toBeLessThan(1e-3 * Math.max(1, Math.abs(difference)));
    });
  });

  it.each(SPECS)('rises when it is maximized (kernel $kind, noisy $noisy)', (spec) => {
    const fit = makeFit(spec, 9, 3, 0.3);
    const space = makeWorkspace(9);
    const before = logPosterior(fit, priorMode(fit), null, space, unlimited());
    const { theta, value } = maximizePosterior(fit, { theta: priorMode(fit), inverse: null }, 25, space, unlimited());
    expect(value).toBeGreaterThan(before);
    expect(logPosterior(fit, theta, null, space, unlimited())).toBe(value);
  });
});

describe('a factorized kernel', () => {
  it('A factorized kernel gives the leave-one-out residual that a refit without the case gives', () => {
    const N = 10;
    const p = 2;
    const fit = makeFit({ kind: 'rbf', noisy: true }, N, p);
    const theta = priorMode(fit);
    theta[theta.length - 1] = Math.log(1e-3);
    const y = fit.outputs[0]!;
    const full = factorize(fit, theta, makeWorkspace(N), unlimited())!;
    const { alpha } = condition(full, y, makeWorkspace(N));
    const precision = leaveOneOutPrecision(full);
    const left = 3;
    const kept = Array.from({ length: N }, (_, i) => i).filter((i) => i !== left);
    const U = Float64Array.from(kept.flatMap((i) => Array.from(fit.geometry.U.subarray(i * p, (i + 1) * p))));
    const geometry = makeGeometry(U, N - 1, p, fit.geometry.grouping);
    const smaller: Fit = { ...fit, geometry, outputs: [] };
    const reduced = factorize(smaller, theta, makeWorkspace(N - 1), unlimited())!;
    const one = condition(
      reduced,
      Float64Array.from(kept, (i) => y[i]!),
      makeWorkspace(N - 1),
    );
    let prediction = one.mean;
    const at = fit.geometry.U.subarray(left * p, (left + 1) * p);
    kept.forEach((_, k) => {
      let product = 0;
      let Z = 0;
      for (let f = 0; f < p; f++) {
        product += at[f]! * U[k * p + f]!;
        Z += (at[f]! - U[k * p + f]!) ** 2 * Math.exp(-2 * theta[f]!);
      }
      prediction += one.alpha[k]! * (Math.exp(theta[p]!) * product + Math.exp(-0.5 * Z));
    });
    expect(alpha[left]! / precision[left]!).toBeCloseTo(y[left]! - prediction, 6);
  });

  it.each(SPECS)('grows by points as if it were factorized with them (kernel $kind, noisy $noisy)', (spec) => {
    const [N, known, p] = [9, 6, 3];
    const { U } = pointsAndGeometry(N, p, 5);
    const { geometry } = pointsAndGeometry(known, p, 5);
    const fitOf = (count: number): Fit => {
      const { grouping } = geometry;
      return { geometry: makeGeometry(U.subarray(0, count * p), count, p, grouping), spec, outputs: [], logEll: 0.3 };
    };
    const theta = priorMode(fitOf(N));
    const whole = factorize(fitOf(N), theta, makeWorkspace(N), unlimited())!;
    const part = factorize(fitOf(known), theta, makeWorkspace(known), unlimited())!;
    const points = appendPoints(geometry, U.subarray(known * p));
    const grown = appendRows(part, points, spec.kind, unlimited());
    const y = Float64Array.from({ length: N }, (_, i) => smooth(U.subarray(i * p, (i + 1) * p))[2]!);
    const scale = Math.max(...whole.inverse.map(Math.abs));
    grown.inverse.forEach((value, k) => {
      expect(Math.abs(value - whole.inverse[k]!) / scale).toBeLessThan(1e-6);
    });
    expect(grown.logDeterminant).toBeCloseTo(whole.logDeterminant, 5);
    expect(condition(grown, y, makeWorkspace(N)).mean).toBeCloseTo(condition(whole, y, makeWorkspace(N)).mean, 5);
  });

  it('grows by a point that it holds already, twice', () => {
    for (const kind of ['lin', 'q2', 'rbf'] as const) {
      const { U, geometry } = pointsAndGeometry(5, 2, 5);
      const fit: Fit = { geometry, spec: { kind, noisy: false }, outputs: [], logEll: 0 };
      const factorized = factorize(fit, priorMode(fit), makeWorkspace(5), unlimited())!;
      const points = appendPoints(geometry, Float64Array.of(U[0]!, U[1]!, U[0]!, U[1]!));
      const { inverse, ones, total } = appendRows(factorized, points, kind, unlimited());
      expect([...inverse, ...ones, total].every(Number.isFinite)).toBe(true);
    }
  });

  it('exists for repeated points, thanks to a larger nugget', () => {
    const U = Float64Array.of(0.1, 0.1, 0.1, 0.5, 0.5, -0.3);
    const geometry = makeGeometry(U, 6, 1, { count: 1, of: new Int32Array(1) });
    for (const kind of ['lin', 'q2', 'rbf'] as const) {
      const fit: Fit = { geometry, spec: { kind, noisy: false }, outputs: [], logEll: 0 };
      const factorized = factorize(fit, priorMode(fit), makeWorkspace(6), unlimited());
      expect(factorized).not.toBeNull();
      expect(factorized!.inverse.every(Number.isFinite)).toBe(true);
    }
  });
});
