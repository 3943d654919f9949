/** Draws the parallel coordinates on a canvas: the lines as counts, then the axes. */

import type { Colours } from '../../../../presentation/colours.ts';
import type { Range } from '../../../../presentation/plot.ts';
import { positionOn } from '../../../../presentation/scales.ts';
import type { Axis, AxisKey } from '../state/axes.ts';
import { type Colour, type Counts, countLines, paintCounts, strengthOf } from '../state/raster.ts';

/** In CSS pixels. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly bottom: number;
  readonly xs: readonly number[];
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

export const HEIGHT = 340;
const SIDE = 46;
const TOP = 48;
const BOTTOM = 14;
/** Narrower ones cannot be read: the chart then scrolls in its box. */
const NARROWEST_GAP = 46;
/** From here on the picture is not drawn in more detail than CSS pixels. */
const MANY_LINES = 5_000;

export function layOut(axisCount: number, availableWidth: number, lineCount: number): Layout {
  const width = Math.max(availableWidth, 2 * SIDE + (axisCount - 1) * NARROWEST_GAP);
  const gap = axisCount < 2 ? 0 : (width - 2 * SIDE) / (axisCount - 1);
  const ratio = lineCount > MANY_LINES ? 1 : Math.min(2, devicePixelRatio);
  const xs = Array.from({ length: axisCount }, (_, a) => Math.round(SIDE + a * gap));
  return { width, height: HEIGHT, top: TOP, bottom: HEIGHT - BOTTOM, xs, ratio };
}

/** The pixel rows of every run on an axis. */
function rowsOn({ scale, column }: Axis, height: number): Float32Array {
  const rows = new Float32Array(column.length);
  if (scale.isLog || scale.low === scale.high) {
    for (let i = 0; i < rows.length; i++) rows[i] = (1 - positionOn(scale, column[i]!)) * (height - 1);
    return rows;
  }
  const perUnit = (height - 1) / (scale.high - scale.low);
  for (let i = 0; i < rows.length; i++) rows[i] = (scale.high - column[i]!) * perUnit;
  return rows;
}

/** Counts the lines that cross each pixel between the first axis and the last. */
export function countRuns(axes: readonly Axis[], { xs, top, bottom, ratio }: Layout, selection?: Uint8Array): Counts {
  const height = Math.round((bottom - top) * ratio);
  const left = xs[0] ?? 0;
  const placed = axes.map((axis, a) => ({ x: Math.round((xs[a]! - left) * ratio), rows: rowsOn(axis, height) }));
  const width = (placed.at(-1)?.x ?? 0) + 1;
  return countLines({ width, height }, placed, selection);
}

export interface Picture {
  readonly axes: readonly Axis[];
  readonly layout: Layout;
  /** Counts of all runs, and of those selected. */
  readonly all: Counts;
  readonly selected: Counts | undefined;
  readonly lineCount: number;
  readonly selectedCount: number;
  readonly ranges: ReadonlyMap<AxisKey, Range>;
}

export function drawPicture(canvas: HTMLCanvasElement, picture: Picture, colours: Colours): void {
  const { layout, all, selected } = picture;
  const { width, height, ratio, xs, top } = layout;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d', { alpha: false })!;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const x = Math.round((xs[0] ?? 0) * ratio);
  const y = Math.round(top * ratio);
  const image = context.createImageData(all.width, all.height);
  fillWith(image.data, toColour(context, colours.ground));
  const accent = toColour(context, colours.accent);
  if (selected === undefined) paintCounts(image.data, all, accent, strengthOf(picture.lineCount));
  else {
    paintCounts(image.data, all, toColour(context, colours.line), strengthOf(picture.lineCount));
    paintCounts(image.data, selected, accent, strengthOf(picture.selectedCount));
  }
  context.putImageData(image, x, y);
  context.scale(ratio, ratio);
  picture.axes.forEach((axis, a) => {
    drawAxis(context, picture, a, colours);
    const range = picture.ranges.get(axis.key);
    if (range !== undefined) drawRange(context, picture, a, range, colours);
  });
}

