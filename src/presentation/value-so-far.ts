/** The best value so far of an output without a target. Needs no browser. */
import type { Columns, Head } from './columns.ts';
import { type Counted, type Distances, type Start, smallestSoFar } from './distances.ts';

/** @returns per run; NaN before the first run that meets all targets and may be the answer. */
export function bestSoFar(
  columns: Pick<Columns, 'outputs'> & Counted,
  { worst }: Pick<Distances, 'worst'>,
  head: Pick<Head, 'objectiveTypes'> & Start,
  j: number,
): Float64Array {
  const sign = head.objectiveTypes[j] === 'maximize' ? -1 : 1;
  // The miss of an output without a target is 0.
  const eligible = columns.outputs[j]!.map((value, row) => (worst[row] === 0 ? sign * value : Number.NaN));
  return smallestSoFar(eligible, columns, head).map((value) => sign * value);
}
