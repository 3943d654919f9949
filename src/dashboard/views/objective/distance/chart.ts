/**
 * Draws the chart of distances on a canvas: a point per run on a log axis, and the best so far as a line. Ten thousand points
 * take a few milliseconds.
 */
import type { Colours } from '../../../parts/colours.ts';
import { short } from '../../../parts/formats.ts';
import { powersOf, ticksOf } from '../../../parts/ticks.ts';
import type { Range } from '../order.ts';
import { type DistanceData, EXCLUDED, FAILED } from './measures.ts';

export const HEIGHT = 300;
const LEFT = 64;
const RIGHT = 16;
const TOP = 26;
const BOTTOM = 46;
/** Points are larger while they are few. */
const FEW = 300;
const TICK_PX = 90;

/** Which iterations lie where, in CSS pixels. */
export interface Frame extends Range {
  readonly left: number;
  readonly right: number;
}

/** @param zoom  the iterations to be shown; all unless given */
export function frameOf({ iterations }: DistanceData, zoom: Range | undefined, width: number): Frame {
  const [first, last] = [iterations[0] ?? 0, iterations.at(-1) ?? 1];
  const room = Math.max(0.5, (last - first) * 0.01);
  return { left: LEFT, right: width - RIGHT, ...(zoom ?? { from: first - room, to: last + room }) };
}

export function iterationAt({ left, right, from, to }: Frame, x: number): number {
  return from + Math.min(1, Math.max(0, (x - left) / (right - left))) * (to - from);
}

interface Places {
  readonly context: CanvasRenderingContext2D;
  readonly frame: Frame;
  readonly data: DistanceData;
  readonly colours: Colours;
  x(iteration: number): number;
  /** What is met lies at the floor. */
  y(distance: number): number;
}

export function drawChart(
  canvas: HTMLCanvasElement,
  width: number,
  data: DistanceData,
  frame: Frame,
  colours: Colours,
): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = HEIGHT * ratio;
  const context = canvas.getContext('2d', { alpha: false })!;
  context.scale(ratio, ratio);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, HEIGHT);
  const perIteration = (frame.right - frame.left) / (frame.to - frame.from);
  const highest = Math.log(data.top);
  const perLog = (HEIGHT - BOTTOM - TOP) / (highest - Math.log(data.floor));
  const places: Places = {
    context,
    frame,
    data,
    colours,
    x: (iteration) => frame.left + (iteration - frame.from) * perIteration,
    y: (distance) => TOP + (highest - Math.log(Math.max(data.floor, distance))) * perLog,
  };
  drawAxes(places);
  context.save();
  context.beginPath();
  context.rect(frame.left, 0, frame.right - frame.left, HEIGHT);
  context.clip();
  drawPoints(places);
  drawBest(places);
  context.restore();
}

function drawAxes({ context, frame, data, colours, x, y }: Places): void {
  context.font = `12px ${colours.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const value of powersOf(data.floor, data.top)) {
    const isFloor = value === data.floor;
    context.fillStyle = isFloor ? colours.met : colours.line;
    context.fillRect(frame.left, Math.round(y(value)), frame.right - frame.left, isFloor ? 2 : 1);
    context.fillStyle = isFloor ? colours.met : colours.text;
    context.fillText(isFloor ? 'met' : short(value), frame.left - 8, y(value));
  }
  context.textAlign = 'center';
  const count = Math.max(2, Math.floor((frame.right - frame.left) / TICK_PX));
  for (const value of ticksOf(frame.from, frame.to, count)) {
    if (value % 1 !== 0 || value < 1) continue;
    context.fillStyle = colours.line;
    context.fillRect(Math.round(x(value)), TOP, 1, HEIGHT - BOTTOM - TOP + 4);
    context.fillStyle = colours.text;
    context.fillText(value.toLocaleString('en-US'), x(value), HEIGHT - BOTTOM + 14);
  }
  context.fillStyle = colours.text;
  context.fillText('Iteration', (frame.left + frame.right) / 2, HEIGHT - 10);
  context.textAlign = 'left';
  context.fillText(data.title, 4, 9, frame.right - 4);
}

function drawPoints({ context, frame, data, colours, x, y }: Places): void {
  const { iterations, values, marks } = data;
  const size = iterations.length > FEW ? 3 : 6;
  const half = size / 2;
  context.fillStyle = colours.mark;
  context.strokeStyle = colours.muted;
  context.lineWidth = 1;
  const failed: number[] = [];
  for (let row = 0; row < iterations.length; row++) {
    const iteration = iterations[row]!;
    if (iteration < frame.from || iteration > frame.to) continue;
    const value = values[row]!;
    if (marks[row] === FAILED) failed.push(x(iteration));
    else if (marks[row] === EXCLUDED) context.strokeRect(x(iteration) - half, y(value) - half, size, size);
    else if (!Number.isNaN(value)) context.fillRect(x(iteration) - half, y(value) - half, size, size);
  }
  drawCrosses(context, failed, colours);
}

/** Failed runs have no distance: they stand at the upper edge. */
function drawCrosses(context: CanvasRenderingContext2D, xs: readonly number[], colours: Colours): void {
  const arm = 3.5;
  const y = TOP + 6;
  context.strokeStyle = colours.unmet;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const x of xs) {
    context.moveTo(x - arm, y - arm);
    context.lineTo(x + arm, y + arm);
    context.moveTo(x - arm, y + arm);
    context.lineTo(x + arm, y - arm);
  }
  context.stroke();
}

function drawBest({ context, data, colours, x, y }: Places): void {
  const { iterations, best } = data;
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  context.beginPath();
  let before = Number.NaN;
  for (let row = 0; row < best.length; row++) {
    const value = best[row]!;
    if (Number.isNaN(value) || value === before) continue;
    const place = x(iterations[row]!);
    if (Number.isNaN(before)) context.moveTo(place, y(value));
    else {
      context.lineTo(place, y(before));
      context.lineTo(place, y(value));
    }
    before = value;
  }
  if (!Number.isNaN(before)) context.lineTo(x(iterations.at(-1)!), y(before));
  context.stroke();
}
