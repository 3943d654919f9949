import { describe, expect, it } from 'vitest';
import { logImprovementBelow } from '../../src/optimizer/acquisition/expected-improvement.ts';
import { type LogTerm, logIntervalProbability } from '../../src/optimizer/acquisition/interval-probability.ts';
import { logNormalCdf, normalCdf, normalDensity, normalQuantile } from '../../src/optimizer/numerics/normal.ts';
import table from '../reference/normal-tails.json' with { type: 'json' };

const blank = (): LogTerm => ({ value: 0, byMean: 0, bySpread: 0, curvature: 0 });
const relative = (value: number, expected: number) => Math.abs(value - expected) / Math.max(1, Math.abs(expected));

type Term = (mean: number, spread: number) => LogTerm;

const intervalTerm =
  (lower: number | null, upper: number | null): Term =>
  (mean, spread) => {
    const out = blank();
    logIntervalProbability(mean, spread, lower ?? -Infinity, upper ?? Infinity, out);
    return out;
  };

const improvementTerm =
  (incumbent: number): Term =>
  (mean, spread) => {
    const out = blank();
    logImprovementBelow(mean, spread, incumbent, out);
    return out;
  };

/** Largest relative difference between the derivatives and central differences. */
function derivativeError(term: Term, mean: number, spread: number): number {
  const h = 1e-5 * spread;
  const at = term(mean, spread);
  const byMean = (term(mean + h, spread).value - term(mean - h, spread).value) / (2 * h);
  const bySpread = (term(mean, spread + h).value - term(mean, spread - h).value) / (2 * h);
  const curvature = -(term(mean + h, spread).byMean - term(mean - h, spread).byMean) / (2 * h);
  return Math.max(relative(at.byMean, byMean), relative(at.bySpread, bySpread), relative(at.curvature, curvature));
}

describe('the normal distribution function', () => {
  it('The normal distribution function agrees with SciPy from 1000 standard deviations below the mean to 9 above', () => {
    for (const [x, expected] of table.logCdf as [number, number][]) {
      expect(relative(logNormalCdf(x), expected), `at ${x}`).toBeLessThan(4e-15);
    }
  });

  it('The normal distribution function is the exponential of its logarithm and has the density as its derivative', () => {
    for (const x of [-7, -2, -0.3, 0.2, 0.7, 3]) {
      expect(relative(Math.log(normalCdf(x)), logNormalCdf(x))).toBeLessThan(1e-14);
      expect((normalCdf(x + 1e-5) - normalCdf(x - 1e-5)) / 2e-5).toBeCloseTo(normalDensity(x), 9);
    }
  });
});

describe('the log probability of an interval', () => {
  it.each(table.interval)('agrees with a computation in 60 digits at $at', ({ at, log }) => {
    const [mean, spread, lower, upper] = at as [number, number, number | null, number | null];
    expect(relative(intervalTerm(lower, upper)(mean, spread).value, log)).toBeLessThan(1e-12);
  });

  it.each(table.narrow)('is that of density times width for the narrow interval $at', ({ at, log }) => {
    const [mean, spread, lower, upper] = at as [number, number, number, number];
    expect(relative(intervalTerm(lower, upper)(mean, spread).value, log)).toBeLessThan(1e-5);
  });

  it.each([...table.interval, ...table.narrow])('has derivatives that match central differences at $at', ({ at }) => {
    const [mean, spread, lower, upper] = at as [number, number, number | null, number | null];
    expect(derivativeError(intervalTerm(lower, upper), mean!, spread!)).toBeLessThan(1e-4);
  });

  it('The log probability of an interval stays finite, with a curvature of at least 0, however far away the interval is', () => {
    for (const distance of [1e2, 1e5, 1e9, 1e100]) {
      for (const term of [intervalTerm(null, 0)(distance, 1), intervalTerm(-1, 1)(distance, 1)]) {
        expect(Object.values(term).every(Number.isFinite)).toBe(true);
        expect(term.curvature).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

describe('the log expected improvement', () => {
  it.each(table.improvement)('agrees with a computation in 60 digits at $at', ({ at, log }) => {
    const [mean, spread, incumbent] = at as [number, number, number];
    expect(relative(improvementTerm(incumbent)(mean, spread).value, log)).toBeLessThan(1e-9);
  });

  it.each(table.improvement)('has derivatives that match central differences at $at', ({ at }) => {
    const [mean, spread, incumbent] = at as [number, number, number];
    expect(derivativeError(improvementTerm(incumbent), mean, spread)).toBeLessThan(1e-3);
  });
});

it('The quantile is the inverse of the distribution function', () => {
  for (const share of [1e-12, 0.1, 0.5, 0.9, 1 - 1e-9])
    expect(relative(normalCdf(normalQuantile(share)), share)).toBeLessThan(1e-9);
  expect(normalQuantile(0.9)).toBeCloseTo(1.2815515655446004, 9);
});
