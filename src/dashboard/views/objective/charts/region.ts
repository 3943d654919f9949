/** Finds where the models expect all targets to be met, on a grid of two inputs. Needs no browser. */
import type { Predictions } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { isInside } from '../../../../presentation/distances.ts';
import type { DrawnCells } from '../../../../presentation/plot.ts';

type Surface = NonNullable<Predictions['surfaces']>[number];

/** The ends of the cells around values: in the middle between two, on the scale of the axis, and half a cell beyond the outer ones. */
export function endsOf(values: readonly number[], isLog: boolean): number[] {
  const [to, from] = isLog ? [Math.log, Math.exp] : [(v: number) => v, (v: number) => v];
  const places = values.map(to);
  if (places.length === 1) return [places[0]! - 0.5, places[0]! + 0.5].map(from);
  const middles = places.slice(1).map((place, k) => (place + places[k]!) / 2);
  const first = places[0]! - (middles[0]! - places[0]!);
  const last = places.at(-1)! + (places.at(-1)! - middles.at(-1)!);
  return [first, ...middles, last].map(from);
}

/** Per point whether it is allowed and the models expect all targets to be met there. Outputs of a fit have none. */
export function metPoints(
  { intervals, l1Threshold, objectives }: Pick<Head, 'intervals' | 'l1Threshold' | 'objectives'>,
  { outputs, isAdmissible }: Surface,
): boolean[] {
  return isAdmissible.map((isAllowed, k) => {
    const means = outputs.map(({ mean }) => mean[k] ?? Number.NaN);
    if (!isAllowed || means.some(Number.isNaN)) return false;
    if (l1Threshold === null) return intervals.every((interval, j) => isInside(interval, means[j]!));
    return means.reduce((sum, mean, j) => sum + Math.abs(mean - objectives[j]!), 0) <= l1Threshold;
  });
}

/** The sides of the cells between met points and others, as lines with gaps. Column by column, as the points. */
export function outlineOf(
  isMet: readonly boolean[],
  { xEnds, yEnds }: Pick<DrawnCells, 'xEnds' | 'yEnds'>,
): { readonly xs: (number | null)[]; readonly ys: (number | null)[] } {
  const [columns, rows] = [xEnds.length - 1, yEnds.length - 1];
  const met = (column: number, row: number) =>
    column >= 0 && column < columns && row >= 0 && row < rows && isMet[column * rows + row]!;
  const xs: (number | null)[] = [];
  const ys: (number | null)[] = [];
  const side = (x1: number, y1: number, x2: number, y2: number) => {
    xs.push(x1, x2, null);
    ys.push(y1, y2, null);
  };
  for (let column = 0; column <= columns; column++) {
    for (let row = 0; row <= rows; row++) {
      const [x, y] = [xEnds[column]!, yEnds[row]!];
      const own = met(column, row);
      if (row < rows && own !== met(column - 1, row)) side(x, y, x, yEnds[row + 1]!);
      if (column < columns && own !== met(column, row - 1)) side(x, y, xEnds[column + 1]!, y);
    }
  }
  return { xs, ys };
}

/** Shades from light to dark between the smallest and the largest value; null where there is none or the point is excluded. */
export function sharesOf(values: readonly (number | null)[], isAdmissible: readonly boolean[]) {
  const known = values.filter((value, k) => value !== null && isAdmissible[k]) as number[];
  const low = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const shareOf = (value: number) =>
    high > low ? LIGHTEST + (DARKEST - LIGHTEST) * ((value - low) / (high - low)) : LIGHTEST;
  const shares = values.map((value, k) => (value === null || !isAdmissible[k] ? null : shareOf(value)));
  return { low, high, shares };
}

const LIGHTEST = 0.05;
const DARKEST = 0.8;
