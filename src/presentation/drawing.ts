/**
 * Lays a chart out with title, axes and legend, unlike the chart on the page, and writes it as SVG text. Reports print the same shapes
 * as a PDF. Coordinates are in CSS pixels from the upper left corner.
 */
import {
  type Drawing,
  type DrawnBand,
  type DrawnCells,
  type DrawnSeries,
  type PlotColours,
  type Range,
  rangeOf,
  type Shape,
  scaleOf,
  ticksIn,
  valueIn,
} from './plot.ts';

interface Outline {
  readonly fill?: string | undefined;
  readonly stroke?: string | undefined;
  /** Width of the line. */
  readonly width?: number;
  readonly dash?: readonly number[] | undefined;
  readonly opacity?: number | undefined;
  /** Moves it. */
  readonly by?: readonly [x: number, y: number];
}

interface Written {
  readonly text: string;
  readonly x: number;
  /** Height of the base line. */
  readonly y: number;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly colour: string;
  readonly isTitle?: boolean;
  /** Reads upwards. */
  readonly isUpright?: boolean;
}

/** `d` is the data of a path in SVG. */
type PrintedShape = ({ readonly d: string } & Outline) | Written;

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly PrintedShape[];
}

/** Layout of a picture. */
export interface Frame {
  readonly width: number;
  /** Without the legend. */
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly ticks: number;
  readonly hasTitle: boolean;
  readonly hasLegend: boolean;
  /** Size of the squares in which only one point is drawn; 0: all points. */
  readonly grain: number;
}

const SAVED: Frame = {
  ...{ width: 960, height: 540, left: 90, right: 930, top: 60, bottom: 460 },
  ...{ ticks: 6, hasTitle: true, hasLegend: true, grain: 0 },
};
const LEGEND_LINE = 20;
export const TEXT_SIZE = 13;
const TITLE_SIZE = 18;
/** Width of a character, in sizes of the text: rather too wide than too narrow. */
const WIDTH_OF_CHARACTER = 0.56;

