/** The order of the rows in the table of runs, and which of them are selected. Needs no browser. */
import type { Range } from '../../../../presentation/plot.ts';

export interface Order {
  /** Rows whose value is missing (NaN) come last either way. */
  readonly values: ArrayLike<number>;
  readonly isDescending: boolean;
}

/** Row numbers in order; equal ones newest first. Without a selection all rows. */
export function orderRows(count: number, { values, isDescending }: Order, selection?: Uint8Array): Uint32Array {
  const rows = new Uint32Array(count);
  let size = 0;
  for (let row = 0; row < count; row++) if (selection === undefined || selection[row] === 1) rows[size++] = row;
  const found = rows.subarray(0, size);
  // Iterations always are.
  if (isAscending(values, count)) return isDescending ? found.reverse() : found;
  const sign = isDescending ? -1 : 1;
  return found.sort((a, b) => {
    const x = values[a]!;
    const y = values[b]!;
    if (x < y) return -sign;
    if (x > y) return sign;
    if (x === y) return b - a;
    return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || b - a;
  });
}

function isAscending(values: ArrayLike<number>, count: number): boolean {
  for (let row = 1; row < count; row++) if (!(values[row]! > values[row - 1]!)) return false;
  return true;
}

/** 1 for every row that lies in all ranges, by the column of each; undefined without a range, which selects all. */
export function selectRows(
  count: number,
  ranges: readonly { readonly column: ArrayLike<number>; readonly range: Range }[],
): Uint8Array | undefined {
  if (ranges.length === 0) return undefined;
  const selected = new Uint8Array(count).fill(1);
  for (const { column, range } of ranges) {
    for (let row = 0; row < count; row++) {
      const value = column[row]!;
      if (!(value >= range.from && value <= range.to)) selected[row] = 0;
    }
  }
  return selected;
}

export function countSelected(selection: Uint8Array): number {
  let count = 0;
  for (const one of selection) count += one;
  return count;
}
