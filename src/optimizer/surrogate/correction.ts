/** Correction of the mean of one output: shift + slope' d exp(-|d|^2 / (2 reach)) with d = u - center. */
export interface Correction {
  readonly shift: number;
  /** Length p, or null for none. */
  readonly slope: Float64Array | null;
  /** Length p. */
  readonly center: Float64Array;
  /** Square of the distance over which the slope fades. */
  readonly reach: number;
}

/** Adds a correction at u to mean[j]. */
export function addCorrection(correction: Correction, u: Float64Array, mean: Float64Array, j: number): void {
  const { shift, slope } = correction;
  mean[j]! += shift;
  if (slope) mean[j]! += rise(slope, correction, u) * fade(correction, u);
}

/** Adds the gradient of a correction at u to p entries of `out` from `offset`. */
export function addCorrectionGradient(
  correction: Correction,
  u: Float64Array,
  out: Float64Array,
  offset: number,
): void {
  const { slope, center, reach } = correction;
  if (slope === null) return;
  const along = rise(slope, correction, u);
  const share = fade(correction, u);
  for (let f = 0; f < u.length; f++) out[offset + f]! += share * (slope[f]! - (along * (u[f]! - center[f]!)) / reach);
}

function rise(slope: Float64Array, { center }: Correction, u: Float64Array): number {
  let sum = 0;
  for (let f = 0; f < u.length; f++) sum += slope[f]! * (u[f]! - center[f]!);
  return sum;
}

function fade({ center, reach }: Correction, u: Float64Array): number {
  let square = 0;
  for (let f = 0; f < u.length; f++) {
    const d = u[f]! - center[f]!;
    square += d * d;
  }
  return Math.exp(-0.5 * (square / reach));
}
