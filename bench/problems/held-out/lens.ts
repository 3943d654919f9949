/** Exact rays in the meridional plane of a centred lens (Welford, Aberrations of optical systems, chapter 4). */

export interface Surface {
  /** 1 / mm, positive when the centre of curvature lies behind the surface. */
  readonly curvature: number;
  /** Distance to the next surface, mm; of the last one to the image plane. */
  readonly distance: number;
  /** Refractive index behind the surface. */
  readonly index: number;
}

export interface Ray {
  /** Height in the image plane, mm. */
  readonly height: number;
  /** Slope behind the last surface, dy / dz. */
  readonly slope: number;
  /** Sine of the angle to the axis behind the last surface. */
  readonly sine: number;
}

/**
 * A ray from infinity.
 *
 * @param height in the plane of the first vertex, mm
 * @param sine   of its angle to the axis
 * @returns null when it misses a surface or is reflected totally
 */
export function traceRay(surfaces: readonly Surface[], height: number, sine: number): Ray | null {
  let [y, m, z] = [height, sine, Math.sqrt(1 - sine * sine)];
  let before = 1;
  for (const { curvature: c, distance, index } of surfaces) {
    const f = c * y * y;
    const g = z - c * y * m;
    const square = g * g - c * f;
    if (square < 0) return null;
    const incidence = Math.sqrt(square);
    const length = f / (g + incidence);
    const refractedSquare = index * index - before * before * (1 - square);
    if (refractedSquare < 0) return null;
    y += length * m;
    const depth = length * z;
    const turn = Math.sqrt(refractedSquare) - before * incidence;
    [m, z] = [(before * m - c * turn * y) / index, (before * z - c * turn * depth + turn) / index];
    y += ((distance - depth) * m) / z;
    before = index;
  }
  return { height: y, slope: m / z, sine: m };
}
