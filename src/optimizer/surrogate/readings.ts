/** In what forms the outputs of a fit may be modelled: on the scale of a warp, or as differences from what a cheaper source predicts. */
import type { Interval } from '../goal/targets.ts';
import type { Points } from './kernels.ts';
import { type Trend, withoutTrend } from './trend.ts';
import { rowsOf, type Warp, withSlopes } from './warps.ts';

/** An output as it is modelled: on the scale of a warp, without a trend. */
export interface Reading {
  readonly warp: Warp;
  readonly trend: Trend | null;
  /** Standardized values of all rows of the fit, those that stand for derivatives included. */
  readonly z: Float64Array;
}

/** The outputs of a fit, and what cheaper sources predict of them. */
interface Predicted {
  readonly geometry: Points;
  /** N x m, of the runs. */
  readonly Y: Float64Array;
  /** Per row that stands for a derivative m changes over its step. */
  readonly changes?: Float64Array;
  readonly intervals: readonly Interval[];
  readonly coarse?: readonly { readonly warps: readonly (Warp | null)[]; readonly values: Float64Array }[];
}

/** By warp, then by output. */
export function readingsByWarp(warps: readonly (readonly Warp[])[]): (Reading | undefined)[][] {
  return (['identity', 'log', 'asinh'] as const).map((kind) =>
    warps.map((list) => {
      const warp = list.find((one) => one.kind === kind);
      return warp && { warp, trend: null, z: rowsOf(warp) };
    }),
  );
}

/**
 * By cheaper source, then by output: the differences from it, on the scale of its warps.
 *
 * @param warps of each output; empty for one that never varies
 */
export function readingsByTrend(
  { coarse = [], Y, intervals, geometry, changes }: Predicted,
  warps: readonly (readonly Warp[])[],
): (Reading | undefined)[][] {
  const m = intervals.length;
  const N = Y.length / m;
  const base = geometry.slopes?.base ?? new Int32Array(0);
  const column = (of: Float64Array, j: number) =>
    Float64Array.from({ length: of.length / m }, (_, i) => of[i * m + j]!);
  return coarse.map(({ warps: theirs, values }, model) =>
    intervals.map((interval, j) => {
      // An output that never varies is modelled by its value, but one run alone shows nothing of that.
      if (N > 1 && warps[j]!.length === 0) return undefined;
      const y = column(Y, j);
      const own = theirs[j]?.of(y, interval);
      if (!own) return undefined;
      const warp = withSlopes(own, y, base, changes ? column(changes, j) : new Float64Array(0));
      const trend: Trend = { model, rho: 1, values: column(values, j) };
      return { warp, trend, z: withoutTrend(rowsOf(warp), trend) };
    }),
  );
}
