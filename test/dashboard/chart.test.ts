import { describe, expect, it } from 'vitest';
import { type Chart, frameOf } from '../../src/dashboard/parts/chart.ts';

const chart: Chart = {
  x: { label: 'Iteration', from: 0, to: 100 },
  y: { label: 'Distance', from: 0.01, to: 100, isLog: true },
  height: 300,
  draw: () => undefined,
};

describe('where a chart draws what', () => {
  it('spans its box with both axes', () => {
    const { left, right, top, bottom, x, y } = frameOf(chart, 600);
    expect([x(0), x(100), y(0.01), y(100)]).toEqual([left, right, bottom, top]);
    expect(y(1)).toBeCloseTo((top + bottom) / 2, 9);
    expect(right).toBeLessThan(600);
    expect(bottom).toBeLessThan(300);
  });

  it('draws 0 at the low end of a log axis', () => {
    const { bottom, y } = frameOf(chart, 600);
    expect(y(0)).toBe(bottom);
  });

  it('finds the value under the pointer, at most at an end', () => {
    const { x, xAt } = frameOf(chart, 600);
    expect(xAt(x(42))).toBeCloseTo(42, 9);
    expect([xAt(-50), xAt(5_000)]).toEqual([0, 100]);
  });

  it('shows a part only', () => {
    const { left, right, x, xAt } = frameOf(chart, 600, { from: 20, to: 30 });
    expect([x(20), x(30), xAt(left), xAt(right)]).toEqual([left, right, 20, 30]);
  });
});