function fillWith(pixels: Uint8ClampedArray, [r, g, b]: Colour): void {
  // Writes four bytes together, in little-endian order, which all browsers use.
  new Uint32Array(pixels.buffer).fill((255 << 24) | (b << 16) | (g << 8) | r);
}

/** The canvas writes every colour as #rrggbb. */
function toColour(context: CanvasRenderingContext2D, text: string): Colour {
  context.fillStyle = text;
  const value = Number.parseInt(String(context.fillStyle).slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function heightOf({ top, bottom }: Layout, axis: Axis, value: number): number {
  return bottom - Math.min(1, Math.max(0, positionOn(axis.scale, value))) * (bottom - top);
}

function drawAxis(context: CanvasRenderingContext2D, { axes, layout }: Picture, a: number, colours: Colours): void {
  const axis = axes[a]!;
  const { xs, top, bottom } = layout;
  const x = xs[a]!;
  const gap = (xs[1] ?? x + 200) - (xs[0] ?? x);
  if (axis.wanted) {
    const { lower, upper } = axis.wanted;
    const from = lower === null ? bottom : heightOf(layout, axis, lower);
    const to = upper === null ? top : heightOf(layout, axis, upper);
    context.fillStyle = colours.met;
    context.fillRect(x - 4, to, 4, Math.max(2, from - to));
  }
  context.fillStyle = colours.text;
  context.fillRect(x - 0.5, top, 1, bottom - top);
  context.font = `11px ${colours.font}`;
  context.textBaseline = 'middle';
  const isLast = a === axes.length - 1;
  // There is more room before the last axis than behind it.
  context.textAlign = isLast ? 'right' : 'left';
  const room = Math.max(gap, SIDE);
  context.lineJoin = 'round';
  for (const tick of axis.ticks) {
    const y = heightOf(layout, axis, tick);
    context.fillStyle = colours.text;
    context.fillRect(x, y - 0.5, 4, 1);
    writeOn(context, cutToFit(context, axis.textOf(tick), room - 10), isLast ? x - 6 : x + 6, y, colours);
  }
  // Neighbouring titles alternate between two rows, so that each has the room of two.
  context.textAlign = 'center';
  context.font = `600 12px ${colours.font}`;
  // At the sides a title is moved inwards, yet not beyond the middle between two.
  const titleRoom = Math.min(2 * gap - 8, Math.min(x, layout.width - x) + gap - 6);
  const text = cutToFit(context, axis.title, titleRoom);
  const half = context.measureText(text).width / 2;
  const middle = Math.min(layout.width - half - 2, Math.max(half + 2, x));
  context.fillStyle = colours.text;
  context.fillText(text, middle, a % 2 === 0 ? 12 : 30);
}

/** With a rim of the ground's colour, to be read on any line. */
function writeOn(context: CanvasRenderingContext2D, text: string, x: number, y: number, colours: Colours): void {
  context.strokeStyle = colours.ground;
  context.lineWidth = 3;
  context.strokeText(text, x, y);
  context.fillStyle = colours.text;
  context.fillText(text, x, y);
}

/** Cut off with an ellipsis where it is too wide. */
function cutToFit(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let length = Math.min(text.length, Math.ceil(width / 4));
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length--;
  return `${text.slice(0, length)}…`;
}

function drawRange(
  context: CanvasRenderingContext2D,
  { axes, layout }: Picture,
  a: number,
  { from, to }: Range,
  colours: Colours,
): void {
  const x = layout.xs[a]!;
  const low = heightOf(layout, axes[a]!, from);
  const high = heightOf(layout, axes[a]!, to);
  context.globalAlpha = 0.25;
  context.fillStyle = colours.accent;
  context.fillRect(x - 8, high, 16, Math.max(2, low - high));
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.strokeRect(x - 8, high, 16, Math.max(2, low - high));
}
