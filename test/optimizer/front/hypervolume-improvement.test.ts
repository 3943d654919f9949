import { describe, expect, it } from 'vitest';
import {
  type FrontOutput,
  HypervolumeImprovement,
} from '../../../src/optimizer/acquisition/hypervolume-improvement.ts';
import { freeBoxes, hypervolume } from '../../../src/optimizer/numerics/hypervolume.ts';
import { makeRandom } from '../../../src/optimizer/numerics/random.ts';

const identity = { toZ: (y: number) => y, fromZ: (z: number) => z };
const outputs = (signs: readonly (1 | -1)[]): FrontOutput[] => signs.map((sign, j) => ({ j, sign, warp: identity }));

const FRONT = [
  [0, 2, 1],
  [1, 1, 1.5],
  [2, 0, 0.5],
  [1.5, 1.5, 0],
];

/** The log of the expected gain with its derivatives by means and spreads. */
function evaluate(gain: HypervolumeImprovement, mean: readonly number[], spread: readonly number[]) {
  const byMean = new Float64Array(mean.length);
  const bySpread = new Float64Array(mean.length);
  const curvature = new Float64Array(mean.length);
  const value = gain.evaluate(Float64Array.from(mean), (j) => spread[j]!, byMean, bySpread, curvature);
  return { value, byMean, bySpread, curvature };
}

describe.each([1, 2, 3])('the hypervolume expected with %i outputs', (d) => {
  const points = FRONT.map((point) => point.slice(0, d));
  const reference = [3, 3, 2].slice(0, d);
  const boxes = freeBoxes(points, reference);

  it('is the mean gain of draws', () => {
    const mean = [0.6, 0.8, 0.7].slice(0, d);
    const spread = [0.5, 0.8, 0.4].slice(0, d);
    const random = makeRandom(1);
    const before = hypervolume(points, reference);
    const draws = 20_000;
    let sum = 0;
    for (let k = 0; k < draws; k++) {
      const y = mean.map((value, j) => value + spread[j]! * random.normal());
      sum += hypervolume([...points, y], reference) - before;
    }
    const { value } = evaluate(new HypervolumeImprovement(outputs([1, 1, 1].slice(0, d) as 1[]), boxes), mean, spread);
    expect(Math.exp(value) / (sum / draws)).toBeCloseTo(1, 1);
  });

  it('has these derivatives, also where a gain is hopeless and for outputs to maximize', () => {
    const signs = ([1, -1, 1] as const).slice(0, d);
    const gain = new HypervolumeImprovement(outputs(signs), boxes);
    for (const mean of [
      [0.6, -0.8, 0.7],
      [2.5, -2.6, 1.8],
      [30, -40, 20],
    ]) {
      const at = mean.slice(0, d);
      const spread = [0.5, 0.8, 0.4].slice(0, d);
      const { value, byMean, bySpread } = evaluate(gain, at, spread);
      expect(value).toBeGreaterThan(-1e5);
      const h = 1e-5;
      for (let j = 0; j < d; j++) {
        const moved = (list: readonly number[], by: number) => list.map((one, k) => (k === j ? one + by : one));
        const meanSlope =
          (evaluate(gain, moved(at, h), spread).value - evaluate(gain, moved(at, -h), spread).value) / (2 * h);
        const spreadSlope =
          (evaluate(gain, at, moved(spread, h)).value - evaluate(gain, at, moved(spread, -h)).value) / (2 * h);
        expect(byMean[j]! / meanSlope).toBeCloseTo(1, 3);
        expect(Math.abs(bySpread[j]! - spreadSlope)).toBeLessThan(1e-3 * (1 + Math.abs(spreadSlope)));
      }
    }
  });
});
