/** Measures how the front of an objective grew run by run. Needs no browser. */
import type { Front } from '../../../../../clients/typescript/src/index.ts';
import { type Columns, type Head, vectorAt } from '../../../../presentation/columns.ts';

type Goal = Pick<Head, 'objectiveTypes'>;
type Runs = Pick<Columns, 'count' | 'outputs' | 'misses' | 'excluded' | 'inverseIds'>;

/**
 * The hypervolume after each run, up to the reference of the front; one per row. Cases and runs of other objectives count from
 * the beginning, if they are on the front.
 */
export function frontVolumes(goal: Goal, runs: Runs, { outputs, points, reference }: Front): Float64Array {
  const volumes = new Float64Array(runs.count);
  if (reference === null) return volumes;
  const signs = outputs.map((j) => (goal.objectiveTypes[j] === 'minimize' ? 1 : -1));
  const coordinates = (output: readonly number[]) => outputs.map((j, c) => signs[c]! * output[j]!);
  const limit = reference.map((value, c) => signs[c]! * value);
  const own = new Set(runs.inverseIds);
  let front: readonly (readonly number[])[] = points
    .filter(({ inverseId }) => inverseId === null || !own.has(inverseId))
    .map(({ output }) => coordinates(output));
  let volume = volumeOf(front, limit);
  for (let row = 0; row < runs.count; row++) {
    const output = runs.excluded[row] ? undefined : vectorAt(runs.outputs, row);
    if (output !== undefined && runs.misses.every((column) => column[row] === 0)) {
      const point = coordinates(output);
      if (!front.some((one) => isAsGood(one, point))) {
        front = [...front.filter((one) => !isAsGood(point, one)), point];
        volume = volumeOf(front, limit);
      }
    }
    volumes[row] = volume;
  }
  return volumes;
}

function isAsGood(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, c) => value <= b[c]!);
}

/** Volume that the points dominate, where smaller is better; computed slab by slab along the last coordinate. */
function volumeOf(points: readonly (readonly number[])[], limit: readonly number[]): number {
  const last = limit.length - 1;
  const inside = points.filter((point) => point.every((value, c) => value < limit[c]!));
  if (last === 0) return inside.reduce((most, [value]) => Math.max(most, limit[0]! - value!), 0);
  const sorted = inside.toSorted((a, b) => a[last]! - b[last]!);
  const flat = sorted.map((point) => point.slice(0, last));
  return sorted.reduce((sum, point, i) => {
    const height = (sorted[i + 1]?.[last] ?? limit[last]!) - point[last]!;
    return height === 0 ? sum : sum + height * volumeOf(flat.slice(0, i + 1), limit.slice(0, last));
  }, 0);
}
