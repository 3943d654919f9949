import type { Interval } from '../goal/targets.ts';

/** The target interval of a constant output relative to its value, in units of the larger of both magnitudes. */
export function constantInterval(
  { Y, intervals }: { readonly Y: Float64Array; readonly intervals: readonly Interval[] },
  j: number,
): { lower: number; upper: number } {
  const y = Y[j]!;
  const { lower, upper, center } = intervals[j]!;
  const unit = Math.max(Math.abs(y), Math.abs(center)) || 1;
  return { lower: (lower - y) / unit, upper: (upper - y) / unit };
}
