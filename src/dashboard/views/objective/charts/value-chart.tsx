/** The only output without a target over the number of the run, and its best value so far among runs that meet the other targets. */
import { useMemo } from 'preact/hooks';
import { counted, short } from '../../../../presentation/formats.ts';
import { drawValue } from '../../../../presentation/run-drawings.ts';
import { bestSoFar } from '../../../../presentation/value-so-far.ts';
import { outputLabel } from '../../../../presentation/values.ts';
import { colours } from '../../../parts/colours.ts';
import type { Judged } from '../state/judged.ts';
import { ChartFigure } from './chart-figure.tsx';
import type { ChartData } from './use-charts.ts';

interface Props {
  readonly data: ChartData;
  readonly judged: Judged;
  /** Number of the output. */
  readonly j: number;
}

export function ValueChart({ data, judged, j }: Props) {
  const { all, runs, rows, places, zoom } = data;
  const { head, columns } = judged.run;
  const label = outputLabel(head.value, j);
  const palette = colours.value;
  const best = useMemo(
    () => bestSoFar(columns.value, judged.distances.value, head.value, j),
    [columns.value, judged.distances.value, head.value.startBreaksLimit, j],
  );
  const drawing = useMemo(() => {
    const drawn = { runs: runs.value, rows: rows.value, places: places.value };
    return drawValue(head.value, drawn, j, { own: columns.value, best }, palette);
  }, [runs.value, rows.value, places.value, best, palette]);
  const last = best.at(-1) ?? Number.NaN;
  return (
    <section class="charts-part" aria-labelledby="main-value-title">
      <h2 id="main-value-title">Best {label} so far</h2>
      <ChartFigure
        all={all}
        drawing={drawing}
        height={320}
        label={`${label} over ${counted(columns.value.count, 'run')}; best so far ${short(last)}`}
        zoom={zoom}
        isLarge
        textOf={(row) => `${label} ${short(runs.value.columns.outputs[j]![row]!)}`}
      >
        <span>The line is the best value so far among runs that meet all other targets; the best run has a ring.</span>
      </ChartFigure>
    </section>
  );
}
