import { describe, expect, it } from 'vitest';
import { Acquisition, type Aim } from '../../src/optimizer/acquisition/acquisition.ts';
import { makeFailureModel } from '../../src/optimizer/acquisition/failure-model.ts';
import { climb } from '../../src/optimizer/search/box-newton.ts';
import type { InputScale } from '../../src/optimizer/surrogate/input-scale.ts';
import { Predictor } from '../../src/optimizer/surrogate/predictor.ts';
import { applySecantCorrection } from '../../src/optimizer/surrogate/secant-correction.ts';
import { smooth, surrogateOf, unlimited } from './surrogate-fixture.ts';

const AT = Float64Array.of(0.31, -0.42, 0.17);
const waves = (u: ArrayLike<number>) => {
  const [a, b, c] = [u[0]!, u[1]!, u[2]!];
  return [Math.sin(3 * a) + b * c, Math.exp(a + b) + 5, a * a - b + Math.cos(4 * c)];
};

/** The first variable lies between 1 and 20, the third between 1 and 5; the second has no logarithm. */
const logarithmic: InputScale = { ratio: Float64Array.of(20, 0, 5) };
const powers = (u: ArrayLike<number>) => {
  const [x, z] = [1 + 9.5 * (u[0]! + 1), 1 + 2 * (u[2]! + 1)];
  return [x * z ** 3 * Math.exp(0.3 * u[1]!), z / x ** 1.5 + 0.01 * Math.sin(3 * u[1]!), (x + u[1]!) / z];
};

function makeBoth(evaluate: (u: ArrayLike<number>) => number[], N: number, scale: InputScale | null = null) {
  const { surrogate, U, Y } = surrogateOf(evaluate, [0.5, 5.5, 0.4], N, 3, scale);
  return { surrogate, U, Y, predictor: new Predictor(surrogate, unlimited()) };
}

/** Largest relative difference between an analytic gradient and central differences. */
function gradientError(value: (u: Float64Array) => number, gradient: ArrayLike<number>, h = 1e-5): number {
  let worst = 0;
  for (let f = 0; f < AT.length; f++) {
    const at = (step: number) => {
      const u = AT.slice();
      u[f]! += step;
      return value(u);
    };
    const difference = (at(h) - at(-h)) / (2 * h);
    worst = Math.max(worst, Math.abs(gradient[f]! - difference) / Math.max(1, Math.abs(difference)));
  }
  return worst;
}

function checkGradients(predictor: Predictor): void {
  const { m, p } = predictor;
  predictor.predict(AT);
  predictor.differentiate();
  const mean = predictor.meanGradient.slice();
  const sigma = predictor.sigmaGradient.slice();
  for (let j = 0; j < m; j++) {
    const meanAt = (u: Float64Array) => {
      predictor.predictMeans(u);
      return predictor.mean[j]!;
    };
    const sigmaAt = (u: Float64Array) => {
      predictor.predict(u);
      return predictor.sigma[j]!;
    };
    expect(gradientError(meanAt, mean.subarray(j * p, (j + 1) * p))).toBeLessThan(1e-5);
    expect(gradientError(sigmaAt, sigma.subarray(j * p, (j + 1) * p))).toBeLessThan(1e-3);
  }
}

