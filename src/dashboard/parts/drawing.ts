/** Draws a chart of lines or points as SVG text, to be saved: with title, axes and legend, unlike the chart on the page. */
import { short } from './formats.ts';
import { powersOf, ticksOf } from './ticks.ts';

interface DrawnSeries {
  readonly label: string;
  readonly colour: string;
  readonly kind: 'line' | 'points';
  /** Pattern of the line, such as "6 3". */
  readonly dash?: string;
  readonly xs: readonly number[];
  /** null leaves a gap. */
  readonly ys: readonly (number | null)[];
}

/** Values on one axis that meet the targets; null: no end. */
export interface DrawnBand {
  readonly axis: 'x' | 'y';
  readonly from: number | null;
  readonly to: number | null;
}

export interface Drawing {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly isLogX?: boolean;
  readonly isLogY?: boolean;
  readonly series: readonly DrawnSeries[];
  readonly bands?: readonly DrawnBand[];
  readonly colours: { readonly ground: string; readonly text: string; readonly line: string; readonly area: string };
}

const WIDTH = 960;
const HEIGHT = 540;
const BOX = { left: 90, right: 930, top: 60, bottom: 460 };
const LEGEND_LINE = 20;
const LARGEST = 1e307;

const escapeXml = (text: string) =>
  // XML allows no other characters, not even as references; one would make the whole picture unreadable.
  text
    .replaceAll(/[^\t\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

interface Axis {
  readonly ticks: readonly number[];
  /** From 0 at the low end to 1. */
  at(value: number): number;
}

function makeAxis(values: readonly number[], isLog: boolean): Axis {
  const shown = isLog ? values.filter((value) => value > 0) : values;
  let low = shown.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  let high = shown.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  if (!(low <= high)) [low, high] = isLog ? [1, 10] : [0, 1];
  if (isLog) {
    if (low === high) [low, high] = [low / 2, high * 2];
    const [first, width] = [Math.log(low), Math.log(high) - Math.log(low)];
    return { ticks: powersOf(low, high), at: (value) => (value > 0 ? (Math.log(value) - first) / width : 0) };
  }
  const pad = (high - low) * 0.05 || Math.abs(high) * 0.1 || 1;
  [low, high] = [low - pad, high + pad];
  return { ticks: ticksOf(low, high), at: (value) => (value - low) / (high - low) };
}

/** Numbers of the series, and the ends of the bands. */
function valuesOf({ series, bands = [] }: Drawing, axis: 'x' | 'y'): readonly number[] {
  const values = series.flatMap(({ xs, ys }) => (axis === 'x' ? xs : ys.filter((y) => y !== null)));
  const ends = bands.filter((band) => band.axis === axis).flatMap(({ from, to }) => [from, to]);
  // Differences of larger numbers would overflow.
  return [...values, ...ends.filter((end) => end !== null)].filter((value) => Math.abs(value) <= LARGEST);
}

export function drawSvg(drawing: Drawing): string {
  const { title, xLabel, yLabel, isLogX = false, isLogY = false, series, bands = [], colours } = drawing;
  const axes = { x: makeAxis(valuesOf(drawing, 'x'), isLogX), y: makeAxis(valuesOf(drawing, 'y'), isLogY) };
  const clamp = (share: number) => Math.min(1, Math.max(0, share));
  const toX = (value: number) => round(BOX.left + clamp(axes.x.at(value)) * (BOX.right - BOX.left));
  const toY = (value: number) => round(BOX.bottom - clamp(axes.y.at(value)) * (BOX.bottom - BOX.top));
  const text = (x: number, y: number, words: string, rest = '') =>
    `<text x="${x}" y="${y}" fill="${colours.text}" ${rest}>${escapeXml(words)}</text>`;
  const parts = [
    `<rect width="100%" height="100%" fill="${colours.ground}"/>`,
    text(BOX.left, 30, title, 'font-size="18" font-weight="600"'),
    ...bands.map(({ axis, from, to }) => {
      const isX = axis === 'x';
      const [low, high] = isX ? [BOX.left, BOX.right] : [BOX.bottom, BOX.top];
      const a = from === null ? low : isX ? toX(from) : toY(from);
      const b = to === null ? high : isX ? toX(to) : toY(to);
      const [near, size] = [Math.min(a, b), round(Math.max(1, Math.abs(a - b)))];
      return isX
        ? `<rect x="${near}" y="${BOX.top}" width="${size}" height="${BOX.bottom - BOX.top}" fill="${colours.area}" fill-opacity="0.6"/>`
        : `<rect x="${BOX.left}" y="${near}" width="${BOX.right - BOX.left}" height="${size}" fill="${colours.area}" fill-opacity="0.6"/>`;
    }),
    ...axes.x.ticks.flatMap((value) => [
      `<path d="M${toX(value)} ${BOX.top}V${BOX.bottom}" stroke="${colours.line}"/>`,
      text(toX(value), BOX.bottom + 20, short(value), 'text-anchor="middle"'),
    ]),
    ...axes.y.ticks.flatMap((value) => [
      `<path d="M${BOX.left} ${toY(value)}H${BOX.right}" stroke="${colours.line}"/>`,
      text(BOX.left - 8, toY(value) + 4, short(value), 'text-anchor="end"'),
    ]),
    text((BOX.left + BOX.right) / 2, BOX.bottom + 44, xLabel, 'text-anchor="middle"'),
    text(0, 0, yLabel, `text-anchor="middle" transform="translate(20 ${(BOX.top + BOX.bottom) / 2}) rotate(-90)"`),
    ...series.map((one) => drawSeries(one, toX, toY)),
    ...series.map(({ label, colour }, i) => {
      const y = HEIGHT + i * LEGEND_LINE;
      return `<rect x="${BOX.left}" y="${y - 10}" width="18" height="10" fill="${colour}"/>${text(BOX.left + 26, y, label)}`;
    }),
  ];
  const height = HEIGHT + series.length * LEGEND_LINE;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13">${parts.join('')}</svg>\n`;
}

function drawSeries({ kind, colour, dash, xs, ys }: DrawnSeries, toX: Place, toY: Place): string {
  const points = xs.map((x, i) => ({ x, y: ys[i] ?? null }));
  const drawn = points.filter((point) => point.y !== null && Number.isFinite(point.x));
  // A single point is not visible as a line.
  if (kind === 'points' || drawn.length === 1) {
    return `<g fill="${colour}">${drawn.map(({ x, y }) => `<circle cx="${toX(x)}" cy="${toY(y!)}" r="3.5"/>`).join('')}</g>`;
  }
  let path = '';
  let isDown = false;
  for (const { x, y } of points) {
    if (y !== null) path += `${isDown ? 'L' : 'M'}${toX(x)} ${toY(y)}`;
    isDown = y !== null;
  }
  const pattern = dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"${pattern}/>`;
}

type Place = (value: number) => number;

const round = (pixels: number) => Math.round(pixels * 100) / 100;
