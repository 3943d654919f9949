/** How far every run is from meeting what is wanted, and the best so far. */
import { computed, useComputed, useSignal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import { colours } from '../../../parts/colours.ts';
import { short } from '../../../parts/formats.ts';
import type { Judged } from '../judged.ts';
import type { Range } from '../order.ts';
import { outputNames } from '../values.ts';
import { ChartBox } from './chart-box.tsx';
import './distance.css';
import { type DistanceData, FAILED, improvements, type Measure, toDistanceData } from './measures.ts';

const TABLE_ROWS = 50;
/** A longer list of outputs would be no list to choose from. */
const CHOICES = 200;

export function Distance({ judged }: { readonly judged: Judged }) {
  const { run, distances } = judged;
  const id = useId();
  const measure = useSignal<Measure>('worst');
  const zoom = useSignal<Range | undefined>(undefined);
  const pointed = useSignal<number | undefined>(undefined);
  const data = useMemo(
    () => computed(() => toDistanceData(run.head.value, run.columns.value, distances.value, measure.value)),
    [judged],
  );
  const summary = useComputed(() => summarize(data.value)).value;
  return (
    <section aria-labelledby={`${id}-title`}>
      <div class="section-head">
        <h2 id={`${id}-title`}>Distance to the targets</h2>
        <MeasureChoice judged={judged} measure={measure.value} onChange={(value) => (measure.value = value)} />
        <ZoomFields zoom={zoom.value} data={data.value} onZoom={(range) => (zoom.value = range)} />
        <SaveButtons data={() => data.value} project={run.head.value.projectName} />
      </div>
      <ChartBox data={data} zoom={zoom} pointed={pointed} label={summary} />
      <p class="distance-legend hint">
        <span class="key key-run">run</span> <span class="key key-line">best so far</span>{' '}
        <span class="key key-excluded">excluded</span> <span class="key key-failed">failed, at the top</span>{' '}
        <Pointed data={data.value} row={pointed.value} />
      </p>
      <p class="hint">{summary} Drag across the chart to enlarge a part; double-click to see all.</p>
      <Improvements data={data.value} />
    </section>
  );
}

function MeasureChoice(props: {
  readonly judged: Judged;
  readonly measure: Measure;
  readonly onChange: (measure: Measure) => void;
}) {
  const { judged, measure, onChange } = props;
  const names = outputNames(judged.run.head.value);
  const shown = names.length > CHOICES ? judged.order.value.slice(0, CHOICES) : names.map((_, j) => j);
  return (
    <select
      aria-label="Which distance"
      value={String(measure)}
      onChange={({ currentTarget: { value } }) =>
        onChange(value === 'worst' || value === 'sum' ? value : Number(value))
      }
    >
      <option value="worst">Worst output</option>
      <option value="sum">Sum of all outputs</option>
      {shown.map((j) => (
        <option key={j} value={j}>
          {names[j]}
        </option>
      ))}
    </select>
  );
}

/** What dragging does, for the keyboard. */
function ZoomFields(props: {
  readonly zoom: Range | undefined;
  readonly data: DistanceData;
  readonly onZoom: (range: Range | undefined) => void;
}) {
  const { zoom, data, onZoom } = props;
  const first = data.iterations[0] ?? 1;
  const last = data.iterations.at(-1) ?? 1;
  const change = (range: Range) => {
    if (range.to > range.from) onZoom(range);
  };
  const { from, to } = zoom ?? { from: first, to: last };
  const field = (label: string, value: number, then: (value: number) => void) => (
    <label>
      {label}{' '}
      <input
        class="short-field"
        type="number"
        min={first}
        max={last}
        value={Math.round(value)}
        onChange={({ currentTarget }) => then(currentTarget.valueAsNumber)}
      />
    </label>
  );
  return (
    <span class="field-row">
      {field('Iterations', from, (value) => change({ from: value, to }))}
      {field('to', to, (value) => change({ from, to: value }))}
      {zoom !== undefined && (
        <button type="button" onClick={() => onZoom(undefined)}>
          Show all
        </button>
      )}
    </span>
  );
}

function Pointed({ data, row }: { readonly data: DistanceData; readonly row: number | undefined }) {
  if (row === undefined || row >= data.iterations.length) return null;
  const what = data.marks[row] === FAILED ? 'failed' : distanceText(data.values[row]!);
  return (
    <span class="distance-pointed">
      Iteration {data.iterations[row]}: {what}; best so far {distanceText(data.best[row]!)}
    </span>
  );
}

function distanceText(value: number): string {
  return value === 0 ? 'met' : Number.isNaN(value) ? 'no output' : short(value);
}

function Improvements({ data }: { readonly data: DistanceData }) {
  const rows = improvements(data, TABLE_ROWS);
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>The best so far as a table</summary>
      <div class="scroll-box">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                Iteration
              </th>
              <th scope="col" class="number">
                {data.title}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <td class="number">{data.iterations[row]}</td>
                <td class="number" title={String(data.best[row])}>
                  {distanceText(data.best[row]!)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function summarize(data: DistanceData): string {
  const { iterations, values, best, marks, title } = data;
  const row = improvements(data, 1)[0];
  const count = values.reduce((sum, value, i) => sum + Number(!Number.isNaN(value) || marks[i] === FAILED), 0);
  const runs = count === 1 ? '1 run' : `${count.toLocaleString('en-US')} runs`;
  if (row === undefined) return `${title}: no run has an output yet.`;
  const failed = marks.reduce((count, mark) => count + Number(mark === FAILED), 0);
  const failures = failed === 0 ? '' : `, ${failed.toLocaleString('en-US')} failed`;
  const last = best[row] === 0 ? 'met' : `best ${short(best[row]!)}`;
  return `${title}: ${runs}${failures}; ${last} at iteration ${iterations[row]}.`;
}

function SaveButtons({ data, project }: { readonly data: () => DistanceData; readonly project: string }) {
  const save = async (kind: 'svg' | 'png') => {
    const [{ saveSvg, savePng }, { drawDistances }] = await Promise.all([
      import('../../../parts/export.ts'),
      import('./picture.ts'),
    ]);
    const drawing = drawDistances(data(), project, colours.value);
    await (kind === 'svg' ? saveSvg : savePng)(drawing);
  };
  return (
    <span class="field-row section-end">
      <button type="button" onClick={() => void save('svg')}>
        Save SVG
      </button>
      <button type="button" onClick={() => void save('png')}>
        Save PNG
      </button>
    </span>
  );
}
