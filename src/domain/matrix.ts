import { toPositiveZero } from './vectors.ts';

/**
 * Cases as a matrix: one row per case, one column per input or output. Nested arrays of a million numbers take several
 * times the memory and stall the event loop wherever they are copied.
 */
export class Matrix {
  readonly rows: number;
  readonly columns: number;
  /** Row-major, rows x columns. */
  readonly values: Float64Array;

  /** Throws RangeError unless `values` holds rows x columns numbers. */
  constructor(rows: number, columns: number, values: Float64Array) {
    if (values.length !== rows * columns) {
      throw new RangeError(`a ${rows} x ${columns} matrix must have ${rows * columns} values, has ${values.length}`);
    }
    this.rows = rows;
    this.columns = columns;
    this.values = values;
  }

  /** Throws RangeError unless all rows have the same length. */
  static from(rows: readonly ArrayLike<number>[]): Matrix {
    const columns = rows[0]?.length ?? 0;
    const values = new Float64Array(rows.length * columns);
    rows.forEach((row, i) => {
      if (row.length !== columns) throw new RangeError(`row ${i} must have ${columns} values, has ${row.length}`);
      values.set(row, i * columns);
    });
    return new Matrix(rows.length, columns, values);
  }

  /**
   * Rows as a client sent them, with -0 as 0. A row of another length becomes zeros; its position is returned so that the
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

  /** A matrix of some of the rows, in the order given. */
  pick(rows: readonly number[]): Matrix {
    const values = new Float64Array(rows.length * this.columns);
    for (const [k, i] of rows.entries()) {
      values.set(this.values.subarray(i * this.columns, (i + 1) * this.columns), k * this.columns);
    }
    return new Matrix(rows.length, this.columns, values);
  }

  /** Copies of up to `count` rows, starting at `from`. */
  toRows(from = 0, count: number = this.rows): number[][] {
    const end = Math.min(this.rows, from + count);
    return Array.from({ length: Math.max(0, end - from) }, (_, i) => this.row(from + i));
  }

  toJSON(): number[][] {
    return this.toRows();
  }
}
