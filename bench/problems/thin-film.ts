/**
 * Reflectance of a stack of thin layers at normal incidence by the characteristic matrix method (Abeles 1950; Macleod,
 * Thin-film optical filters). Layers are free of absorption; the substrate may absorb.
 */

export interface Layer {
  readonly index: number;
  /** Nanometres. */
  readonly thickness: number;
}

/**
 * @param layers     from the air side to the substrate
 * @param substrate  [n, k] of the complex index n - i k
 * @param wavelength nanometres
 * @returns reflectance between 0 and 1
 */
export function reflectance(
  layers: readonly Layer[],
  substrate: readonly [number, number],
  wavelength: number,
): number {
  // [B, C] = product of the layer matrices applied to [1, substrate]; complex numbers as pairs.
  let b = [1, 0];
  let c = [substrate[0], -substrate[1]];
  for (let i = layers.length - 1; i >= 0; i--) {
    const { index, thickness } = layers[i]!;
    const phase = (2 * Math.PI * index * thickness) / wavelength;
    const cosine = Math.cos(phase);
    const sine = Math.sin(phase);
    const nextB = [cosine * b[0]! - (sine / index) * c[1]!, cosine * b[1]! + (sine / index) * c[0]!];
    c = [cosine * c[0]! - index * sine * b[1]!, cosine * c[1]! + index * sine * b[0]!];
    b = nextB;
  }
  return ((b[0]! - c[0]!) ** 2 + (b[1]! - c[1]!) ** 2) / ((b[0]! + c[0]!) ** 2 + (b[1]! + c[1]!) ** 2);
}
