import { describe, expect, test } from 'vitest';
import {
  knownOrder,
  type OutputInsight,
  orderOf,
  percentRange,
  sharesOf,
  trustOf,
} from '../../src/dashboard/views/objective/insight/words.ts';

const output = (
  shares: readonly [share: number, low: number, high: number][],
  r2: number | null = 0.98,
): OutputInsight => ({
  number: 0,
  crossValidated: { r2, rmse: r2 === null ? null : 0.123456 },
  sensitivity: shares.map(([share]) => share),
  sensitivityRanges: shares.map(([, low, high]) => ({ low, high })),
});

describe('insight in words', () => {
  test('trust', () => {
    expect(trustOf(output([]), 'kW')).toBe('well known: R² 0.98, off by 0.12 kW');
    expect(trustOf(output([], 0.9), null)).toBe('known: R² 0.90, off by 0.12');
    expect(trustOf(output([], 0.6), null)).toBe('roughly known: R² 0.60, off by 0.12');
    expect(trustOf(output([], -0.2), 'Pa')).toBe('too little known: R² −0.20, off by 0.12 Pa');
    expect(trustOf(output([], null), 'Pa')).toBe('too few runs to say');
    const derivatives = { known: 12, used: 12, rmseWithout: 0.5123 };
    expect(trustOf({ ...output([]), derivatives }, 'kW')).toBe(
      'well known: R² 0.98, off by 0.12 kW (0.51 kW without derivatives)',
    );
  });

  test('the order is known as far as ranges do not overlap', () => {
    const names = ['a', 'b', 'c'];
    const order = (...shares: [number, number, number][]) => orderOf(sharesOf(output(shares))!, names);
    expect(order([0.1, 0.05, 0.15], [0.6, 0.5, 0.7], [0.3, 0.2, 0.4])).toBe('b, then c, then a');
    expect(order([0.1, 0.05, 0.25], [0.6, 0.5, 0.7], [0.3, 0.2, 0.4])).toBe('b; then order not known');
    expect(order([0.4, 0.3, 0.6], [0.6, 0.5, 0.7], [0.1, 0, 0.2])).toBe('order not known');
    // The third may still be the largest.
    expect(order([0.6, 0.5, 0.7], [0.3, 0.25, 0.35], [0.2, 0, 0.55])).toBe('order not known');
    expect(order([0.9, 0.8, 1])).toBe('');
    expect(knownOrder([])).toEqual([]);
  });

  test('shares without an estimate are none', () => {
    expect(sharesOf({ ...output([]), sensitivity: null, sensitivityRanges: null })).toBeUndefined();
  });

  test('ranges', () => {
    expect(percentRange({ low: 0.401, high: 0.6 })).toBe('40 to 60 %');
    expect(percentRange({ low: 0.4, high: 0.401 })).toBe('40 %');
  });
});
