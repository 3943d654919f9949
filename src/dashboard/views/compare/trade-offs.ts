/** Two quantities of all runs against each other, and the non-dominated runs. Needs no browser. */
import { isAspiration } from '../../../../clients/typescript/src/generated/goal-types.ts';
import { nonDominated as firstNonDominated } from '../../../numbers/pareto.ts';
import { type Ends, titled } from '../../../presentation/formats.ts';
import type { DrawnBand, Range } from '../../../presentation/plot.ts';
import { allNames, type Compared, counts } from './comparison.ts';

/** "x:" or "y:" and the name of an input or an output. */
export type AxisKey = `${'x' | 'y'}:${string}`;

export interface AxisChoice {
  readonly key: AxisKey;
  readonly title: string;
}

/** Outputs first: a trade-off is mostly between two of them. */
export function axisChoices(compared: readonly Compared[]): readonly AxisChoice[] {
  const choice = (letter: 'x' | 'y', name: string): AxisChoice => ({
    key: `${letter}:${name}`,
    title: titled(name, unitAt(compared, `${letter}:${name}`)),
  });
  return [
    ...allNames(compared, 'outputNames').map((name) => choice('y', name)),
    ...allNames(compared, 'inputNames').map((name) => choice('x', name)),
  ];
}

function positionIn({ inputNames, outputNames }: Compared, key: AxisKey): number {
  return (key.startsWith('x:') ? inputNames : outputNames).indexOf(key.slice(2));
}

function unitAt(compared: readonly Compared[], key: AxisKey): string | null {
  const units = compared.map((one) => {
    const { head } = one;
    return (key.startsWith('x:') ? head.inputUnits : head.outputUnits)?.[positionIn(one, key)];
  });
  return units.find((unit) => unit) ?? null;
}

export interface Point {
  /** Position among the objectives. */
  readonly of: number;
  readonly iteration: number;
  readonly x: number;
  readonly y: number;
}

/** The runs of all objectives that have both quantities, ascending in x. */
export function pointsOf(compared: readonly Compared[], x: AxisKey, y: AxisKey): readonly Point[] {
  const points = compared.flatMap((one, of) => {
    const columnOf = (key: AxisKey) =>
      (key.startsWith('x:') ? one.columns.inputs : one.columns.outputs)[positionIn(one, key)];
    const [xs, ys] = [columnOf(x), columnOf(y)];
    if (xs === undefined || ys === undefined) return [];
    return Array.from({ length: one.columns.count }, (_, row) => row)
      .filter((row) => counts(one.columns, row))
      .map((row) => ({ of, iteration: one.columns.iterations[row]!, x: xs[row]!, y: ys[row]! }));
  });
  return points.sort((a, b) => a.x - b.x);
}

/** The target intervals of an output in all objectives that have it, without repeats; none for an input. */
export function intervalsAt(compared: readonly Compared[], key: AxisKey): readonly Ends[] {
  if (key.startsWith('x:')) return [];
  const intervals = compared.flatMap((one) => one.head.intervals[positionIn(one, key)] ?? []);
  return [...new Map(intervals.map((ends) => [JSON.stringify(ends), ends])).values()];
}

export type Direction = 'minimize' | 'maximize';

/** Direction of the quantity if every objective that has it minimizes it, or maximizes it. */
export function directionOf(compared: readonly Compared[], key: AxisKey): Direction | undefined {
  if (key.startsWith('x:')) return undefined;
  const types = new Set(
    compared.flatMap((one) => {
      const j = positionIn(one, key);
      return j < 0 ? [] : [one.head.objectiveTypes[j]!];
    }),
  );
  const [type] = types;
  return types.size === 1 && type !== undefined && isAspiration(type) ? type : undefined;
}

/** The points that no other beats: it would be at least as good in both and better in one. Equal points are all kept. */
export function nonDominated<P extends { readonly x: number; readonly y: number }>(
  points: readonly P[],
  directions: { readonly x: Direction; readonly y: Direction },
): readonly P[] {
  const sign = { minimize: 1, maximize: -1 };
  const ranked = points
    .map((point) => ({ point, at: [sign[directions.x] * point.x, sign[directions.y] * point.y] as const }))
    .sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1]);
  const front = new Set(firstNonDominated(ranked.map(({ at }) => at)).map((i) => ranked[i]!.at.join()));
  return ranked.filter(({ at }) => front.has(at.join())).map(({ point }) => point);
}

/** Target intervals are shown, too, unless the runs would shrink to a spot. */
const WIDEST = 5;
/** Differences of larger numbers would overflow. */
const LARGEST = 1e307;

/** The range of an axis: all points, the nearby parts of target intervals, and some margin. */
export function rangeOf(
  axis: 'x' | 'y',
  points: readonly Pick<Point, 'x' | 'y'>[],
  bands: readonly DrawnBand[],
): Range {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const point of points) {
    const value = Math.max(-LARGEST, Math.min(LARGEST, point[axis]));
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  if (!(from <= to)) [from, to] = [0, 1];
  const widest = WIDEST * (to - from || Math.abs(to) || 1);
  for (const end of bands.flatMap((band) => (band.axis === axis ? [band.from, band.to] : []))) {
    if (end === null || Math.max(to, end) - Math.min(from, end) > widest) continue;
    [from, to] = [Math.min(from, end), Math.max(to, end)];
  }
  const room = (to - from) * 0.06 || Math.abs(to) * 0.1 || 1;
  return { from: from - room, to: to + room };
}
