/** Two quantities of all runs against each other. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { counted, type Ends, grouped, short } from '../../../presentation/formats.ts';
import type { Drawing, DrawnBand, Range } from '../../../presentation/plot.ts';
import { ChartTable } from '../../parts/chart-table.tsx';
import { colours } from '../../parts/colours.ts';
import { PlotBox } from '../../parts/plot-box.tsx';
import { SaveChart } from '../../parts/save-chart.tsx';
import { ZoomFields } from '../../parts/zoom-fields.tsx';
import type { Compared } from './comparison.ts';
import { SeriesKey, SHAPES, SPOTS, seriesColours } from './series.tsx';
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
  const [palette, ring] = [seriesColours.value, colours.value.text];
  const drawing = useMemo(() => toDrawing(drawn, palette, ring), [points, best, bands, palette, ring]);
  return (
    <section aria-labelledby="trade-off">
      <div class="compare-head">
        <h2 id="trade-off">Trade-off</h2>
        <SaveChart drawing={() => drawing} />
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
          <Scatter drawn={drawn} drawing={drawing} />
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

function Scatter({ drawn, drawing }: { readonly drawn: Drawn; readonly drawing: Drawing }) {
  const { x, y, points } = drawn;
  const zoom = useSignal<Range | undefined>(undefined);
  const pointed = useSignal<Point | undefined>(undefined);
  // Another quantity has other values.
  useEffect(() => {
    zoom.value = undefined;
    pointed.value = undefined;
  }, [x.key, y.key]);
  return (
    <>
      <ZoomFields label={x.title} zoom={zoom} all={drawing.x.range!} />
      <PlotBox
        drawing={drawing}
        height={HEIGHT}
        zoom={zoom}
        label={`${y.title} against ${x.title}, ${grouped(points.length)} runs`}
        onPoint={(row) => (pointed.value = row === undefined ? undefined : points[row])}
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

function toDrawing({ compared, x, y, points, best, bands }: Drawn, palette: readonly string[], ring: string): Drawing {
  const series = (shown: readonly Point[]) => ({
    kind: 'points' as const,
    xs: shown.map((point) => point.x),
    ys: shown.map((point) => point.y),
  });
  return {
    title: `${y.title} against ${x.title}`,
    x: { label: x.title, range: rangeOf('x', points, bands) },
    y: { label: y.title, range: rangeOf('y', points, bands) },
    series: [
      ...compared.map(({ label }, k) => {
        const rows = Array.from(points.keys()).filter((row) => points[row]!.of === k);
        const look = { label, colour: palette[k]!, path: SHAPES[k]!, spot: SPOTS[k]! };
        return { ...look, ...series(rows.map((row) => points[row]!)), rows };
      }),
      ...(best.length > 0 ? [{ label: 'Non-dominated', colour: ring, shape: 'ring' as const, ...series(best) }] : []),
    ],
    bands,
  };
}
