/** Weighs the misses of outputs against each other when runs are compared, by weights and priorities. */

/** Weight of a miss beside one of the next higher priority. */
export const LATER_SHARE = 1e-4;

/** One entry per output; left out: 1. */
export interface Importance {
  readonly weights?: readonly number[];
  readonly priorities?: readonly number[];
}

/**
 * The factor of the miss of each output: its weight where the largest is 1, and next to nothing beside an output of a higher priority.
 *
 * @param m      number of outputs
 * @param first  the priority that counts in full, by default the highest one that is used
 */
export function missShares(m: number, { weights, priorities }: Importance, first = Math.min(...(priorities ?? [1]))) {
  const largest = Math.max(...(weights ?? [1]));
  const later = (j: number) => LATER_SHARE ** ((priorities?.[j] ?? first) - first);
  return Float64Array.from({ length: m }, (_, j) => ((weights?.[j] ?? 1) / largest) * later(j));
}
