import { describe, expect, it } from 'vitest';
import type { Variable } from '../../src/optimizer/interface/problem.ts';
import { makeEncoding } from '../../src/optimizer/space/encoding.ts';
import { logScale, toScale } from '../../src/optimizer/surrogate/input-scale.ts';

const variable = (kind: Variable['kind'], minimum: number, maximum: number): Variable => ({ kind, minimum, maximum });
const encodingOf = (...variables: Variable[]) => makeEncoding({ variables });
const scaled = (ratio: number, u: number) => {
  const [out, slope, curvature] = [new Float64Array(1), new Float64Array(1), new Float64Array(1)];
  toScale({ ratio: Float64Array.of(ratio) }, Float64Array.of(u), out, { slope, curvature });
  return { value: out[0]!, slope: slope[0]!, curvature: curvature[0]! };
};

describe('the logarithmic scale of the inputs', () => {
  it('applies to positive numbers whose bounds differ by at least a factor of two', () => {
    const encoding = encodingOf(
      variable('float', 1, 10),
      variable('category', 1, 3),
      variable('integer', 2, 4),
      variable('float', 0, 10),
      variable('float', 6, 10),
      variable('float', 5, 5),
    );
    expect(Array.from(logScale(encoding)!.ratio)).toEqual([10, 0, 0, 0, 2, 0, 0, 0]);
  });

  it.each([
    ['that starts at zero', variable('float', 0, 1)],
    ['that changes its sign', variable('float', -1, 1)],
    ['whose ratio of bounds overflows', variable('float', Number.MIN_VALUE, Number.MAX_VALUE)],
    ['that has no order', variable('category', 1, 9)],
  ])('does not apply to a variable %s', (_, one) => {
    expect(logScale(encodingOf(one))).toBeNull();
  });

  it('maps the box to itself and the geometric mean of the bounds to its middle', () => {
    for (const ratio of [2, 10, 1e6]) {
      expect(scaled(ratio, -1).value).toBeCloseTo(-1, 12);
      expect(scaled(ratio, 1).value).toBeCloseTo(1, 12);
      expect(scaled(ratio, (2 * (Math.sqrt(ratio) - 1)) / (ratio - 1) - 1).value).toBeCloseTo(0, 6);
    }
  });

  it('The logarithmic scale of the inputs has a slope and curvature that match differences, also outside the box', () => {
    for (const u of [-3, -1.2, -0.9, 0, 0.7, 4]) {
      const h = 1e-5;
      const [above, below, at] = [scaled(30, u + h), scaled(30, u - h), scaled(30, u)];
      expect(at.slope).toBeCloseTo((above.value - below.value) / (2 * h), 6);
      expect(at.curvature).toBeCloseTo((above.slope - below.slope) / (2 * h), 4);
    }
  });
});
