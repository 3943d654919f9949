/** The charts of a data set: measured values with their errors, the best run and its band, and the residuals. */
import { type Chart, drawBands, type Plane, type Range } from '../../../parts/chart.ts';
import type { Colours } from '../../../parts/colours.ts';
import type { Drawing, DrawnBand } from '../../../parts/drawing.ts';
import type { FitPoint, FitSet } from './points.ts';

const HEIGHT = 300;
const RESIDUALS_HEIGHT = 170;
/** Residuals beyond two standard errors are rare if the model is right. */
const USUAL: readonly DrawnBand[] = [{ axis: 'y', from: -2, to: 2 }];
/** Points are larger while they are few. */
const FEW = 300;

/** With room at both ends. */
function around(values: readonly number[]): Range {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  if (!(low <= high)) return { from: 0, to: 1 };
  const room = (high - low) * 0.04 || Math.abs(high) * 0.1 || 1;
  return { from: low - room, to: high + room };
}

const known = (values: readonly (number | null | undefined)[]) =>
  values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value));

export function dataChart({ points, xLabel, yLabel }: FitSet): Chart {
  const values = points.flatMap(({ value, error, best, band }) =>
    known([best, band?.low, band?.high, ...(value === null ? [] : [value - (error ?? 0), value + (error ?? 0)])]),
  );
  return {
    x: { label: xLabel, ...around(points.map(({ x }) => x)) },
    y: { label: yLabel, ...around(values) },
    height: HEIGHT,
    draw: (plane) => {
      drawBand(plane, points);
      drawCurve(plane, points);
      drawMeasured(plane, points);
    },
  };
}

export function residualChart({ points, xLabel }: FitSet): Chart {
  return {
    x: { label: xLabel, ...around(points.map(({ x }) => x)) },
    y: {
      label: 'Best run minus measured, in standard errors',
      ...around([-2.5, 2.5, ...known(points.map(({ residual }) => residual))]),
    },
    height: RESIDUALS_HEIGHT,
    draw: (plane) => {
      drawBands(plane, USUAL);
      drawResiduals(plane, points);
    },
  };
}

function drawBand({ context, colours, x, y }: Plane, points: readonly FitPoint[]): void {
  const shown = points.filter(({ band }) => band !== null);
  if (shown.length === 0) return;
  context.beginPath();
  for (const point of shown) context.lineTo(x(point.x), y(point.band!.high));
  for (const point of shown.toReversed()) context.lineTo(x(point.x), y(point.band!.low));
  context.closePath();
  context.globalAlpha = 0.25;
  context.fillStyle = colours.accent;
  context.fill();
  context.globalAlpha = 1;
}

function drawCurve({ context, colours, x, y }: Plane, points: readonly FitPoint[]): void {
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  context.beginPath();
  for (const point of points) if (point.best !== null) context.lineTo(x(point.x), y(point.best));
  context.stroke();
}

function drawMeasured({ context, colours, x, y }: Plane, points: readonly FitPoint[]): void {
  const size = points.length > FEW ? 3 : 6;
  context.fillStyle = colours.mark;
  for (const { x: at, value, error } of points) {
    if (value === null) continue;
    const [left, top] = [x(at), y(value)];
    context.fillRect(left - size / 2, top - size / 2, size, size);
    if (error === null) continue;
    const [high, low] = [y(value + error), y(value - error)];
    context.fillRect(left - 0.5, high, 1, low - high);
    if (points.length > FEW) continue;
    context.fillRect(left - 3, high - 0.5, 6, 1);
    context.fillRect(left - 3, low - 0.5, 6, 1);
  }
}

function drawResiduals({ context, colours, left, right, x, y }: Plane, points: readonly FitPoint[]): void {
  const size = points.length > FEW ? 3 : 5;
  context.fillStyle = colours.mark;
  context.fillRect(left, Math.round(y(0)), right - left, 1);
  for (const { x: at, residual } of points) {
    if (residual === null) continue;
    const [place, top] = [x(at), y(residual)];
    context.fillRect(place - 0.5, Math.min(top, y(0)), 1, Math.abs(top - y(0)));
    context.fillRect(place - size / 2, top - size / 2, size, size);
  }
}

/** The chart as a picture to be saved; its ends of errors and band are lines. */
export function drawFit({ title, xLabel, yLabel, points }: FitSet, project: string, colours: Colours): Drawing {
  const measured = points.filter(({ value }) => value !== null);
  const banded = points.filter(({ band }) => band !== null);
  const errors = measured.filter(({ error }) => error !== null);
  return {
    title: `${project}: ${title}`,
    xLabel,
    yLabel,
    series: [
      {
        label: 'Standard error',
        colour: colours.mark,
        kind: 'line',
        xs: errors.flatMap(({ x }) => [x, x, x]),
        ys: errors.flatMap(({ value, error }) => [value! - error!, value! + error!, null]),
      },
      {
        label: 'Measured',
        colour: colours.mark,
        kind: 'points',
        xs: measured.map(({ x }) => x),
        ys: measured.map(({ value }) => value),
      },
      {
        label: 'Best run',
        colour: colours.accent,
        kind: 'line',
        xs: points.map(({ x }) => x),
        ys: points.map(({ best }) => best),
      },
      ...(banded.length > 0
        ? [
            {
              label: 'Band',
              colour: colours.accent,
              kind: 'line' as const,
              dash: '4 3',
              // One line along the lower ends, a gap, and one along the upper ends.
              xs: [...banded, ...banded.slice(-1), ...banded].map(({ x }) => x),
              ys: [...banded.map(({ band }) => band!.low), null, ...banded.map(({ band }) => band!.high)],
            },
          ]
        : []),
    ],
    colours: { ground: colours.ground, text: colours.text, line: colours.line, area: colours['met-area'] },
  };
}