export const escapeXml = (text: string) =>
  // XML allows no other characters, not even as references; one would make the whole picture unreadable.
  text
    .replaceAll(/[^\t\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

type Place = (value: number) => number;

const round = (pixels: number) => Math.round(pixels * 100) / 100;
const clamp = (share: number) => Math.min(1, Math.max(0, share));

/** As much of the text as fits into so many pixels. */
function cut(text: string, room: number, size = TEXT_SIZE): string {
  const characters = [...text];
  const most = Math.max(4, Math.floor(room / (size * WIDTH_OF_CHARACTER)));
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

export function layOut(drawing: Drawing, colours: PlotColours, frame: Frame = SAVED): Picture {
  const { title, x, y, series, bands = [], cells } = drawing;
  const { width, left, right, top, bottom } = frame;
  const ranges = { x: rangeOf(drawing, 'x'), y: rangeOf(drawing, 'y') };
  const toX = placeOn(x, ranges.x, left, right);
  const toY = placeOn(y, ranges.y, bottom, top);
  const write = (x: number, y: number, text: string, anchor: Written['anchor'], more: Partial<Written> = {}) => ({
    ...{ text, x, y, anchor, colour: colours.text },
    ...more,
  });
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
  const entries = frame.hasLegend ? series : [];
  const shapes: PrintedShape[] = [
    ...(frame.hasTitle ? [write(left, 30, cut(title, width - left, TITLE_SIZE), 'start', { isTitle: true })] : []),
    ...(cells ? drawCells(cells, toX, toY) : []),
    ...bands.map((band) => drawBand(band, frame, band.axis === 'x' ? toX : toY, colours['met-area'])),
    ...ticksIn(x, ranges.x, frame.ticks).flatMap(({ at, text }) => [
      { d: `M${toX(at)} ${top}V${bottom}`, stroke: colours.line },
      write(toX(at), bottom + 20, cut(text, (right - left) / 3), 'middle'),
    ]),
    ...ticksIn(y, ranges.y, frame.ticks).flatMap(({ at, text }) => [
      { d: `M${left} ${toY(at)}H${right}`, stroke: colours.line },
      write(left - 8, toY(at) + 4, cut(text, left), 'end'),
    ]),
    write(middle.x, bottom + 44, cut(x.label, right - left), 'middle'),
    write(20, middle.y, cut(y.label, bottom - top), 'middle', { isUpright: true }),
    ...series.flatMap((one) => drawSeries(one, frame, toX, toY)),
    ...entries.flatMap(({ label, colour }, i) => {
      const base = frame.height + i * LEGEND_LINE;
      return [
        { d: `M${left} ${base - 10}h18v10h-18z`, fill: colour },
        write(left + 26, base, cut(label, right - left), 'start'),
      ];
    }),
  ];
  return {
    width,
    height: frame.height + entries.length * LEGEND_LINE,
    shapes: shapes.filter((shape) => !('text' in shape) || shape.text !== ''),
  };
}

/** From one end of an axis to the other. */
function placeOn(axis: Drawing['x'], range: Range, from: number, to: number): Place {
  const share = scaleOf(axis, range);
  return (value) => round(from + clamp(share(value)) * (to - from));
}

export function drawSvg(drawing: Drawing, colours: PlotColours): string {
  return writeSvg(layOut(drawing, colours), colours.ground);
}

/** @param ground  its colour; absent: transparent */
export function writeSvg({ width, height, shapes }: Picture, ground?: string): string {
  const back = ground === undefined ? '' : `<rect width="100%" height="100%" fill="${ground}"/>`;
  const content = shapes.map((shape) => ('text' in shape ? svgText(shape) : svgPath(shape))).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="${TEXT_SIZE}">${back}${content}</svg>\n`;
}

function svgText({ text, x, y, anchor, colour, isTitle, isUpright }: Written): string {
  const place = isUpright ? `x="0" y="0" transform="translate(${x} ${y}) rotate(-90)"` : `x="${x}" y="${y}"`;
  const look = isTitle ? ` font-size="${TITLE_SIZE}" font-weight="600"` : '';
  return `<text ${place} fill="${colour}" text-anchor="${anchor}"${look}>${escapeXml(text)}</text>`;
}

function svgPath({ d, fill = 'none', stroke, width, dash, opacity, by }: { readonly d: string } & Outline): string {
  const line = stroke === undefined ? '' : ` stroke="${stroke}" stroke-linejoin="round"`;
  const thick = width === undefined ? '' : ` stroke-width="${width}"`;
  const pattern = dash === undefined ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
  const faint = opacity === undefined ? '' : ` opacity="${opacity}"`;
  const place = by === undefined ? '' : ` transform="translate(${by.join(' ')})"`;
  return `<path d="${d}" fill="${fill}"${line}${thick}${pattern}${faint}${place}/>`;
}

function drawBand({ axis, from, to }: DrawnBand, frame: Frame, place: Place, fill: string): PrintedShape {
  const { left, right, top, bottom } = frame;
  const [low, high] = axis === 'x' ? [left, right] : [bottom, top];
  const a = from === null ? low : place(from);
  const b = to === null ? high : place(to);
  const [near, size] = [Math.min(a, b), round(Math.max(1, Math.abs(a - b)))];
  const d = axis === 'x' ? `M${near} ${top}h${size}V${bottom}h${-size}z` : `M${left} ${near}H${right}v${size}H${left}z`;
  return { d, fill, opacity: 0.6 };
}

function drawCells({ xEnds, yEnds, shares, colour }: DrawnCells, toX: Place, toY: Place): PrintedShape[] {
  const rows = yEnds.length - 1;
  return shares.flatMap((share, k) => {
    if (share === null) return [];
    const [column, row] = [Math.floor(k / rows), k % rows];
    const [left, top] = [toX(xEnds[column]!), toY(yEnds[row + 1]!)];
    const d = `M${left} ${top}H${toX(xEnds[column + 1]!)}V${toY(yEnds[row]!)}H${left}z`;
    return [{ d, fill: colour, opacity: round(share) }];
  });
}

function drawSeries(
  { kind, colour, dash, xs, ys, lows, isFaint, shape = 'square', path: outline }: DrawnSeries,
  { grain, top }: Frame,
  toX: Place,
  toY: Place,
): PrintedShape[] {
  const opacity = isFaint ? 0.4 : undefined;
  const points = Array.from({ length: xs.length }, (_, i) => ({
    x: valueIn(xs, i),
    y: valueIn(ys, i),
    low: lows ? valueIn(lows, i) : null,
  }));
  const drawn = points.filter((point) => point.x !== null && (point.y !== null || shape === 'top-cross'));
  if (kind === 'area') {
    const ends = drawn.filter(({ low }) => low !== null);
    const [up, down] = [
      ends.map(({ x, y }) => `${toX(x!)} ${toY(y!)}`),
      ends.map(({ x, low }) => `${toX(x!)} ${toY(low!)}`),
    ];
    return [{ d: `M${[...up, ...down.toReversed()].join('L')}Z`, fill: colour, opacity: 0.2 }];
  }
  // A single point is not visible as a line.
  if (kind === 'points' || drawn.length === 1) {
    const taken = new Set<string>();
    const places = drawn
      .map(({ x, y }) => [toX(x!), y === null ? top + 6 : toY(y)] as const)
      .filter(([x, y]) => {
        const cell = `${Math.round(x / grain)} ${Math.round(y / grain)}`;
        const isFree = grain === 0 || !taken.has(cell);
        taken.add(cell);
        return isFree;
      });
    const line = { stroke: colour, width: 1.5, opacity };
    if (outline !== undefined) return places.map((by) => ({ d: outline, by, ...line }));
    const d = places.map(([x, y]) => SHAPES[shape](x, y)).join('');
    return [{ d, ...(FILLED.has(shape) ? { fill: colour, opacity } : line) }];
  }
  return [{ d: lineThrough(points, kind === 'steps', toX, toY), stroke: colour, width: 2, dash, opacity }];
}

/** Leaves out what does not move. */
function lineThrough(
  points: readonly { readonly x: number | null; readonly y: number | null }[],
  isSteps: boolean,
  toX: Place,
  toY: Place,
): string {
  let d = '';
  let isDown = false;
  let [lastX, lastY] = [Number.NaN, Number.NaN];
  points.forEach(({ x, y }, i) => {
    const isThere = x !== null && y !== null;
    if (isThere) {
      const [atX, atY] = [toX(x), toY(y)];
      const next = points[i + 1];
      const isFlat = isSteps && atY === lastY && next?.y != null && toY(next.y) === atY;
      if (!isDown) d += `M${atX} ${atY}`;
      else if (isSteps && !isFlat) d += `H${atX}${atY === lastY ? '' : `V${atY}`}`;
      else if (!isSteps && (atX !== lastX || atY !== lastY)) d += `L${atX} ${atY}`;
      [lastX, lastY] = [atX, atY];
    }
    isDown = isThere;
  });
  return d;
}

const FILLED: ReadonlySet<string> = new Set<Shape>(['dot', 'square']);

const circle = (r: number) => (x: number, y: number) =>
  `M${round(x - r)} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
const square = (x: number, y: number) => `M${round(x - 3)} ${round(y - 3)}h6v6h-6z`;
const cross = (x: number, y: number) => `M${round(x - 4)} ${round(y - 4)}l8 8m-8 0l8 -8`;

const SHAPES: Readonly<Record<Shape, (x: number, y: number) => string>> = {
  dot: circle(3.5),
  ring: circle(8),
  square,
  hollow: square,
  cross,
  'top-cross': cross,
};
