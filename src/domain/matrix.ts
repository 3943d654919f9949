import { toPositiveZero } from './vectors.ts';

/**
 * Cases travel as matrices: one row per case, one column per input or output. Plain nested arrays of a million numbers
 * cost several times the memory and stall the event loop wherever they are copied.
 */
export class Matrix {
  readonly rows: number;
  readonly columns: number;
  /** Row-major, rows x columns. */
  readonly values: Float64Array;

  /** Throws RangeError when `values` does not hold rows x columns numbers. */
  constructor(rows: number, columns: number, values: Float64Array) {
    if (values.length !== rows * columns) {
      throw new RangeError(`a ${rows} x ${columns} matrix needs ${rows * columns} values, not ${values.length}`);
    }
    this.rows = rows;
    this.columns = columns;
    this.values = values;
  }

  /** Rows of equal length. Throws RangeError when they differ. */
  static from(rows: readonly ArrayLike<number>[]): Matrix {
    const columns = rows[0]?.length ?? 0;
    const values = new Float64Array(rows.length * columns);
    rows.forEach((row, i) => {
      if (row.length !== columns) throw new RangeError(`row ${i} has ${row.length} values, not ${columns}`);
      values.set(row, i * columns);
    });
    return new Matrix(rows.length, columns, values);
  }

  /**
   * Rows as a client sent them, -0 as 0. A row of another length becomes zeros, and its position is returned so that the
   * caller can refuse it.
   */
  static fromSent(
    rows: readonly (readonly number[])[],
    columns: number,
  ): { matrix: Matrix; uneven: readonly number[] } {
    const values = new Float64Array(rows.length * columns);
    const uneven: number[] = [];
    rows.forEach((row, i) => {
      if (row.length !== columns) uneven.push(i);
      else for (let j = 0; j < columns; j++) values[i * columns + j] = toPositiveZero(row[j]!);
    });
    return { matrix: new Matrix(rows.length, columns, values), uneven };
  }

  /** A copy of row i. */
  row(i: number): number[] {
    return Array.from(this.values.subarray(i * this.columns, (i + 1) * this.columns));
  }

  /** Copies of the rows from `from` on, at most `count` of them. */
  toRows(from = 0, count: number = this.rows): number[][] {
    const end = Math.min(this.rows, from + count);
    return Array.from({ length: Math.max(0, end - from) }, (_, i) => this.row(from + i));
  }

  toJSON(): number[][] {
    return this.toRows();
  }
}
