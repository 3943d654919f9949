/** Two quantities of all runs against each other. */
import { useMemo, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { colours } from '../../parts/colours.ts';
import type { Drawing, DrawnBand } from '../../parts/drawing.ts';
import { type Ends, short } from '../../parts/formats.ts';
import type { Compared } from './comparison.ts';
import { Plot } from './plot.tsx';
import { SaveChart } from './save-chart.tsx';
import { drawShape, SHAPES, SPOTS, seriesColours } from './series.ts';
import {
  type AxisChoice,
  type AxisKey,
  axisChoices,
  directionOf,
  intervalsAt,
  nonDominated,
  type Point,
  pointsOf,
} from './trade-offs.ts';

const HEIGHT = 420;
/** Rows of the table of runs that no other beats. */
const LISTED = 50;

export function TradeOff({ compared }: { readonly compared: readonly Compared[] }) {
  const choices = useMemo(() => axisChoices(compared), [compared]);
  const [chosen, setChosen] = useState<{ readonly x?: AxisKey; readonly y?: AxisKey }>({});
  const find = (key: AxisKey | undefined, otherwise: number) =>
    choices.find((choice) => choice.key === key) ?? choices[otherwise] ?? choices[0]!;
  const x = find(chosen.x, 0);
  // A single output is shown against the first input.
  const y = find(chosen.y, 1);
  const points = useMemo(() => pointsOf(compared, x.key, y.key), [compared, x.key, y.key]);
  const directions = { x: directionOf(compared, x.key), y: directionOf(compared, y.key) };
  const best = useMemo(
    () =>
      directions.x && directions.y && x.key !== y.key
        ? nonDominated(points, { x: directions.x, y: directions.y })
        : undefined,
    [points, directions.x, directions.y, x.key, y.key],
  );
  const bands = useMemo(
    () => [...bandsOf('x', intervalsAt(compared, x.key)), ...bandsOf('y', intervalsAt(compared, y.key))],
    [compared, x.key, y.key],
  );
  const drawn: Drawn = { compared, x, y, points, best: best ?? [], bands };
  return (
    <section aria-labelledby="trade-off">
      <div class="compare-head">
        <h2 id="trade-off">Trade-off</h2>
        <SaveChart drawing={() => toDrawing(drawn)} />
      </div>
      <div class="axis-choices">
        <Choice label="Across" choices={choices} value={x.key} onChange={(key) => setChosen({ ...chosen, x: key })} />
        <Choice label="Up" choices={choices} value={y.key} onChange={(key) => setChosen({ ...chosen, y: key })} />
      </div>
      {points.length === 0 ? (
        <p>No run has both yet.</p>
      ) : (
        <>
          <p class="hint">
            {points.length.toLocaleString('en-US')} {points.length === 1 ? 'run' : 'runs'}
            {bands.length > 0 && '; what satisfies is shaded'}
            {best !== undefined &&
              `; ${best.length} with a ring ${best.length === 1 ? 'is' : 'are'} not beaten in both`}
            .
          </p>
          <Scatter drawn={drawn} />
          {best !== undefined && <BestTable drawn={drawn} />}
        </>
      )}
    </section>
  );
}

interface Drawn {
  readonly compared: readonly Compared[];
  readonly x: AxisChoice;
  readonly y: AxisChoice;
  readonly points: readonly Point[];
  readonly best: readonly Point[];
  readonly bands: readonly DrawnBand[];
}

interface ChoiceProps {
  readonly label: string;
  readonly choices: readonly AxisChoice[];
  readonly value: AxisKey;
  onChange(key: AxisKey): void;
}

function Choice({ label, choices, value, onChange }: ChoiceProps) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as AxisKey)}>
        {choices.map(({ key, title }) => (
          <option key={key} value={key}>
            {key.startsWith('x:') ? `input ${title}` : title}
          </option>
        ))}
      </select>
    </label>
  );
}

function bandsOf(axis: 'x' | 'y', intervals: readonly Ends[]): readonly DrawnBand[] {
  return intervals.map(({ lower, upper }) => ({ axis, from: lower, to: upper }));
}

function Scatter({ drawn }: { readonly drawn: Drawn }) {
  const { compared, x, y, points, best, bands } = drawn;
  const palette = seriesColours.value;
  const { text, line, 'met-area': area } = colours.value;
  const data = useMemo(
    (): uPlot.AlignedData => [
      points.map((point) => point.x),
      ...compared.map((_, k) => points.map((point) => (point.of === k ? point.y : null))),
    ],
    [compared, points],
  );
  const options = useMemo((): Omit<uPlot.Options, 'width' | 'height'> => {
    const values = (_: uPlot, splits: readonly (number | null)[]) =>
      splits.map((value) => (value === null ? '' : short(value)));
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, values };
    return {
      scales: { x: { time: false, range: rangeFor('x', bands) }, y: { range: rangeFor('y', bands) } },
      axes: [
        { ...axis, label: x.title },
        { ...axis, label: y.title, size: 70 },
      ],
      series: [
        { label: x.title, value: (_, value) => (value === null ? '–' : short(value)) },
        ...compared.map(({ label }, k) => ({
          label,
          stroke: palette[k]!,
          paths: () => null,
          points: { show: (plot: uPlot, series: number) => drawPoints(plot, series, palette[k]!, k) },
          value: (_: uPlot, value: number | null) => (value === null ? '–' : short(value)),
        })),
      ],
      hooks: {
        drawAxes: [(plot) => drawBands(plot, bands, area)],
        draw: [(plot) => drawRings(plot, best, text)],
      },
    };
  }, [compared, palette, text, line, area, x.title, y.title, bands, best]);
  return <Plot options={options} data={data} height={HEIGHT} />;
}

