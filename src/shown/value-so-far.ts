/** The best value so far of an output without a target. Needs no browser. */
import type { Columns } from './columns.ts';
import { type Distances, smallestSoFar } from './distances.ts';

/** @returns per run; NaN before the first run that meets all targets. Excluded runs do not count. */
export function bestSoFar(
  { outputs, excluded }: Pick<Columns, 'outputs' | 'excluded'>,
  { worst }: Pick<Distances, 'worst'>,
  j: number,
  isMaximized: boolean,
): Float64Array {
  const sign = isMaximized ? -1 : 1;
  // The miss of an output without a target is 0.
  const eligible = outputs[j]!.map((value, row) => (worst[row] === 0 ? sign * value : Number.NaN));
  return smallestSoFar(eligible, { excluded }).map((value) => sign * value);
}
