/** Paints the series of a chart on the canvas of uPlot, inside its axes. Ten thousand points take a few milliseconds. */
import {
  type Drawing,
  type DrawnBand,
  type DrawnCells,
  type DrawnSeries,
  type PlotColours,
  valueIn,
} from '../../presentation/plot.ts';

/** Pixels of the canvas. */
export interface Plane {
  readonly context: CanvasRenderingContext2D;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Canvas pixels per CSS pixel. */
  readonly ratio: number;
  x(value: number): number;
  y(value: number): number;
}

/** Points are larger while they are few. */
const FEW = 300;

const FAINT = 0.4;

/** Paints everything below the grid. */
export function paintGround(plane: Plane, { bands = [], cells }: Drawing, colours: PlotColours): void {
  inside(plane, () => {
    if (cells) paintCells(plane, cells);
    for (const band of bands) paintBand(plane, band, colours['met-area']);
  });
}

export function paintSeries(plane: Plane, { series }: Drawing): void {
  inside(plane, () => {
    for (const one of series) {
      plane.context.fillStyle = plane.context.strokeStyle = one.colour;
      plane.context.globalAlpha = one.isFaint ? FAINT : 1;
      if (one.kind === 'points') paintPoints(plane, one);
      else if (one.kind === 'area') paintArea(plane, one);
      else paintLine(plane, one);
    }
  });
}

function inside({ context, left, top, width, height, ratio }: Plane, paint: () => void): void {
  context.save();
  context.beginPath();
  // A point at an end is not cut in half.
  context.rect(left, top - 4 * ratio, width, height + 8 * ratio);
  context.clip();
  paint();
  context.restore();
}

function paintBand(
  { context, left, top, width, height, ratio, x, y }: Plane,
  { axis, from, to }: DrawnBand,
  colour: string,
) {
  const isX = axis === 'x';
  const [low, high] = isX ? [left, left + width] : [top + height, top];
  const place = isX ? x : y;
  const a = from === null ? low : place(from);
  const b = to === null ? high : place(to);
  const [near, size] = [Math.min(a, b), Math.max(2 * ratio, Math.abs(a - b))];
  context.globalAlpha = 0.6;
  context.fillStyle = colour;
  if (isX) context.fillRect(near, top, size, height);
  else context.fillRect(left, near, width, size);
  context.globalAlpha = 1;
}

function paintCells({ context, x, y }: Plane, { xEnds, yEnds, shares, colour }: DrawnCells): void {
  const rows = yEnds.length - 1;
  const [lefts, bottoms] = [xEnds.map((end) => Math.round(x(end))), yEnds.map((end) => Math.round(y(end)))];
  context.fillStyle = colour;
  shares.forEach((share, k) => {
    if (share === null) return;
    const [column, row] = [Math.floor(k / rows), k % rows];
    context.globalAlpha = share;
    const [left, top] = [lefts[column]!, bottoms[row + 1]!];
    context.fillRect(left, top, lefts[column + 1]! - left, bottoms[row]! - top);
  });
  context.globalAlpha = 1;
}

function paintArea({ context, x, y }: Plane, { xs, ys, lows = [] }: DrawnSeries): void {
  const ends = Array.from({ length: xs.length }, (_, i) => ({
    x: valueIn(xs, i),
    low: valueIn(lows, i),
    high: valueIn(ys, i),
  })).filter((end) => end.x !== null && end.low !== null && end.high !== null);
  context.beginPath();
  for (const end of ends) context.lineTo(x(end.x!), y(end.high!));
  for (const end of ends.toReversed()) context.lineTo(x(end.x!), y(end.low!));
  context.closePath();
  context.globalAlpha = 0.2;
  context.fill();
  context.globalAlpha = 1;
}

