/** The best distance so far of every objective, in one chart. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Chart, drawSteps, type Range } from '../../parts/chart.ts';
import { ChartBox } from '../../parts/chart-box.tsx';
import { ChartTable } from '../../parts/chart-table.tsx';
import { colours } from '../../parts/colours.ts';
import type { Drawing } from '../../parts/drawing.ts';
import { capitalized, counted, grouped, short } from '../../parts/formats.ts';
import { SaveChart } from '../../parts/save-chart.tsx';
import { ZoomFields } from '../../parts/zoom-fields.tsx';
import { logFloor } from '../objective/scales.ts';
import { bestAt, bestSteps, type Compared, measureOf } from './comparison.ts';
import { DASHES, drawShape, SeriesKey, seriesColours } from './series.tsx';

const HEIGHT = 320;
const TABLE_ROWS = 50;

export function DistanceChart({ compared }: { readonly compared: readonly Compared[] }) {
  const zoom = useSignal<Range | undefined>(undefined);
  const pointed = useSignal<number | undefined>(undefined);
  const { floor, top } = useMemo(() => logFloor(compared.flatMap(({ best }) => Array.from(best))), [compared]);
  const all = useMemo(() => iterationsOf(compared), [compared]);
  const palette = seriesColours.value;
  const { title, label, hint, hasMet } = useMemo(() => measureOf(compared), [compared]);
  const chart = useMemo((): Chart => {
    const room = Math.max(0.5, (all.to - all.from) * 0.01);
    return {
      x: { label: 'Run', from: all.from - room, to: all.to + room, isWhole: true },
      y: { label, from: floor, to: top, isLog: true, isMetBelow: hasMet },
      height: HEIGHT,
      draw: (plane) =>
        compared.forEach(({ columns, best }, k) => {
          plane.context.strokeStyle = palette[k]!;
          plane.context.setLineDash([...DASHES[k]!]);
          drawSteps(plane, columns.iterations, best);
          // The last value; for a single run it is the whole line.
          const [iteration, last] = [columns.iterations.at(-1), best.at(-1)];
          plane.context.setLineDash([]);
          if (last !== undefined && !Number.isNaN(last))
            drawShape(plane.context, k, plane.x(iteration!), plane.y(last));
        }),
    };
  }, [compared, all, floor, top, palette, label, hasMet]);
  const summary = useMemo(() => summaryOf(compared), [compared]);
  return (
    <section aria-labelledby="best-so-far">
      <div class="compare-head">
        <h2 id="best-so-far">{title}</h2>
        <ZoomFields label="Runs" zoom={zoom} all={all} isWhole />
        <SaveChart drawing={() => toDrawing(compared, floor)} />
      </div>
      <p class="hint">
        {hint} {capitalized(summary)}
      </p>
      <ChartBox
        chart={chart}
        zoom={zoom}
        label={`${title}. ${capitalized(summary)}`}
        onPoint={(pointer, { xAt }) => (pointed.value = pointer && Math.max(1, Math.round(xAt(pointer.left))))}
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

function distanceText(value: number | undefined, hasMet: boolean): string {
  return value === undefined ? 'no output' : value === 0 && hasMet ? 'met' : short(value);
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
    const state =
      value === undefined
        ? 'no output yet'
        : value === 0 && measureOf(compared).hasMet
          ? 'everything met'
          : short(value);
    return `${one.label}: ${state} after ${counted(one.columns.count, 'run')}`;
  });
  return `${parts.join('; ')}.`;
}

/** A step chart, like the one on the page. */
function toDrawing(compared: readonly Compared[], floor: number): Drawing {
  const { ground, text, line, 'met-area': area } = colours.value;
  const { title, label, hasMet } = measureOf(compared);
  return {
    title,
    xLabel: 'Run',
    yLabel: hasMet ? `${label}; ${short(floor)} means met` : label,
    isLogY: true,
    series: compared.map((one, k) => {
      const { iterations, values } = bestSteps(one);
      const dash = DASHES[k]!.join(' ');
      return {
        label: one.label,
        colour: seriesColours.value[k]!,
        kind: 'line' as const,
        ...(dash !== '' && { dash }),
        xs: iterations.flatMap((iteration, i) => (i === 0 ? [iteration] : [iteration, iteration])),
        ys: values.flatMap((value, i) =>
          (i === 0 ? [value] : [values[i - 1]!, value]).map((shown) => Math.max(floor, shown)),
        ),
      };
    }),
    colours: { ground, text, line, area },
  };
}
