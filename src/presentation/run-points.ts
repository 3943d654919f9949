/** The runs of a trial as points of a chart: own runs, earlier ones in grey, failed, excluded and the best one marked. Needs no browser. */
import type { Colours } from './colours.ts';
import { type Columns, hasFailed } from './columns.ts';
import type { DrawnBand, DrawnSeries } from './plot.ts';

export interface RunsOfTrial {
  /** The others first, then the objective's own. */
  readonly columns: Columns;
  readonly otherCount: number;
  /** Row of the best run; -1 without one. */
  readonly best: number;
}

type PointColours = Pick<Colours, 'mark' | 'muted' | 'unmet' | 'accent' | 'text'>;

type Kind = 'other' | 'run' | 'excluded' | 'failed';

const LOOKS = {
  other: { label: 'Earlier run of the trial', shape: 'dot', colour: 'muted', isFaint: true },
  run: { label: 'Run', shape: 'square', colour: 'mark', isFaint: false },
  excluded: { label: 'Excluded', shape: 'hollow', colour: 'muted', isFaint: false },
  failed: { label: 'Failed', shape: 'top-cross', colour: 'unmet', isFaint: false },
} as const;
const KINDS = Object.keys(LOOKS) as readonly Kind[];

function kindOf({ columns, otherCount }: RunsOfTrial, row: number): Kind {
  if (hasFailed(columns, row)) return 'failed';
  if (columns.excluded[row]) return 'excluded';
  return row < otherCount ? 'other' : 'run';
}

/** Rows by what their points look like, computed once for all charts. */
export function rowsByKind(runs: RunsOfTrial, withOthers: boolean): ReadonlyMap<Kind, readonly number[]> {
  const found = new Map<Kind, number[]>();
  for (let row = withOthers ? 0 : runs.otherCount; row < runs.columns.count; row++) {
    const kind = kindOf(runs, row);
    const rows = found.get(kind);
    if (rows === undefined) found.set(kind, [row]);
    else rows.push(row);
  }
  return found;
}

/** @param ys  NaN for runs without one; failed runs are at the top */
export function pointSeries(
  { best }: Pick<RunsOfTrial, 'best'>,
  rows: ReadonlyMap<Kind, readonly number[]>,
  { xs, ys }: { readonly xs: Float64Array; readonly ys: Float64Array },
  colours: PointColours,
): DrawnSeries[] {
  const at = (values: Float64Array, of: readonly number[]) => Float64Array.from(of, (row) => values[row]!);
  const series = KINDS.flatMap((kind): DrawnSeries[] => {
    const of = rows.get(kind);
    if (of === undefined) return [];
    const { colour, ...look } = LOOKS[kind];
    return [{ ...look, colour: colours[colour], kind: 'points', xs: at(xs, of), ys: at(ys, of), rows: of }];
  });
  if (best < 0 || Number.isNaN(ys[best]!)) return series;
  const ring = { label: 'Best', shape: 'ring', colour: colours.accent, kind: 'points' } as const;
  return [...series, { ...ring, xs: [xs[best]!], ys: [ys[best]!] }];
}

/** The position of each run on the axis of runs: own runs by number, the last of the others at 0. */
export function placesOf({ columns, otherCount }: RunsOfTrial): Float64Array {
  return Float64Array.from({ length: columns.count }, (_, row) =>
    row < otherCount ? row + 1 - otherCount : columns.iterations[row]!,
  );
}

interface Interval {
  readonly lower: number | null;
  readonly upper: number | null;
}

/** The values that meet a target; none where every value does. */
export function bandOf(axis: 'x' | 'y', { lower, upper }: Interval): DrawnBand[] {
  return lower === null && upper === null ? [] : [{ axis, from: lower, to: upper }];
}

/** A logarithm shows more where all values are positive and span three powers of ten. */
export function isWorthLog(values: Float64Array, band: readonly DrawnBand[]): boolean {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (const value of values) {
    if (value <= 0) return false;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const isBandPositive = band.every(({ from, to }) => (from === null || from > 0) && (to === null || to > 0));
  return isBandPositive && high >= 1_000 * low;
}
