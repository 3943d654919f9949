/** The best distance so far of every objective, in one chart. */
import { useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import { colours } from '../../parts/colours.ts';
import type { Drawing } from '../../parts/drawing.ts';
import { short } from '../../parts/formats.ts';
import { logFloor } from '../objective/scales.ts';
import { bestSteps, type Compared } from './comparison.ts';
import { Plot } from './plot.tsx';
import { SaveChart } from './save-chart.tsx';
import { DASHES, seriesColours } from './series.ts';

const HEIGHT = 320;
const TITLE = 'Best distance so far';
const Y_LABEL = 'Distance (tolerances)';
/** Iterations are whole numbers. */
const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000];

export function DistanceChart({ compared }: { readonly compared: readonly Compared[] }) {
  const palette = seriesColours.value;
  const { text, line, met } = colours.value;
  const { floor, top } = useMemo(() => logFloor(compared.flatMap(({ best }) => Array.from(best))), [compared]);
  const data = useMemo(() => alignedSteps(compared, floor), [compared, floor]);
  const options = useMemo((): Omit<uPlot.Options, 'width' | 'height'> => {
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    return {
      scales: { x: { time: false }, y: { distr: 3, range: () => [floor, top] } },
      axes: [
        { ...axis, label: 'Iteration', incrs: TICKS },
        {
          ...axis,
          label: Y_LABEL,
          size: 70,
          values: (_, splits) => splits.map((value) => (value === null ? '' : value === floor ? 'met' : short(value))),
        },
      ],
      series: [
        { label: 'Iteration' },
        ...compared.map(({ label }, k) => ({
          label,
          stroke: palette[k]!,
          width: 2,
          dash: [...DASHES[k]!],
          spanGaps: true,
          points: { show: false },
          paths: uPlot.paths.stepped!({ align: 1 }),
          value: (_: uPlot, value: number | null) => (value === null ? '–' : value <= floor ? 'met' : short(value)),
        })),
      ],
      hooks: { drawAxes: [(plot) => drawFloor(plot, floor, met)] },
    };
  }, [compared, palette, text, line, met, floor, top]);
  return (
    <section aria-labelledby="best-so-far">
      <div class="compare-head">
        <h2 id="best-so-far">{TITLE}</h2>
        <SaveChart drawing={() => toDrawing(compared, floor)} />
      </div>
      <p class="hint">Of the worst output, in tolerances. {summaryOf(compared)}</p>
      <Plot options={options} data={data} height={HEIGHT} />
    </section>
  );
}

/** What is met lies on this line. */
function drawFloor(plot: uPlot, floor: number, colour: string): void {
  const y = plot.valToPos(floor, 'y', true);
  const { left, width } = plot.bbox;
  plot.ctx.fillStyle = colour;
  plot.ctx.fillRect(left, y - 1, width, 2);
}

function alignedSteps(compared: readonly Compared[], floor: number): uPlot.AlignedData {
  const tables = compared.map((one): uPlot.AlignedData => {
    const { iterations, values } = bestSteps(one);
    return [[...iterations], values.map((value) => Math.max(floor, value))];
  });
  return uPlot.join(tables);
}

function summaryOf(compared: readonly Compared[]): string {
  const parts = compared.map((one) => {
    const value = bestSteps(one).values.at(-1);
    const state = value === undefined ? 'no output yet' : value === 0 ? 'everything met' : short(value);
    return `${one.label}: ${state} after ${one.columns.count.toLocaleString('en-US')} ${one.columns.count === 1 ? 'iteration' : 'iterations'}`;
  });
  return `${parts.join('; ')}.`;
}

/** As stairs, like the chart on the page. */
function toDrawing(compared: readonly Compared[], floor: number): Drawing {
  const { ground, text, line, 'met-area': area } = colours.value;
  return {
    title: TITLE,
    xLabel: 'Iteration',
    yLabel: `${Y_LABEL}; ${short(floor)} is met`,
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
