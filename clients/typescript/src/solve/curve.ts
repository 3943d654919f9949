/** Curves on a grid of their own, at the points of the data. */

/** What a black box returned for an output is no curve of its data. */
export class CurveError extends TypeError {
  override readonly name = 'CurveError';
}

/** The share of the range by which a grid may end before the data: the last time step of a simulation is rounded. */
const ROUNDING = 1e-9;

/** Linear between the points of a grid that ascends or descends. Throws CurveError, also where the grid does not cover the data. */
export function interpolate(
  name: string,
  grid: readonly unknown[],
  values: readonly unknown[],
  at: readonly number[],
): readonly number[] {
  if (grid.length !== values.length || grid.length < 2) {
    const sizes = `${values.length} values on a grid of ${grid.length} points`;
    throw new CurveError(`The output ${name} has ${sizes}; both must be alike, and at least 2.`);
  }
  if (!areNumbers(grid) || !areNumbers(values)) {
    throw new CurveError(`The output ${name} must be numbers on a grid of numbers.`);
  }
  const ascends = grid[0]! <= grid.at(-1)!;
  const [xs, ys] = ascends ? [grid, values] : [[...grid].reverse(), [...values].reverse()];
  if (!xs.every((x, i) => i === 0 || x > xs[i - 1]!))
    throw new CurveError(`The grid of the output ${name} must ascend.`);
  return at.map((x) => valueAt(name, xs, ys, x));
}

function areNumbers(values: readonly unknown[]): values is readonly number[] {
  return values.every((value) => typeof value === 'number');
}

function valueAt(name: string, xs: readonly number[], ys: readonly number[], x: number): number {
  const [first, last] = [xs[0]!, xs.at(-1)!];
  const slack = ROUNDING * (last - first);
  if (!(x >= first - slack && x <= last + slack)) {
    const covered = `covers ${first} to ${last}, and its data need ${x}`;
    throw new CurveError(`The output ${name} ${covered}: compute a longer curve, or leave out these data.`);
  }
  const after = xs.findIndex((one) => one > x);
  const k = Math.max(0, Math.min(after < 0 ? xs.length : after, xs.length - 1) - 1);
  const share = Math.min(1, Math.max(0, (x - xs[k]!) / (xs[k + 1]! - xs[k]!)));
  // A number that is not finite beside a point of the grid is not used.
  if (share === 0) return ys[k]!;
  return share === 1 ? ys[k + 1]! : ys[k]! + share * (ys[k + 1]! - ys[k]!);
}
