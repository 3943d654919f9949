/** Finds out which of some cases are not known yet. Cases are equal when inputs and outputs are, to the bit, or both failed. */
import type { Matrix } from '../matrix.ts';

export interface CaseRows {
  readonly inputs: Matrix;
  readonly outputs: Matrix;
  /** Zero-based rows whose run failed; their outputs mean nothing. */
  readonly failed: readonly number[];
}

/** The rows of new cases; known ones are taken out. */
export class FreshRows {
  /** Rows by their bytes. The hash of a Map of texts is seeded, so that nobody can make many rows collide. */
  readonly #rows = new Map<string, number>();
  /** Hashes that rule out most known rows without making a text of them. */
  readonly #mixes = new Set<number>();

  /** A row that equals an earlier one is not fresh. */
  constructor(cases: CaseRows) {
    const failed = new Set(cases.failed);
    for (let row = 0; row < cases.inputs.rows; row++) {
      const input = valuesOf(cases.inputs, row);
      const bytes = failed.has(row) ? textOf(input) : textOf(input) + textOf(valuesOf(cases.outputs, row));
      if (this.#rows.has(bytes)) continue;
      this.#rows.set(bytes, row);
      this.#mixes.add(mixOf(input));
    }
  }

  /**
   * Takes out what equals one of the known cases.
   *
   * @param others  further outputs, null for a failed run, by row of the known cases: what corrections made of them
   */
  removeKnown(known: CaseRows, others: ReadonlyMap<number, readonly (readonly number[] | null)[]> = new Map()): void {
    const failed = new Set(known.failed);
    for (let row = 0; row < known.inputs.rows; row++) {
      const values = valuesOf(known.inputs, row);
      if (!this.#mixes.has(mixOf(values))) continue;
      const input = textOf(values);
      this.#rows.delete(failed.has(row) ? input : input + textOf(valuesOf(known.outputs, row)));
      for (const output of others.get(row) ?? []) {
        this.#rows.delete(output === null ? input : input + textOf(Float64Array.from(output)));
      }
    }
  }

  /** Zero-based, ascending. */
  get rows(): readonly number[] {
    return [...this.#rows.values()];
  }
}

function valuesOf({ values, columns }: Matrix, row: number): Float64Array {
  return values.subarray(row * columns, (row + 1) * columns);
}

function textOf({ buffer, byteOffset, byteLength }: Float64Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

/** 32 bits that depend on all bits of the values (FNV-1a on words, with a final shift). */
function mixOf({ buffer, byteOffset, length }: Float64Array): number {
  const words = new Uint32Array(buffer, byteOffset, 2 * length);
  let mix = 0x811c9dc5;
  for (let k = 0; k < words.length; k++) mix = Math.imul(mix ^ words[k]! ^ (mix >>> 15), 0x01000193);
  return mix;
}
