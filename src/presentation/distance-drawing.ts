import type { Colours } from './colours.ts';
import { BEYOND, type DistanceData, EXCLUDED, FAILED, placeOfOther, REPEAT } from './distance-data.ts';
import type { Drawing, DrawnSeries } from './plot.ts';

const EARLIER = 'Earlier runs';

type Marks = DistanceData['marks'];

/** The chart of distances: a point per run on a log axis, and the best so far as a line. Runs that meet the targets are on the lower edge. */
export function drawDistances(data: DistanceData, project: string, colours: Colours): Drawing {
  const { iterations, hasMet, values, best, marks, floor, top, title, others } = data;
  const places = Float64Array.from(others.values, (_, row) => placeOfOther(others, row));
  const [first, last] = [places[0] ?? iterations[0] ?? 1, iterations.at(-1) ?? 1];
  const room = Math.max(0.5, (last - first) * 0.01);
  const own = { xs: iterations, ys: values, marks };
  const other = { xs: places, ys: others.values, marks: others.marks };
  const isKnown = (mark: number) => mark !== FAILED;
  return {
    title: `${project}: ${hasMet ? 'distance to the targets' : 'misfit run by run'}`,
    x: { label: 'Run', isWhole: true, least: 1, range: { from: first - room, to: last + room } },
    y: { label: title, isLog: true, isMetBelow: hasMet, range: { from: floor, to: top } },
    series: [
      ...points(`${EARLIER} of the trial`, colours.muted, 'dot', other, (mark) => mark === 0 || mark === REPEAT),
      ...points(`${EARLIER} that failed`, colours.muted, 'top-cross', other, (mark) => !isKnown(mark)),
      ...points('Run', colours.mark, 'square', own, (mark) => mark === 0),
      ...points('The same input again', colours.accent, 'dot', own, (mark) => mark === REPEAT),
      ...points(
        'Excluded or beyond a limit',
        colours.muted,
        'hollow',
        own,
        (mark) => mark === EXCLUDED || mark === BEYOND,
      ),
      ...points('Failed', colours.unmet, 'top-cross', own, (mark) => !isKnown(mark)),
      { label: 'Best so far', colour: colours.accent, kind: 'steps', xs: iterations, ys: best },
    ],
  };
}

function points(
  label: string,
  colour: string,
  shape: NonNullable<DrawnSeries['shape']>,
  { xs, ys, marks }: { readonly xs: ArrayLike<number>; readonly ys: Float64Array; readonly marks: Marks },
  isShown: (mark: number) => boolean,
): DrawnSeries[] {
  const rows = Array.from(marks.keys()).filter((row) => isShown(marks[row]!));
  if (rows.length === 0) return [];
  const at = (values: ArrayLike<number>) => Float64Array.from(rows, (row) => values[row]!);
  return [{ label, colour, shape, kind: 'points', xs: at(xs), ys: at(ys), isFaint: label.startsWith(EARLIER) }];
}
