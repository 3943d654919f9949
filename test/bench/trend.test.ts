import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/chaos/random.ts';
import { trendOf } from '../../bench/drills/trend.ts';

/** 50 samples of a line with uniform noise. */
function samples(level: number, slope: number, noise: number): [number, number][] {
  const random = randomFrom(7);
  return Array.from({ length: 50 }, (_, i) => [1_000 * i, level + slope * 1_000 * i + noise * (random() - 0.5)]);
}

describe('trendOf', () => {
  it('a trend has the slope and the error of least squares', () => {
    // By hand: means 2 and 3, slope 3/2, residuals 0.5, -1, 0.5.
    const trend = trendOf([
      [1, 2],
      [2, 2],
      [3, 5],
    ]);
    expect(trend).toMatchObject({ mean: 3, slope: 1.5, growth: 3 });
    expect(trend.error).toBeCloseTo(Math.sqrt(1.5 / 1 / 2), 12);
  });

  it('a trend through noise around a level is flat, however large the noise', () => {
    expect(trendOf(samples(100e6, 0, 1e6)).isFlat).toBe(true);
    expect(trendOf(samples(100e6, 0, 60e6)).isFlat).toBe(true);
  });

  it('a trend that certainly grows, but too little to matter, is flat', () => {
    expect(trendOf(samples(100e6, 10, 1e3)).isFlat).toBe(true);
  });

  it('a trend with a leak of 200 bytes per cycle under megabytes of noise is not flat', () => {
    expect(trendOf(samples(100e6, 200, 4e6)).isFlat).toBe(false);
  });

  it('a trend that falls is flat', () => {
    expect(trendOf(samples(100e6, -1_000, 1e3)).isFlat).toBe(true);
  });

  it('a trend needs at least three points', () => {
    expect(() => trendOf(samples(1, 1, 1).slice(0, 2))).toThrow('at least 3 points');
  });
});
