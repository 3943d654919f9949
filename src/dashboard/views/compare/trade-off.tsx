/** Two quantities of all runs against each other. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Chart, drawBands, type Frame, type Plane, type Range } from '../../parts/chart.ts';
import { ChartBox, type Pointer } from '../../parts/chart-box.tsx';
import { ChartTable } from '../../parts/chart-table.tsx';
import { colours } from '../../parts/colours.ts';
import type { Drawing, DrawnBand } from '../../parts/drawing.ts';
import { counted, type Ends, grouped, short } from '../../parts/formats.ts';
import { SaveChart } from '../../parts/save-chart.tsx';
import { ZoomFields } from '../../parts/zoom-fields.tsx';
import type { Compared } from './comparison.ts';
import { drawShape, SeriesKey, SPOTS, seriesColours } from './series.tsx';
import {
  type AxisChoice,
  type AxisKey,
  axisChoices,
  directionOf,
  intervalsAt,
  nonDominated,
  type Point,
  pointsOf,
  rangeOf,
} from './trade-offs.ts';

const HEIGHT = 420;
/** Rows of the table of non-dominated runs. */
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
        <p>No run has both values yet.</p>
      ) : (
        <>
          <p class="hint">
            {counted(points.length, 'run')}
            {bands.length > 0 && '; values that meet the targets are shaded'}
            {best !== undefined &&
              `; ${best.length} non-dominated ${best.length === 1 ? 'run has a ring' : 'runs have rings'}`}
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
  const { x, y, points, best, bands } = drawn;
  const zoom = useSignal<Range | undefined>(undefined);
  const pointed = useSignal<Point | undefined>(undefined);
  // Another quantity has other values.
  useEffect(() => {
    zoom.value = undefined;
    pointed.value = undefined;
  }, [x.key, y.key]);
  const palette = seriesColours.value;
  const chart = useMemo(
    (): Chart => ({
      x: { label: x.title, ...rangeOf('x', points, bands) },
      y: { label: y.title, ...rangeOf('y', points, bands) },
      height: HEIGHT,
      draw: (plane) => {
        drawBands(plane, bands);
        drawPoints(plane, points, palette);
        drawRings(plane, best);
      },
    }),
    [points, bands, best, palette, x.title, y.title],
  );
  return (
    <>
      <ZoomFields label={x.title} zoom={zoom} all={chart.x} />
      <ChartBox
        chart={chart}
        zoom={zoom}
        label={`${y.title} against ${x.title}, ${grouped(points.length)} runs`}
        onPoint={(pointer, frame) => (pointed.value = pointer && nearestPoint(points, pointer, frame))}
      />
      <Legend drawn={drawn} pointed={pointed} />
    </>
  );
}

interface LegendProps {
  readonly drawn: Drawn;
  readonly pointed: ReadonlySignal<Point | undefined>;
}

function Legend({ drawn: { compared, x, y }, pointed: { value: point } }: LegendProps) {
  return (
    <p class="chart-legend hint">
      {compared.map(({ id, label }, k) => (
        <span key={id}>
          <SeriesKey of={k} />
          {label}
        </span>
      ))}
      {point !== undefined && (
        <span class="chart-pointed">
          {compared[point.of]?.label}, run {point.iteration}: {x.title} {short(point.x)}, {y.title} {short(point.y)}
        </span>
      )}
    </p>
  );
}

/** The largest distance from the pointer to its point, in CSS pixels. */
const NEAR_PX = 30;

function nearestPoint(points: readonly Point[], { left, top }: Pointer, { x, y }: Frame): Point | undefined {
  let nearest: Point | undefined;
  let least = NEAR_PX;
  for (const point of points) {
    const distance = Math.hypot(x(point.x) - left, y(point.y) - top);
    if (distance >= least) continue;
    nearest = point;
    least = distance;
  }
  return nearest;
}

/** Shapes of more points would take seconds. */
const FEW = 2_000;

function drawPoints({ context, x, y }: Plane, points: readonly Point[], palette: readonly string[]): void {
  context.lineWidth = 1.5;
  for (const point of points) {
    const [left, top] = [x(point.x), y(point.y)];
    if (points.length > FEW) {
      const [width, height] = SPOTS[point.of]!;
      context.fillStyle = palette[point.of]!;
      context.fillRect(left - width / 2, top - height / 2, width, height);
      continue;
    }
    context.strokeStyle = palette[point.of]!;
    drawShape(context, point.of, left, top);
  }
}

function drawRings({ context, colours, x, y }: Plane, best: readonly Point[]): void {
  context.strokeStyle = colours.text;
  context.lineWidth = 1.5;
  for (const point of best) {
    context.beginPath();
    context.arc(x(point.x), y(point.y), 8, 0, 2 * Math.PI);
    context.stroke();
  }
}

function BestTable({ drawn: { compared, x, y, best } }: { readonly drawn: Drawn }) {
  const cell = (value: number) => ({ text: short(value), full: String(value) });
  return (
    <ChartTable
      summary="Non-dominated runs"
      head={['Objective', 'Run', x.title, y.title]}
      rows={best
        .slice(0, LISTED)
        .map((point) => [
          compared[point.of]!.label,
          { text: String(point.iteration), full: String(point.iteration) },
          cell(point.x),
          cell(point.y),
        ])}
    >
      {best.length > LISTED && (
        <p class="hint">
          The first {LISTED} of {best.length}.
        </p>
      )}
    </ChartTable>
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
      ...(best.length > 0 ? [series('Non-dominated', text, best)] : []),
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
