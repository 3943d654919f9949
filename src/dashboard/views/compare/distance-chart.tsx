/** The best distance so far of every objective, in one chart. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { distanceText } from '../../../presentation/distances.ts';
import { capitalized, counted, grouped, rough } from '../../../presentation/formats.ts';
import type { Drawing, Range } from '../../../presentation/plot.ts';
import { logFloor } from '../../../presentation/scales.ts';
import { ChartTable } from '../../parts/chart-table.tsx';
import { PlotBox } from '../../parts/plot-box.tsx';
import { SaveChart } from '../../parts/save-chart.tsx';
import { ZoomFields } from '../../parts/zoom-fields.tsx';
import { bestAt, bestSteps, type Compared, measureOf } from './comparison.ts';
import { DASHES, SeriesKey, SHAPES, seriesColours } from './series.tsx';

const HEIGHT = 320;
const TABLE_ROWS = 50;

export function DistanceChart({ compared }: { readonly compared: readonly Compared[] }) {
  const zoom = useSignal<Range | undefined>(undefined);
  const pointed = useSignal<number | undefined>(undefined);
  const all = useMemo(() => iterationsOf(compared), [compared]);
  const palette = seriesColours.value;
  const { title, hint } = useMemo(() => measureOf(compared), [compared]);
  const drawing = useMemo(() => toDrawing(compared, palette), [compared, palette]);
  const summary = useMemo(() => summaryOf(compared), [compared]);
  return (
    <section aria-labelledby="best-so-far">
      <div class="compare-head">
        <h2 id="best-so-far">{title}</h2>
        <ZoomFields label="Runs" zoom={zoom} all={all} isWhole />
        <SaveChart drawing={() => drawing} />
      </div>
      <p class="hint">
        {hint} {capitalized(summary)}
      </p>
      <PlotBox
        drawing={drawing}
        height={HEIGHT}
        zoom={zoom}
        label={`${title}. ${capitalized(summary)}`}
        onMove={(x) => (pointed.value = x === undefined ? undefined : Math.max(1, Math.round(x)))}
      />
      <Legend compared={compared} pointed={pointed} />
      <Steps compared={compared} />
    </section>
  );
}

function iterationsOf(compared: readonly Compared[]): Range {
  const iterations = compared.flatMap(({ columns }) => [columns.iterations[0] ?? 1, columns.iterations.at(-1) ?? 1]);
  return { from: Math.min(...iterations), to: Math.max(...iterations) };
}

interface LegendProps {
  readonly compared: readonly Compared[];
  readonly pointed: ReadonlySignal<number | undefined>;
}

function Legend({ compared, pointed: { value: iteration } }: LegendProps) {
  return (
    <p class="chart-legend hint">
      {compared.map((one, k) => (
        <span key={one.id}>
          <SeriesKey of={k} />
          {one.label}
          {iteration !== undefined && `: ${distanceText(bestAt(one, iteration), measureOf(compared).hasMet)}`}
        </span>
      ))}
      {iteration !== undefined && <span class="chart-pointed">Run {grouped(iteration)}</span>}
    </p>
  );
}

function Steps({ compared }: { readonly compared: readonly Compared[] }) {
  const iterations = [...new Set(compared.flatMap((one) => bestSteps(one).iterations))].sort((a, b) => b - a);
  return (
    <ChartTable
      summary="The best so far as a table"
      head={['Run', ...compared.map(({ label }) => label)]}
      rows={iterations.slice(0, TABLE_ROWS).map((iteration) => [
        { text: String(iteration), full: String(iteration) },
        ...compared.map((one) => {
          const value = bestAt(one, iteration);
          return { text: distanceText(value, measureOf(compared).hasMet), full: String(value ?? '') };
        }),
      ])}
    />
  );
}

function summaryOf(compared: readonly Compared[]): string {
  const parts = compared.map((one) => {
    const value = bestSteps(one).values.at(-1);
    return `${one.label}: ${stateText(value, measureOf(compared).hasMet)} after ${counted(one.columns.count, 'run')}`;
  });
  return `${parts.join('; ')}.`;
}

function stateText(value: number | undefined, hasMet: boolean): string {
  if (value === undefined) return 'no output yet';
  return value === 0 && hasMet ? 'everything met' : rough(value);
}

function toDrawing(compared: readonly Compared[], palette: readonly string[]): Drawing {
  const { title, label, hasMet } = measureOf(compared);
  const { floor, top } = logFloor(compared.flatMap(({ best }) => Array.from(best)));
  const { from, to } = iterationsOf(compared);
  const room = Math.max(0.5, (to - from) * 0.01);
  return {
    title,
    x: { label: 'Run', isWhole: true, range: { from: from - room, to: to + room } },
    y: { label, isLog: true, isMetBelow: hasMet, range: { from: floor, to: top } },
    series: compared.flatMap(({ label: name, columns, best }, k) => {
      const colour = palette[k]!;
      // The last value; for a single run it is the whole line.
      const end = { label: `${name}, last run`, colour, kind: 'points' as const, path: SHAPES[k]! };
      return [
        { label: name, colour, kind: 'steps' as const, dash: DASHES[k]!, xs: columns.iterations, ys: best },
        { ...end, xs: columns.iterations.slice(-1), ys: best.slice(-1) },
      ];
    }),
  };
}
