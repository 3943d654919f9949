import { describe, expect, it } from 'vitest';
import { countSelected, orderRows, selectRows } from '../../src/dashboard/views/objective/state/order.ts';

const NONE = Number.NaN;
const order = (values: readonly number[], isDescending: boolean, selection?: Uint8Array) =>
  Array.from(orderRows(values.length, { values, isDescending }, selection));

describe('the order of the runs', () => {
  it('sorts either way; equal runs are newest first', () => {
    expect(order([2, 1, 3, 1], false)).toEqual([3, 1, 0, 2]);
    expect(order([2, 1, 3, 1], true)).toEqual([2, 0, 3, 1]);
  });

  it('leaves what is in order already, or turns it round', () => {
    expect(order([1, 2, 4], false)).toEqual([0, 1, 2]);
    expect(order([1, 2, 4], true, Uint8Array.of(1, 0, 1))).toEqual([2, 0]);
  });

  it('puts runs without a value last either way', () => {
    expect(order([NONE, 2, NONE, 1], false)).toEqual([3, 1, 2, 0]);
    expect(order([NONE, 2, NONE, 1], true)).toEqual([1, 3, 2, 0]);
  });

  it('has only the selected ones', () => {
    expect(order([5, 6, 7, 8], true, Uint8Array.of(1, 0, 1, 0))).toEqual([2, 0]);
  });

  it('sorts 10,000 runs with missing values as a sort of numbers does', () => {
    const values = Array.from({ length: 10_000 }, (_, i) => (i % 7 === 0 ? NONE : (i * 7919) % 1009));
    const sorted = order(values, false).map((row) => values[row]!);
    const known = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
    expect(sorted.slice(0, known.length)).toEqual(known);
    expect(sorted.slice(known.length).every(Number.isNaN)).toBe(true);
  });
});

describe('the selection', () => {
  it('has the runs that lie in all ranges, ends included', () => {
    const a = Float64Array.of(1, 2, 3, NONE);
    const b = Float64Array.of(9, 8, 7, 8);
    const selection = selectRows(4, [
      { column: a, range: { from: 1, to: 2 } },
      { column: b, range: { from: 8, to: 8 } },
    ])!;
    expect(Array.from(selection)).toEqual([0, 1, 0, 0]);
    expect(countSelected(selection)).toBe(1);
    expect(selectRows(4, [])).toBeUndefined();
  });
});
