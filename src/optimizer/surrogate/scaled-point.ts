import { type InputScale, toScale } from './input-scale.ts';
import { makePointPairs, type PointPairs, type Points, pairWith } from './kernels.ts';

/** A point as the kernels on one input scale see it: rewritten for every prediction. */
export interface ScaledPoint {
  readonly geometry: Points;
  readonly pairs: PointPairs;
  /** Length p: the features on the scale, with their first and second derivatives by the encoded features. */
  readonly u: Float64Array;
  readonly slope: Float64Array;
  readonly curvature: Float64Array;
}

export function makeScaledPoint(geometry: Points): ScaledPoint {
  const blank = () => new Float64Array(geometry.p);
  const slope = blank().fill(1);
  return { geometry, pairs: makePointPairs(geometry), u: blank(), slope, curvature: blank() };
}

/** Moves the point to the encoded features u (length p). The pairs stay as they are. */
export function moveTo({ geometry, u: scaled, slope, curvature }: ScaledPoint, u: Float64Array): void {
  const scale: InputScale | null = geometry.scale;
  if (scale) toScale(scale, u, scaled, { slope, curvature });
  else scaled.set(u);
}

/** Recomputes the inner products and distances with the points of the fit. O(N p). */
export function updatePairs({ geometry, u, pairs }: ScaledPoint): void {
  pairWith(geometry, u, pairs);
}
