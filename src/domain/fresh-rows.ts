/** Finds out which of some cases are not known yet. Cases are equal when inputs and outputs are, to the bit, or both failed. */
import type { Matrix } from './matrix.ts';

export interface CaseRows {
  readonly inputs: Matrix;
  readonly outputs: Matrix;
  /** Zero-based rows whose run failed; their outputs mean nothing. */
  readonly failed: readonly number[];
}

/** The rows of new cases; known ones are taken out. */
export class FreshRows {
  /** Rows by their bytes. The hash of a Map is seeded, so that nobody can make many rows collide. */
  readonly #rows = new Map<string, number>();

  /** A row that equals an earlier one is not fresh. */
  constructor(cases: CaseRows) {
    const failed = new Set(cases.failed);
    for (let row = 0; row < cases.inputs.rows; row++) {
      const bytes = bytesOf(cases.inputs, row) + (failed.has(row) ? '' : bytesOf(cases.outputs, row));
      if (!this.#rows.has(bytes)) this.#rows.set(bytes, row);
    }
  }

  /**
   * Takes out what equals one of the known cases.
   *
   * @param others  further outputs, null for a failed run, by row of the known cases: what a correction made of them
   */
  removeKnown(known: CaseRows, others: ReadonlyMap<number, readonly (readonly number[] | null)[]>): void {
    const failed = new Set(known.failed);
    for (let row = 0; row < known.inputs.rows; row++) {
      const input = bytesOf(known.inputs, row);
      this.#rows.delete(failed.has(row) ? input : input + bytesOf(known.outputs, row));
      for (const output of others.get(row) ?? []) this.#rows.delete(output === null ? input : input + bytes(output));
    }
  }

  /** Zero-based, ascending. */
  get rows(): readonly number[] {
    return [...this.#rows.values()];
  }
}

function bytesOf({ values, columns }: Matrix, row: number): string {
  return text(values.subarray(row * columns, (row + 1) * columns));
}

function bytes(vector: readonly number[]): string {
  return text(Float64Array.from(vector));
}

function text({ buffer, byteOffset, byteLength }: Float64Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
