/**
 * Draws a chart on a canvas: its axes, and inside them what the caller draws. Ten thousand points take a few milliseconds.
 */
import type { Colours } from './colours.ts';
import type { DrawnBand } from './drawing.ts';
import { grouped, short } from './formats.ts';
import { powersOf, ticksOf } from './ticks.ts';

/** A closed interval. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

interface ChartAxis extends Range {
  /** The name with its unit. */
  readonly label: string;
  readonly isLog?: boolean;
  /** Ticks are only at whole numbers from 1. */
  readonly isWhole?: boolean;
  /** At the low end everything is met, and the axis labels it so. */
  readonly isMetBelow?: boolean;
}

export interface Chart {
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  /** In CSS pixels. */
  readonly height: number;
  /** Draws what the chart shows, clipped to its sides. */
  draw(plane: Plane): void;
}

/** Positions of the plot area and its axes, in CSS pixels. */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** The part of the x axis that is shown. */
  readonly shown: Range;
  x(value: number): number;
  y(value: number): number;
  /** The value of the x axis at a pixel. */
  xAt(pixel: number): number;
}

export interface Plane extends Frame {
  readonly context: CanvasRenderingContext2D;
  readonly colours: Colours;
}

const LEFT = 64;
const RIGHT = 16;
const TOP = 26;
const BOTTOM = 46;
const TICK_PX = 90;

/** @param zoom  the visible part of the x axis; default: all */
export function frameOf({ x, y, height }: Chart, width: number, zoom?: Range): Frame {
  const [left, right, top, bottom] = [LEFT, width - RIGHT, TOP, height - BOTTOM];
  const shown = zoom ?? x;
  const perX = (right - left) / (shown.to - shown.from);
  const scale = y.isLog ? Math.log : (value: number) => value;
  const highest = scale(y.to);
  const perY = (bottom - top) / (highest - scale(y.from));
  return {
    ...{ left, right, top, bottom, shown },
    x: (value) => left + (value - shown.from) * perX,
    // Values that are not positive are drawn at the low end of a log axis.
    y: (value) => top + (highest - scale(y.isLog ? Math.max(y.from, value) : value)) * perY,
    xAt: (pixel) => shown.from + Math.min(1, Math.max(0, (pixel - left) / (right - left))) * (shown.to - shown.from),
  };
}

export function drawChart(canvas: HTMLCanvasElement, chart: Chart, frame: Frame, colours: Colours): void {
  const ratio = devicePixelRatio;
  const width = frame.right + RIGHT;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(chart.height * ratio);
  const context = canvas.getContext('2d', { alpha: false })!;
  context.scale(ratio, ratio);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, chart.height);
  const plane: Plane = { ...frame, context, colours };
  drawAxes(plane, chart);
  context.beginPath();
  context.rect(frame.left, 0, frame.right - frame.left, chart.height);
  context.clip();
  chart.draw(plane);
}

function drawAxes({ context, colours, left, right, top, bottom, shown, x, y }: Plane, chart: Chart): void {
  context.font = `12px ${colours.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  const { from, to, isLog, isMetBelow } = chart.y;
  for (const value of isLog ? powersOf(from, to) : ticksOf(from, to)) {
    const isMet = isMetBelow === true && value === from;
    context.fillStyle = isMet ? colours.met : colours.line;
    context.fillRect(left, Math.round(y(value)), right - left, isMet ? 2 : 1);
    context.fillStyle = isMet ? colours.met : colours.text;
    context.fillText(isMet ? 'met' : short(value), left - 8, y(value), left - 8);
  }
  context.textAlign = 'center';
  const count = Math.max(2, Math.floor((right - left) / TICK_PX));
  for (const value of ticksOf(shown.from, shown.to, count)) {
    if (chart.x.isWhole && (value % 1 !== 0 || value < 1)) continue;
    context.fillStyle = colours.line;
    context.fillRect(Math.round(x(value)), top, 1, bottom - top + 4);
    context.fillStyle = colours.text;
    context.fillText(chart.x.isWhole ? grouped(value) : short(value), x(value), bottom + 14);
  }
  context.fillStyle = colours.text;
  context.fillText(chart.x.label, (left + right) / 2, bottom + 36, right - left);
  context.textAlign = 'left';
  context.fillText(chart.y.label, 4, 9, right - 4);
}

/** Stairs: every value holds until the next one. NaN is left out. */
export function drawSteps({ context, x, y }: Plane, xs: ArrayLike<number>, ys: ArrayLike<number>): void {
  context.lineWidth = 2;
  context.beginPath();
  let before = Number.NaN;
  for (let i = 0; i < ys.length; i++) {
    const value = ys[i]!;
    if (Number.isNaN(value) || value === before) continue;
    const place = x(xs[i]!);
    if (Number.isNaN(before)) context.moveTo(place, y(value));
    else {
      context.lineTo(place, y(before));
      context.lineTo(place, y(value));
    }
    before = value;
  }
  if (!Number.isNaN(before)) context.lineTo(x(xs[xs.length - 1]!), y(before));
  context.stroke();
}

/** Shades the values that meet the targets. */
export function drawBands(
  { context, colours, left, right, top, bottom, x, y }: Plane,
  bands: readonly DrawnBand[],
): void {
  context.globalAlpha = 0.6;
  context.fillStyle = colours['met-area'];
  for (const { axis, from, to } of bands) {
    const [low, high] = axis === 'x' ? [left, right] : [bottom, top];
    const placeOf = axis === 'x' ? x : y;
    const inside = (place: number) => Math.min(Math.max(low, high), Math.max(Math.min(low, high), place));
    const a = from === null ? low : inside(placeOf(from));
    const b = to === null ? high : inside(placeOf(to));
    const [near, size] = [Math.min(a, b), Math.max(2, Math.abs(a - b))];
    if (axis === 'x') context.fillRect(near, top, size, bottom - top);
    else context.fillRect(left, near, right - left, size);
  }
  context.globalAlpha = 1;
}
