import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allKeys, keysAtFirst, makeAxis, valueOn } from '../../src/dashboard/views/objective/state/axes.ts';
import type { Columns, Head } from '../../src/presentation/columns.ts';
import { improvements } from '../../src/presentation/distance-data.ts';
import { logFloor, positionOn, ticksOn, valueAt } from '../../src/presentation/scales.ts';

describe('positions on an axis', () => {
  it('lead back to the value, on linear and log axes', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, fc.boolean(), (position, isLog) => {
        const scale = { low: 0.001, high: 1_000, isLog };
        expect(positionOn(scale, valueAt(scale, position))).toBeCloseTo(position, 6);
      }),
    );
    expect(positionOn({ low: 1, high: 100, isLog: true }, 10)).toBeCloseTo(0.5);
    expect(positionOn({ low: 1, high: 100, isLog: true }, -4)).toBe(0);
    expect(positionOn({ low: 3, high: 3, isLog: false }, 3)).toBe(0.5);
  });

  it('Ticks are round and lie on the axis', () => {
    expect(ticksOn({ low: 0, high: 1, isLog: false }, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticksOn({ low: 0.001, high: 10, isLog: true }, 5)).toEqual([0.001, 0.01, 0.1, 1, 10]);
    expect(ticksOn({ low: 4, high: 4, isLog: false }, 5)).toEqual([4]);
  });

  it('The floor lies a decade below the smallest distance, and not endlessly deep', () => {
    expect(logFloor([Number.NaN, 0, 3, 0.02])).toEqual({ floor: expect.closeTo(0.001), top: 10 });
    expect(logFloor([0, Number.NaN])).toEqual({ floor: 0.1, top: 1 });
    expect(logFloor([1, Number.MIN_VALUE]).floor).toBeGreaterThanOrEqual(1e-14);
  });

  it('The best so far becomes better where it says so, the newest first', () => {
    const best = Float64Array.of(Number.NaN, 5, 5, 2, 2, 0);
    expect(improvements({ best }, 10)).toEqual([5, 3, 1]);
    expect(improvements({ best }, 1)).toEqual([5]);
  });
});

describe('the axes', () => {
  const head = {
    minimums: [0, 0.001, 0],
    maximums: [10, 10, 2],
    inputTypes: ['float', 'float', 'category'],
    categories: [[], [], ['A', 'B', 'C']],
    scales: [null, 'log', null],
    inputNames: ['Length', 'Flow', 'Alloy'],
    inputUnits: ['m', 'kg/s', ''],
    objectives: [5],
    outputNames: null,
    outputUnits: ['kW'],
    intervals: [{ lower: null, upper: 20, lowerOpen: false, upperOpen: false }],
    insight: null,
  } as unknown as Head;
  const columns = {
    inputs: [Float64Array.of(1, 12), Float64Array.of(0.1, 1), Float64Array.of(0, 2)],
    outputs: [Float64Array.of(3, Number.NaN)],
  } as unknown as Columns;

  it('have units, the scale of the input and the names of categories', () => {
    const [length, flow, alloy, power] = allKeys(head).map((key) => makeAxis(head, columns, key));
    expect([length!.title, flow!.title, alloy!.title, power!.title]).toEqual([
      'Length (m)',
      'Flow (kg/s)',
      'Alloy',
      'y1 (kW)',
    ]);
    // A run lies outside the bounds.
    expect(length!.scale).toEqual({ low: 0, high: 12, isLog: false });
    expect(flow!.scale.isLog).toBe(true);
    expect(alloy!.categories).toEqual(['A', 'B', 'C']);
    expect([valueOn(alloy!, 0.6), valueOn(alloy!, 9)]).toEqual([1, 2]);
    // Up to what is wanted, also where no run came there.
    expect(power!.scale).toEqual({ low: 3, high: 20, isLog: false });
  });

  it('of many inputs are the most sensitive ones, and of many outputs the worst', () => {
    const sensitivity = Array.from({ length: 50 }, (_, i) => (i % 5 === 2 ? 1 - i / 100 : 0));
    const wide = {
      minimums: sensitivity.map(() => 0),
      insight: { outputs: [{ sensitivity }, { sensitivity: null }] },
    } as unknown as Head;
    const keys = keysAtFirst(wide, [30, 4, 9]);
    expect(keys.slice(0, 12)).toEqual([0, 1, 2, 7, 12, 17, 22, 27, 32, 37, 42, 47].map((i) => `x${i}`));
    expect(keys.slice(12)).toEqual(['y4', 'y9', 'y30']);
  });
});
