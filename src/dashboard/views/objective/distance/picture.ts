import type { Colours } from '../../../parts/colours.ts';
import type { Drawing } from '../../../parts/drawing.ts';
import { type DistanceData, EXCLUDED, placeOfOther, REPEAT } from './measures.ts';

/** The chart of distances as a picture to be saved. Runs that meet the targets are on the lower edge. */
export function drawDistances(data: DistanceData, project: string, colours: Colours): Drawing {
  const { iterations, hasMet, values, best, marks, floor, title, others } = data;
  const rows = Array.from(iterations.keys()).filter((row) => !Number.isNaN(values[row]!));
  const points = (label: string, colour: string, shown: readonly number[]) => ({
    label,
    colour,
    kind: 'points' as const,
    xs: shown.map((row) => iterations[row]!),
    ys: shown.map((row) => Math.max(floor, values[row]!)),
  });
  const excluded = rows.filter((row) => marks[row] === EXCLUDED);
  const repeats = rows.filter((row) => marks[row] === REPEAT);
  return {
    title: `${project}: ${hasMet ? 'distance to the targets' : 'misfit run by run'}`,
    xLabel: 'Run',
    yLabel: hasMet ? `${title}; the lower edge is met` : title,
    isLogY: true,
    series: [
      ...(others.values.length > 0
        ? [
            {
              label: 'Cases and other objectives',
              colour: colours.line,
              kind: 'points' as const,
              xs: Array.from(others.values, (_, row) => placeOfOther(others, row)),
              ys: Array.from(others.values, (value) => (Number.isNaN(value) ? null : Math.max(floor, value))),
            },
          ]
        : []),
      points(
        'Run',
        colours.mark,
        rows.filter((row) => marks[row] !== EXCLUDED && marks[row] !== REPEAT),
      ),
      ...(repeats.length > 0 ? [points('The same input again', colours.accent, repeats)] : []),
      ...(excluded.length > 0 ? [points('Excluded', colours.line, excluded)] : []),
      {
        label: 'Best so far',
        colour: colours.accent,
        kind: 'line',
        xs: Array.from(iterations),
        ys: Array.from(best, (value) => (Number.isNaN(value) ? null : Math.max(floor, value))),
      },
    ],
    colours: { ground: colours.ground, text: colours.text, line: colours.line, area: colours['met-area'] },
  };
}