describe('a prediction', () => {
  it.each([
    ['few smooth cases', smooth, 6],
    ['many wavy cases', waves, 25],
  ])('has gradients that match central differences with %s', (_, evaluate, N) => {
    checkGradients(makeBoth(evaluate, N).predictor);
  });

  it('A prediction has gradients that match central differences on the logarithmic scale of the inputs', () => {
    const { surrogate, predictor } = makeBoth(powers, 25, logarithmic);
    expect(surrogate.kernels.some((kernel) => kernel.geometry.scale === logarithmic)).toBe(true);
    checkGradients(predictor);
  });

  it('learns a product of powers from six cases thanks to the logarithmic scale', () => {
    const product = (u: ArrayLike<number>) => powers(u).slice(0, 1);
    const worstOf = (scale: InputScale | null) => {
      const { surrogate } = surrogateOf(product, [30], 6, 3, scale);
      const predictor = new Predictor(surrogate, unlimited());
      return [AT, Float64Array.of(0.9, 0.8, -0.7), Float64Array.of(-0.8, -0.9, 0.9)].map((u) => {
        predictor.predictMeans(u);
        return Math.abs(surrogate.outputs[0]!.fitted!.warp.fromZ(predictor.mean[0]!) / product(u)[0]! - 1);
      });
    };
    expect(Math.max(...worstOf(logarithmic))).toBeLessThan(1e-6);
    expect(Math.max(...worstOf(null))).toBeGreaterThan(0.1);
  });

  it('A prediction has gradients that match central differences with a secant correction', () => {
    const { surrogate, predictor } = makeBoth(waves, 25);
    applySecantCorrection(surrogate, predictor, 2);
    checkGradients(predictor);
    const slope = Float64Array.of(0.3, -0.2, 0.1);
    predictor.setCorrections([
      { shift: 0.01, slope, center: AT.map((value) => value + 0.02), reach: 0.01 },
      null,
      null,
    ]);
    checkGradients(predictor);
  });

  it.each([
    ['plain', waves, null],
    ['logarithmic', powers, logarithmic],
  ])('has a Hessian that matches differences of the gradient on the %s scale', (_, evaluate, scale) => {
    const { predictor } = makeBoth(evaluate, 25, scale);
    for (let j = 0; j < 3; j++) {
      const H = new Float64Array(9);
      predictor.predictMeans(AT);
      predictor.addMeanHessian(j, 1, H);
      for (let f = 0; f < 3; f++) {
        const slope = (u: Float64Array) => {
          predictor.predictMeans(u);
          predictor.differentiateMeans();
          return predictor.meanGradient[j * 3 + f]!;
        };
        const row = Array.from({ length: 3 }, (_, g) => H[Math.max(f, g) * 3 + Math.min(f, g)]!);
        expect(gradientError(slope, row)).toBeLessThan(1e-4);
      }
    }
  });

  it('interpolates its cases, and the centre of a secant correction to the last digits', () => {
    const { surrogate, predictor, U } = makeBoth(waves, 25);
    const gapAt = (i: number) => {
      predictor.predict(U.subarray(i * 3, (i + 1) * 3));
      return surrogate.outputs.map(({ fitted }, j) => Math.abs(predictor.mean[j]! - fitted!.warp.z[i]!));
    };
    for (let i = 0; i < 25; i++) expect(Math.max(...gapAt(i))).toBeLessThan(1e-3);
    applySecantCorrection(surrogate, predictor, 4);
    expect(Math.max(...gapAt(4))).toBeLessThan(1e-13);
  });

  it('A prediction has a sigma that is positive at a case and larger away from all cases', () => {
    const { predictor, U } = makeBoth(waves, 25);
    predictor.predict(U.subarray(0, 3));
    const near = predictor.sigma.slice();
    predictor.predict(Float64Array.of(1, -1, 1));
    predictor.sigma.forEach((far, j) => {
      expect(near[j]!).toBeGreaterThan(0);
      expect(far).toBeGreaterThan(near[j]!);
    });
  });

  it('A prediction does not depend on the unit of an output', () => {
    const scaled = (u: ArrayLike<number>) => waves(u).map((y) => 1e9 * y);
    const one = surrogateOf(waves, [0.5, 5.5, 0.4], 25, 3).surrogate;
    const other = surrogateOf(scaled, [0.5e9, 5.5e9, 0.4e9], 25, 3).surrogate;
    const a = new Predictor(one, unlimited());
    const b = new Predictor(other, unlimited());
    a.predict(AT);
    b.predict(AT);
    one.outputs.forEach((output, j) => {
      const y = output.fitted!.warp.fromZ(a.mean[j]!);
      const z = other.outputs[j]!.fitted!.warp.fromZ(b.mean[j]!);
      expect(Math.abs(z / 1e9 - y)).toBeLessThan(1e-4);
    });
  });
});

describe('the acquisition', () => {
  const aims: [string, Aim[]][] = [
    ['intervals', ['interval', 'interval', 'interval']],
    ['an improvement', [{ incumbent: -0.2 }, 'interval', 'ignore']],
  ];

  it.each(aims)('has a gradient that matches central differences when it aims at %s', (_, aim) => {
    const { surrogate, predictor } = makeBoth(waves, 12);
    const acquisition = new Acquisition(
      surrogate,
      predictor,
      aim,
      [{ directed: true }, { directed: false }, { directed: false }],
      null,
    );
    for (const frozen of [null, Float64Array.of(0.3, 0.2, 0.5)]) {
      acquisition.evaluate(AT, frozen);
      acquisition.differentiate();
      const gradient = acquisition.gradient.slice();
      const value = (u: Float64Array) => acquisition.evaluate(u, frozen);
      expect(gradientError(value, gradient)).toBeLessThan(1e-3);
    }
  });

  it('avoids failed runs, with a gradient that matches central differences', () => {
    const cases = {
      N: 1,
      U: Float64Array.of(0.9, 0.9, 0.9),
      Y: new Float64Array(3),
      rows: [0],
      isAdmissible: Uint8Array.of(1),
      intervals: [],
      slopes: null,
      distrusted: [],
      loss: Float64Array.of(1),
      stall: 0,
      failedU: Float64Array.of(0.3, -0.3, 0.2, -0.8, -0.8, -0.8),
    };
    const failures = makeFailureModel(cases, 3)!;
    const gradient = new Float64Array(3);
    const value = failures.logSuccess(AT);
    failures.addGradient(AT, gradient);
    expect(value).toBeLessThan(-1);
    expect(failures.logSuccess(Float64Array.of(0.9, 0.9, 0.9))).toBeGreaterThan(-0.2);
    expect(gradientError((u) => failures.logSuccess(u), gradient)).toBeLessThan(1e-5);
  });

  it('The acquisition never falls during a climb, which stays inside the box', () => {
    const { surrogate, predictor } = makeBoth(waves, 12);
    const open = [0, 1, 2].map(() => ({ directed: false }));
    const acquisition = new Acquisition(surrogate, predictor, ['interval', 'interval', 'interval'], open, null);
    const box = { lower: Float64Array.of(-0.2, -0.5, 0.1), upper: Float64Array.of(0.4, 0.5, 0.1), conditions: null };
    for (const frozen of [null, Float64Array.of(0.3, 0.2, 0.5)]) {
      const u = Float64Array.of(0.4, -0.5, 0.1);
      const before = acquisition.evaluate(u, frozen);
      const reached = climb(acquisition, u, frozen, box, 25, unlimited());
      expect(reached).toBeGreaterThanOrEqual(before);
      expect(acquisition.evaluate(u, frozen)).toBe(reached);
      expect(u.every((value, f) => value >= box.lower[f]! && value <= box.upper[f]!)).toBe(true);
    }
  });
});
