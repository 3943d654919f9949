/** Finds the runs that are on the front. Needs no browser. */
import { nonDominated } from '../numbers/pareto.ts';
import type { Head } from './columns.ts';
import type { RunsOfTrial } from './run-points.ts';

/** Rows on the front: they are no runs of a cheaper source, meet all targets, and no other run is better in every open output. */
export function frontRows(
  { columns }: Pick<RunsOfTrial, 'columns'>,
  { objectiveTypes }: Pick<Head, 'objectiveTypes'>,
  open: readonly number[],
) {
  const signs = open.map((j) => (objectiveTypes[j] === 'minimize' ? 1 : -1));
  const rows = Array.from({ length: columns.count }, (_, row) => row).filter(
    (row) =>
      !columns.excluded[row] &&
      !columns.sources.has(columns.inverseIds[row]!) &&
      columns.misses.every((misses) => misses[row] === 0),
  );
  const points = rows.map((row) => open.map((j, c) => signs[c]! * columns.outputs[j]![row]!));
  return nonDominated(points).map((k) => rows[k]!);
}