/** What satisfies is shown too, unless the runs would shrink to a spot. */
const WIDEST = 5;

function rangeFor(axis: 'x' | 'y', bands: readonly DrawnBand[]) {
  const ends = bands.filter((band) => band.axis === axis).flatMap(({ from, to }) => [from, to]);
  return (_: uPlot, low: number | null, high: number | null): [number, number] => {
    let [from, to] = [low ?? 0, high ?? 1];
    const widest = WIDEST * (to - from || Math.abs(to) || 1);
    for (const end of ends) {
      if (end === null || Math.max(to, end) - Math.min(from, end) > widest) continue;
      [from, to] = [Math.min(from, end), Math.max(to, end)];
    }
    const room = (to - from) * 0.06 || Math.abs(to) * 0.1 || 1;
    return [from - room, to + room];
  };
}

/** Shapes of more points would take seconds. */
const FEW = 2_000;

/** Returns false: uPlot draws none of its own. */
function drawPoints(plot: uPlot, series: number, colour: string, k: number): false {
  const { ctx, data } = plot;
  const [xs, ys] = [data[0], data[series]!];
  const path = new Path2D();
  const [width, height] = SPOTS[k]!.map((size) => size * devicePixelRatio) as [number, number];
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (let i = 0; i < xs.length; i++) {
    const value = ys[i];
    if (value == null) continue;
    const [left, top] = [plot.valToPos(xs[i]!, 'x', true), plot.valToPos(value, 'y', true)];
    if (xs.length > FEW) ctx.fillRect(left - width / 2, top - height / 2, width, height);
    else drawShape(path, SHAPES[k]!, left, top, 4 * devicePixelRatio);
  }
  ctx.stroke(path);
  ctx.restore();
  return false;
}

function drawRings(plot: uPlot, best: readonly Point[], colour: string): void {
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const { x, y } of best) {
    ctx.beginPath();
    ctx.arc(plot.valToPos(x, 'x', true), plot.valToPos(y, 'y', true), 8 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.stroke();
  }
  ctx.restore();
}

function drawBands(plot: uPlot, bands: readonly DrawnBand[], colour: string): void {
  const { ctx, bbox } = plot;
  const right = bbox.left + bbox.width;
  const bottom = bbox.top + bbox.height;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.globalAlpha = 0.6;
  ctx.fillStyle = colour;
  for (const { axis, from, to } of bands) {
    if (axis === 'x') {
      const a = from === null ? bbox.left : plot.valToPos(from, 'x', true);
      const b = to === null ? right : plot.valToPos(to, 'x', true);
      ctx.fillRect(a, bbox.top, Math.max(2, b - a), bbox.height);
    } else {
      const a = to === null ? bbox.top : plot.valToPos(to, 'y', true);
      const b = from === null ? bottom : plot.valToPos(from, 'y', true);
      ctx.fillRect(bbox.left, a, bbox.width, Math.max(2, b - a));
    }
  }
  ctx.restore();
}

function BestTable({ drawn: { compared, x, y, best } }: { readonly drawn: Drawn }) {
  const shown = best.slice(0, LISTED);
  return (
    <details>
      <summary>Runs that no other beats in both</summary>
      <div class="scroll-box">
        <table>
          <thead>
            <tr>
              <th scope="col">Objective</th>
              <th scope="col" class="number">
                Iteration
              </th>
              <th scope="col" class="number">
                {x.title}
              </th>
              <th scope="col" class="number">
                {y.title}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((point) => (
              <tr key={`${point.of} ${point.iteration}`}>
                <td>{compared[point.of]!.label}</td>
                <td class="number">{point.iteration}</td>
                <td class="number" title={String(point.x)}>
                  {short(point.x)}
                </td>
                <td class="number" title={String(point.y)}>
                  {short(point.y)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {best.length > LISTED && (
        <p class="hint">
          The first {LISTED} of {best.length}.
        </p>
      )}
    </details>
  );
}

function toDrawing({ compared, x, y, points, best, bands }: Drawn): Drawing {
  const { ground, text, line, 'met-area': area } = colours.value;
  const series = (label: string, colour: string, shown: readonly Point[]) => ({
    label,
    colour,
    kind: 'points' as const,
    xs: shown.map((point) => point.x),
    ys: shown.map((point) => point.y),
  });
  return {
    title: `${y.title} against ${x.title}`,
    xLabel: x.title,
    yLabel: y.title,
    series: [
      ...(best.length > 0 ? [series('Not beaten in both', text, best)] : []),
      ...compared.map(({ label }, k) =>
        series(
          label,
          seriesColours.value[k]!,
          points.filter(({ of }) => of === k),
        ),
      ),
    ],
    bands,
    colours: { ground, text, line, area },
  };
}
