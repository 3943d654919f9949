/** The charts of the runs of an objective: the front, the best value so far, and an output, run by run. Needs no browser. */
import type { Colours } from './colours.ts';
import type { Columns, Head } from './columns.ts';
import type { Drawing } from './plot.ts';
import { bandOf, isWorthLog, pointSeries, type RunsOfTrial, type rowsByKind } from './run-points.ts';
import { outputLabel } from './values.ts';

/** The runs of a chart, sorted by what their points look like. */
export interface DrawnRuns {
  readonly runs: RunsOfTrial;
  readonly rows: ReturnType<typeof rowsByKind>;
  /** The number of each run, or its place before run 1. */
  readonly places: Float64Array;
}

/** @param front  rows of the runs on the front */
export function drawFront(
  head: Head,
  { runs, rows }: Pick<DrawnRuns, 'runs' | 'rows'>,
  front: readonly number[],
  [across, up]: readonly [number, number],
  palette: Colours,
): Drawing {
  const { outputs } = runs.columns;
  const at = (j: number) => Float64Array.from(front, (row) => outputs[j]![row]!);
  const points = pointSeries(runs, rows, { xs: outputs[across]!, ys: outputs[up]! }, palette);
  return {
    title: `${head.projectName}: front`,
    x: { label: outputLabel(head, across) },
    y: { label: outputLabel(head, up) },
    series: [
      ...points.filter(({ shape }) => shape !== 'top-cross'),
      {
        label: 'On the front',
        colour: palette.accent,
        kind: 'points',
        shape: 'dot',
        xs: at(across),
        ys: at(up),
        rows: front,
      },
    ],
  };
}

/** @param best  the best value so far, by run of the objective */
export function drawValue(
  head: Head,
  { runs, rows, places }: DrawnRuns,
  j: number,
  { own, best }: { readonly own: Columns; readonly best: Float64Array },
  palette: Colours,
): Drawing {
  const ys = runs.columns.outputs[j]!;
  const label = outputLabel(head, j);
  return {
    title: `${head.projectName}: ${label}, run by run`,
    x: { label: 'Run', isWhole: true, least: 1 },
    y: { label, isLog: isWorthLog(ys, []) },
    series: [
      ...pointSeries(runs, rows, { xs: places, ys }, palette),
      { label: 'Best so far', colour: palette.accent, kind: 'steps', xs: own.iterations, ys: best },
    ],
  };
}

/** With the values that meet its target. @param hasLabels  of the axes */
export function drawOutput(
  head: Head,
  { runs, rows, places }: DrawnRuns,
  j: number,
  hasLabels: boolean,
  palette: Colours,
): Drawing {
  const ys = runs.columns.outputs[j]!;
  const bands = bandOf('y', head.intervals[j]!);
  const label = outputLabel(head, j);
  return {
    title: `${head.projectName}: ${label}, run by run`,
    x: { label: hasLabels ? 'Run' : '', isWhole: true, least: 1 },
    y: { label: hasLabels ? label : '', isLog: isWorthLog(ys, bands) },
    series: pointSeries(runs, rows, { xs: places, ys }, palette),
    bands,
  };
}
