/** A chart of points, lines and areas as data. The page draws it on a canvas, a saved file as SVG. Needs no browser. */
import type { Colours } from './colours.ts';
import { short } from './formats.ts';
import { powersOf, ticksOf } from './ticks.ts';

/** A closed interval. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Look of a point. A cross at the top is a run without a value. */
export type Shape = 'square' | 'dot' | 'hollow' | 'ring' | 'cross' | 'top-cross';

type Numbers = ArrayLike<number | null>;

export interface DrawnSeries {
  readonly label: string;
  readonly colour: string;
  /** The values of steps hold until the next one; an area reaches from `lows` to `ys`. */
  readonly kind: 'line' | 'steps' | 'points' | 'area';
  /** Default: square. */
  readonly shape?: Shape;
  /** In place of a shape: the outline of a point around 0 as SVG, in CSS pixels. */
  readonly path?: string;
  /** Width and height where there are too many points for shapes. */
  readonly spot?: readonly [number, number];
  /** Drawn lighter, behind what matters. */
  readonly isFaint?: boolean;
  /** Pattern of the line. */
  readonly dash?: readonly number[];
  readonly xs: Numbers;
  /** null or NaN leaves a gap. */
  readonly ys: Numbers;
  readonly lows?: Numbers;
  /** Name of each point when it is pointed at, by its position. Absent: the series is not pointed at. */
  readonly rows?: ArrayLike<number>;
}

/** Values on one axis that meet the targets; null: no end. */
export interface DrawnBand {
  readonly axis: 'x' | 'y';
  readonly from: number | null;
  readonly to: number | null;
}

/** Rectangles between the ends of columns and rows, shaded by a share from 0 to 1; null: left out. */
export interface DrawnCells {
  /** One more than there are columns and rows. */
  readonly xEnds: readonly number[];
  readonly yEnds: readonly number[];
  /** Column by column. */
  readonly shares: readonly (number | null)[];
  readonly colour: string;
}

export interface DrawnAxis {
  readonly label: string;
  readonly isLog?: boolean;
  /** Ticks are only at whole numbers. */
  readonly isWhole?: boolean;
  /** No ticks are below. */
  readonly least?: number;
  /** At the low end everything is met, and the axis labels it so. */
  readonly isMetBelow?: boolean;
  /** Ticks only here, with these words, as for categories. */
  readonly names?: readonly Tick[];
  /** Default: all values and the ends of bands, with room. */
  readonly range?: Range;
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface Drawing {
  readonly title: string;
  readonly x: DrawnAxis;
  readonly y: DrawnAxis;
  /** In the order in which they are drawn. */
  readonly series: readonly DrawnSeries[];
  readonly bands?: readonly DrawnBand[];
  readonly cells?: DrawnCells;
}

export type PlotColours = Pick<Colours, 'ground' | 'text' | 'line' | 'met' | 'met-area' | 'accent' | 'font'>;

/** Differences of larger numbers would overflow. */
const LARGEST = 1e307;
const ROOM = 0.04;

/** The part of an axis that is shown without a zoom. */
export function rangeOf(drawing: Drawing, axis: 'x' | 'y'): Range {
  const { range, isLog = false } = drawing[axis];
  if (range !== undefined) return range;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const add = (value: number | null) => {
    if (value === null || !(Math.abs(value) <= LARGEST) || (isLog && !(value > 0))) return;
    if (value < low) low = value;
    if (value > high) high = value;
  };
  for (const { xs, ys, lows } of drawing.series) {
    for (const values of axis === 'x' ? [xs] : [ys, lows ?? []])
      for (let i = 0; i < values.length; i++) add(values[i]!);
  }
  for (const band of drawing.bands ?? []) if (band.axis === axis) [band.from, band.to].forEach(add);
  if (!(low <= high)) return isLog ? { from: 1, to: 10 } : { from: 0, to: 1 };
  return isLog ? roomyLog(low, high) : roomy(low, high);
}

function roomy(low: number, high: number): Range {
  const room = (high - low) * ROOM || Math.abs(high) * 0.1 || 1;
  return { from: low - room, to: high + room };
}

function roomyLog(low: number, high: number): Range {
  // Their ratio may overflow.
  const factor = low === high ? 2 : Math.exp(ROOM * (Math.log(high) - Math.log(low)));
  return { from: Math.max(Number.MIN_VALUE, low / factor), to: Math.min(LARGEST, high * factor) };
}

/** From 0 at the low end to 1. Values that are not positive are at the low end of a log axis. */
export function scaleOf({ isLog = false }: DrawnAxis, { from, to }: Range): (value: number) => number {
  if (!isLog) return (value) => (value - from) / (to - from);
  const [low, width] = [Math.log(from), Math.log(to) - Math.log(from)];
  return (value) => (value > 0 ? (Math.log(value) - low) / width : 0);
}

/** Round values within the shown part, and how they are written. */
export function ticksIn(
  { isLog, isWhole, least = Number.NEGATIVE_INFINITY, names, isMetBelow }: DrawnAxis,
  { from, to }: Range,
  count: number,
): readonly Tick[] {
  if (names !== undefined) return names.filter(({ at }) => at >= from && at <= to);
  const values = isLog ? powersOf(from, to) : ticksOf(Math.max(from, least), to, count);
  return values
    .filter((value) => value >= least && (!isWhole || value % 1 === 0))
    .map((at) => ({ at, text: isMetBelow && at === from ? 'met' : short(at) }));
}

/** null for a gap. */
export function valueIn(values: Numbers, i: number): number | null {
  const value = values[i] ?? null;
  return value !== null && Number.isFinite(value) ? value : null;
}
