/** Rows of linear conditions with several coefficients, without their zeros. */

/** Rows with several coefficients, equations first, without their zeros. */
export interface GeneralRows {
  readonly count: number;
  readonly equations: number;
  /** Length count + 1: where the entries of each row begin, then how many there are. */
  readonly first: Int32Array;
  /** The feature and the value of each entry; values of order 1. */
  readonly features: Int32Array;
  readonly values: Float64Array;
  /** Length count. */
  readonly b: Float64Array;
}

/** Violations below this share of the terms of a row are roundings. */
export const TOLERANCE = 1e-12;

/** a_i' x. */
export function rowTimes({ first, features, values }: GeneralRows, i: number, x: Float64Array): number {
  let sum = 0;
  for (let k = first[i]!; k < first[i + 1]!; k++) sum += values[k]! * x[features[k]!]!;
  return sum;
}

/** Adds a multiple of row i to `out`, length p. */
export function addRow({ first, features, values }: GeneralRows, i: number, factor: number, out: Float64Array): void {
  for (let k = first[i]!; k < first[i + 1]!; k++) out[features[k]!]! += factor * values[k]!;
}

export function slackOf(rows: GeneralRows, i: number, x: Float64Array): number {
  return rowTimes(rows, i, x) - rows.b[i]!;
}

/** Whether row i holds at x up to roundings. */
export function holds({ first, features, values, b, equations }: GeneralRows, i: number, x: Float64Array): boolean {
  let value = -b[i]!;
  let terms = Math.abs(b[i]!);
  for (let k = first[i]!; k < first[i + 1]!; k++) {
    const term = values[k]! * x[features[k]!]!;
    value += term;
    terms += Math.abs(term);
  }
  const least = -TOLERANCE * Math.max(1, terms);
  return value >= least && (i >= equations || value <= -least);
}
