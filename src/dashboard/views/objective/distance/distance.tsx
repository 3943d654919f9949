/** The distance of every run from the targets, and the best so far. */
import { computed, type ReadonlySignal, useSignal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import { rowFrom } from '../../../../presentation/columns.ts';
import { distanceText, isFit } from '../../../../presentation/distances.ts';
import { capitalized, counted, grouped, rough } from '../../../../presentation/formats.ts';
import { areFew, type Others } from '../../../../presentation/others.ts';
import type { Range } from '../../../../presentation/plot.ts';
import { outputNames } from '../../../../presentation/values.ts';
import { ChartTable } from '../../../parts/chart-table.tsx';
import { colours } from '../../../parts/colours.ts';
import { PlotBox } from '../../../parts/plot-box.tsx';
import { SaveChart } from '../../../parts/save-chart.tsx';
import { ZoomFields } from '../../../parts/zoom-fields.tsx';
import type { Judged } from '../state/judged.ts';
import './distance.css';
import {
  BEYOND,
  type DistanceData,
  FAILED,
  improvements,
  type Measure,
  misfitTitle,
  NO_OTHERS,
  REPEAT,
  toDistanceData,
  toOtherDistances,
} from '../../../../presentation/distance-data.ts';
import { drawDistances } from '../../../../presentation/distance-drawing.ts';

const HEIGHT = 300;
const TABLE_ROWS = 50;
/** A longer list of outputs is too long to choose from. */
const CHOICES = 200;

interface DistanceProps {
  readonly judged: Judged;
  readonly others: ReadonlySignal<Others>;
}

export function Distance({ judged, others }: DistanceProps) {
  const { run, distances } = judged;
  const id = useId();
  const isFitted = isFit(run.head.value);
  const measure = useSignal<Measure>(isFitted ? 'misfit' : 'worst');
  const zoom = useSignal<Range | undefined>(undefined);
  const pointed = useSignal<number | undefined>(undefined);
  const choice = useSignal<boolean | undefined>(undefined);
  const otherCount = others.value.sources.length;
  const showsOthers = choice.value ?? areFew(otherCount, run.columns.value.count);
  const grey = useMemo(
    () => (showsOthers ? toOtherDistances(others.value, measure.value) : NO_OTHERS),
    [run.head.value.objectiveId, others.value, measure.value, showsOthers],
  );
  const data = useMemo(
    () => computed(() => toDistanceData(run.head.value, run.columns.value, distances.value, measure.value, grey)),
    [judged, grey],
  );
  const shown = data.value;
  const summary = useMemo(() => summarize(shown), [shown]);
  const palette = colours.value;
  const drawing = useMemo(() => drawDistances(shown, run.head.value.projectName, palette), [shown, palette]);
  const { iterations } = shown;
  return (
    <section aria-labelledby={`${id}-title`}>
      <div class="section-head">
        <h2 id={`${id}-title`}>{isFitted ? 'Misfit run by run' : 'Distance to the targets'}</h2>
        <MeasureChoice judged={judged} measure={measure.value} onChange={(value) => (measure.value = value)} />
        <ZoomFields label="Runs" zoom={zoom} all={{ from: iterations[0] ?? 1, to: iterations.at(-1) ?? 1 }} isWhole />
        <span class="section-end">
          <SaveChart drawing={() => drawing} />
        </span>
      </div>
      <PlotBox
        drawing={drawing}
        height={HEIGHT}
        zoom={zoom}
        label={summary}
        onMove={(x) => (pointed.value = x === undefined ? undefined : nearestRow(shown, x))}
      />
      <p class="chart-legend hint">
        {otherCount > 0 && (
          <label class="key key-other">
            <input
              type="checkbox"
              checked={showsOthers}
              onChange={({ currentTarget }) => (choice.value = currentTarget.checked)}
            />{' '}
            {counted(otherCount, 'other run')} of the trial, before run 1
          </label>
        )}{' '}
        <span class="key key-run">run</span> <span class="key key-line">best so far</span>{' '}
        {data.value.marks.includes(REPEAT) && <span class="key key-repeat">the same input again</span>}{' '}
        <span class="key key-excluded">excluded{shown.marks.includes(BEYOND) && ', or beyond a limit'}</span>{' '}
        <span class="key key-failed">failed, at the top</span> <Pointed data={shown} row={pointed} />
      </p>
      <p class="hint">{summary} Drag across the chart to zoom in; double-click to show everything.</p>
      <Improvements data={shown} />
    </section>
  );
}

function MeasureChoice(props: {
  readonly judged: Judged;
  readonly measure: Measure;
  readonly onChange: (measure: Measure) => void;
}) {
  const { judged, measure, onChange } = props;
  const head = judged.run.head.value;
  const names = outputNames(head);
  const all = names.length > CHOICES ? judged.order.value : names.map((_, j) => j);
  const shown = all.filter((j) => head.objectiveTypes[j] !== 'fit').slice(0, CHOICES);
  if (shown.length === 0) return null;
  return (
    <select
      aria-label="Which distance"
      value={String(measure)}
      onChange={({ currentTarget: { value } }) =>
        onChange(value === 'misfit' || value === 'worst' || value === 'sum' ? value : Number(value))
      }
    >
      {isFit(head) && <option value="misfit">{misfitTitle(head)}</option>}
      <option value="worst">{isFit(head) ? 'Worst limit' : 'Worst output'}</option>
      <option value="sum">{isFit(head) ? 'Sum of all limits' : 'Sum of all outputs'}</option>
      {shown.map((j) => (
        <option key={j} value={j}>
          {names[j]}
        </option>
      ))}
    </select>
  );
}

function Pointed(props: { readonly data: DistanceData; readonly row: ReadonlySignal<number | undefined> }) {
  const { data } = props;
  const row = props.row.value;
  if (row === undefined || row >= data.iterations.length) return null;
  if (row < 0) {
    const { values, marks, names } = data.others;
    const at = values.length + row;
    const what = marks[at] === FAILED ? 'failed' : distanceText(values[at]!, data.hasMet);
    return (
      <span class="chart-pointed">
        {capitalized(names[at]!)}: {what}
      </span>
    );
  }
  const what = data.marks[row] === FAILED ? 'failed' : distanceText(data.values[row]!, data.hasMet);
  const again = data.marks[row] === REPEAT ? ', the same input again' : '';
  return (
    <span class="chart-pointed">
      Run {data.iterations[row]}: {what}
      {again}; best so far {distanceText(data.best[row]!, data.hasMet)}
    </span>
  );
}

function Improvements({ data }: { readonly data: DistanceData }) {
  const rows = improvements(data, TABLE_ROWS);
  if (rows.length === 0) return null;
  return (
    <ChartTable
      summary="The best so far as a table"
      head={['Run', data.title]}
      rows={rows.map((row) => [
        { text: String(data.iterations[row]), full: String(data.iterations[row]) },
        { text: distanceText(data.best[row]!, data.hasMet), full: String(data.best[row]) },
      ])}
    />
  );
}

/** The row nearest to a position on the axis. Negative rows are other runs: -1 is the last of them. */
function nearestRow({ iterations, others }: DistanceData, iteration: number): number | undefined {
  const count = iterations.length;
  const before = Math.round(iteration) - 1;
  if (before < 0 && others.values.length > 0) return Math.max(-others.values.length, before);
  if (count === 0) return undefined;
  const next = Math.min(count - 1, rowFrom({ iterations, count }, iteration));
  const isEarlierNearer = next > 0 && iteration - iterations[next - 1]! < iterations[next]! - iteration;
  return isEarlierNearer ? next - 1 : next;
}

function summarize(data: DistanceData): string {
  const { iterations, hasMet, values, best, marks, title } = data;
  const row = improvements(data, 1)[0];
  const count = values.reduce((sum, value, i) => sum + Number(!Number.isNaN(value) || marks[i] === FAILED), 0);
  const runs = counted(count, 'run');
  if (row === undefined) return `${title}: no run has an output yet.`;
  const failed = marks.reduce((count, mark) => count + Number(mark === FAILED), 0);
  const failures = failed === 0 ? '' : `, ${grouped(failed)} failed`;
  const last = best[row] === 0 && hasMet ? 'met' : `best ${rough(best[row]!)}`;
  return `${title}: ${runs}${failures}; ${last} at run ${iterations[row]}.`;
}
