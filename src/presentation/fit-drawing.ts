/** The charts of a data set: measured values with their errors, the best run and its band, and the residuals. */
import type { Colours } from './colours.ts';
import type { FitPoint, FitSet } from './fit-points.ts';
import { type Drawing, type DrawnBand, type Range, rangeOf } from './plot.ts';

/** Residuals beyond two standard errors are rare if the model is right. */
const USUAL: readonly DrawnBand[] = [{ axis: 'y', from: -2, to: 2 }];

/** The chart of the data; its residuals have the same axis. */
export function drawFit({ title, xLabel, yLabel, points }: FitSet, project: string, colours: Colours): Drawing {
  const measured = points.filter(({ value }) => value !== null);
  const banded = points.filter(({ band }) => band !== null);
  const errors = measured.filter(({ error }) => error !== null);
  return {
    title: `${project}: ${title}`,
    x: { label: xLabel, range: rangeOfData(points) },
    y: { label: yLabel },
    series: [
      ...(banded.length > 0
        ? [
            {
              label: 'What the data leave open',
              colour: colours.accent,
              kind: 'area' as const,
              xs: banded.map(({ x }) => x),
              ys: banded.map(({ band }) => band!.high),
              lows: banded.map(({ band }) => band!.low),
            },
          ]
        : []),
      {
        label: 'Best run',
        colour: colours.accent,
        kind: 'line',
        xs: points.flatMap(({ x, best }) => (best === null ? [] : [x])),
        ys: points.flatMap(({ best }) => (best === null ? [] : [best])),
      },
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
    ],
  };
}

export function drawResiduals({ title, xLabel, points }: FitSet, project: string, colours: Colours): Drawing {
  const known = points.filter(({ residual }) => residual !== null);
  const { from, to } = rangeOfData(points);
  const colour = colours.mark;
  return {
    title: `${project}: residuals of ${title}`,
    x: { label: xLabel, range: { from, to } },
    y: { label: 'Residual (s.e.)' },
    series: [
      { label: 'The best run meets the data', colour, kind: 'line', dash: [2, 3], xs: [from, to], ys: [0, 0] },
      {
        label: 'Best run minus measured',
        colour,
        kind: 'line',
        xs: known.flatMap(({ x }) => [x, x, x]),
        ys: known.flatMap(({ residual }) => [0, residual, null]),
      },
      {
        label: 'Residual',
        colour,
        kind: 'points',
        xs: known.map(({ x }) => x),
        ys: known.map(({ residual }) => residual),
      },
    ],
    bands: USUAL,
  };
}

function rangeOfData(points: readonly FitPoint[]): Range {
  const xs = points.map(({ x }) => x);
  return rangeOf(
    { title: '', x: { label: '' }, y: { label: '' }, series: [{ label: '', colour: '', kind: 'points', xs, ys: xs }] },
    'x',
  );
}
