/** Two quantities of all runs against each other, and which runs no other beats in both. Needs no browser. */
import type { Ends } from '../../parts/formats.ts';
import { titled } from '../../parts/formats.ts';
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

/** What satisfies an output, in every objective that has it; none for an input. The same interval counts once. */
export function intervalsAt(compared: readonly Compared[], key: AxisKey): readonly Ends[] {
  if (key.startsWith('x:')) return [];
  const intervals = compared.flatMap((one) => one.head.intervals[positionIn(one, key)] ?? []);
  return [...new Map(intervals.map((ends) => [JSON.stringify(ends), ends])).values()];
}

export type Direction = 'minimize' | 'maximize';

/** Where the quantity is minimized, or maximized, in every objective that has it. */
export function directionOf(compared: readonly Compared[], key: AxisKey): Direction | undefined {
  if (key.startsWith('x:')) return undefined;
  const types = new Set(
    compared.flatMap((one) => {
      const j = positionIn(one, key);
      return j < 0 ? [] : [one.head.objectiveTypes[j]!];
    }),
  );
  const [type] = types;
  return types.size === 1 && (type === 'minimize' || type === 'maximize') ? type : undefined;
}

/**
 * The points than which no other is at least as good in both and better in one. Equal points are all kept. Cost O(n log n).
 */
export function nonDominated<P extends { readonly x: number; readonly y: number }>(
  points: readonly P[],
  directions: { readonly x: Direction; readonly y: Direction },
): readonly P[] {
  const cost = ({ x, y }: P) => ({
    x: directions.x === 'minimize' ? x : -x,
    y: directions.y === 'minimize' ? y : -y,
  });
  const ranked = points.map((point) => ({ point, ...cost(point) })).sort((a, b) => a.x - b.x || a.y - b.y);
  const kept: P[] = [];
  let leastY = Number.POSITIVE_INFINITY;
  let atX = Number.NaN;
  for (const { point, x, y } of ranked) {
    const isEqual = x === atX && y === leastY;
    if (y < leastY || isEqual) {
      kept.push(point);
      leastY = y;
      atX = x;
    }
  }
  return kept;
}