function paintLine(plane: Plane, { kind, dash = [], xs, ys }: DrawnSeries): void {
  const { context, ratio, x, y } = plane;
  context.lineWidth = 2 * ratio;
  context.lineJoin = 'round';
  context.setLineDash(dash.map((length) => length * ratio));
  context.beginPath();
  let last: readonly [left: number, top: number] | null = null;
  let count = 0;
  for (let i = 0; i < xs.length; i++) {
    const [at, value] = [valueIn(xs, i), valueIn(ys, i)];
    if (at === null || value === null) {
      last = null;
      continue;
    }
    const [left, top]: [number, number] = [x(at), y(value)];
    if (last === null) context.moveTo(left, top);
    // A step that stays at its height is part of the next one.
    else if (kind === 'steps' && top === last[1] && i < xs.length - 1) continue;
    else if (kind === 'steps') {
      context.lineTo(left, last[1]);
      context.lineTo(left, top);
    } else context.lineTo(left, top);
    last = [left, top];
    count++;
  }
  context.stroke();
  context.setLineDash([]);
  // A single point is not visible as a line.
  if (count === 1 && last) context.fillRect(last[0] - 3 * ratio, last[1] - 3 * ratio, 6 * ratio, 6 * ratio);
}

/** Points that would cover the same pixel are painted once. */
function paintPoints(plane: Plane, series: DrawnSeries): void {
  const { context, left, top, width, height, ratio, x, y } = plane;
  const { xs, ys, shape = 'square' } = series;
  const [columns, rows] = [Math.ceil(width) + 1, Math.ceil(height) + 1];
  const isPainted = new Uint8Array(columns * rows);
  context.lineWidth = 1.5 * ratio;
  const paint = painterOf(series, ratio);
  context.beginPath();
  for (let i = 0; i < xs.length; i++) {
    const at = valueIn(xs, i);
    const value = shape === 'top-cross' ? 0 : valueIn(ys, i);
    if (at === null || value === null) continue;
    const [px, py] = [x(at), shape === 'top-cross' ? top + 6 * ratio : y(value)];
    const [column, row] = [Math.round(px - left), Math.round(py - top)];
    if (!(column >= 0 && column < columns && row >= 0 && row < rows)) continue;
    const pixel = column * rows + row;
    if (isPainted[pixel] === 1) continue;
    isPainted[pixel] = 1;
    paint(context, px, py);
  }
  if (shape === 'dot') context.fill();
  else context.stroke();
}

type PaintPoint = (context: CanvasRenderingContext2D, x: number, y: number) => void;

/** Paints a point, or adds it to the path that is stroked or filled last. */
function painterOf({ xs, shape = 'square', path, spot }: DrawnSeries, ratio: number): PaintPoint {
  const isFew = xs.length <= FEW;
  const size = (isFew ? 6 : 3) * ratio;
  if (path !== undefined && xs.length <= FEW_PATHS) return pathPainter(new Path2D(path), ratio);
  if (shape === 'square') {
    const [width, height] = spot ? [spot[0] * ratio, spot[1] * ratio] : [size, size];
    return (context, x, y) => context.fillRect(x - width / 2, y - height / 2, width, height);
  }
  const half = size / 2;
  if (shape === 'hollow') return (context, x, y) => context.rect(x - half, y - half, size, size);
  if (shape === 'ring' || shape === 'dot') {
    const radius = shape === 'ring' ? 8 * ratio : half + 0.5 * ratio;
    return (context, x, y) => {
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    };
  }
  const arm = (isFew ? 3.5 : 2.5) * ratio;
  return (context, x, y) => {
    context.moveTo(x - arm, y - arm);
    context.lineTo(x + arm, y + arm);
    context.moveTo(x - arm, y + arm);
    context.lineTo(x + arm, y - arm);
  };
}

/** Outlines of more points would take seconds. */
const FEW_PATHS = 2_000;

function pathPainter(path: Path2D, ratio: number): PaintPoint {
  return (context, x, y) => {
    context.save();
    context.translate(x, y);
    context.scale(ratio, ratio);
    context.lineWidth = 1.5;
    context.stroke(path);
    context.restore();
  };
}
