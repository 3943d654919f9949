/** From which points of a fit its hyperparameters are estimated. */
import type { Geometry } from './kernels.ts';

/**
 * Largest number of points from which hyperparameters are estimated. The models of a long search tell waves from noise with
 * 80 of 200 points, and not with 45; 200 cost ten times as much and gained nothing.
 */
const SAMPLE_SIZE = { usual: 45, thorough: 80 };
/** So many rows in all with those that stand for derivatives, which tell more than as many runs would. */
const SAMPLE_WITH_SLOPES = 100;
interface Wanted {
  readonly isThorough: boolean;
  /** Whether there are many inputs, which share one length scale. */
  readonly areMany: boolean;
}

/**
 * Evenly spaced rows from which the hyperparameters are estimated when there are many; null for all rows. An estimate
 * costs the cube of its rows and hardly gains by more of them; predictions use all rows. Many inputs share one length
 * scale, which takes few steps anyway.
 */
function spaced(N: number, size: number): Int32Array | null {
  if (N <= size) return null;
  return Int32Array.from({ length: size }, (_, k) => Math.floor((k * (N - 1)) / (size - 1)));
}

/** The same, with rows for derivatives of the runs among them, the first ones. */
export function sampleOf({ slopes, N }: Geometry, { isThorough, areMany }: Wanted): Int32Array | null {
  const size = areMany ? Number.POSITIVE_INFINITY : SAMPLE_SIZE[isThorough ? 'thorough' : 'usual'];
  if (!slopes) return spaced(N, size);
  const { start, base } = slopes;
  const runs = spaced(start, size) ?? Int32Array.from({ length: start }, (_, i) => i);
  const isTaken = new Set(runs);
  const more = Array.from(base.keys()).filter((s) => isTaken.has(base[s]!));
  const rows = more.slice(0, Math.max(0, SAMPLE_WITH_SLOPES - runs.length)).map((s) => start + s);
  return runs.length + rows.length === N ? null : Int32Array.from([...runs, ...rows]);
}
