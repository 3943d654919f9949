/** Every output over the number of the run, with the values that meet its target. */
import { useMemo, useState } from 'preact/hooks';
import { counted, short, wanted, withUnit } from '../../../../presentation/formats.ts';
import { wantedText } from '../../../../presentation/margin.ts';
import { drawOutput } from '../../../../presentation/run-drawings.ts';
import { outputLabel, outputNames } from '../../../../presentation/values.ts';
import { ChartTable } from '../../../parts/chart-table.tsx';
import { colours } from '../../../parts/colours.ts';
import { ZoomFields } from '../../../parts/zoom-fields.tsx';
import { ChartFigure } from './chart-figure.tsx';
import { Chooser, MOST_CHARTS } from './chooser.tsx';
import type { ChartData } from './use-charts.ts';

export function OverRuns({ data }: { readonly data: ChartData }) {
  const { all, zoom, runs, showsOthers } = data;
  const [chosen, choose] = useState<number | undefined>(undefined);
  const head = all.run.head.value;
  const names = outputNames(head);
  const shown = chosen === undefined ? firstOf(all.order.value) : [chosen];
  const { columns, otherCount } = runs.value;
  const from = showsOthers.value && otherCount > 0 ? 1 - otherCount : (columns.iterations[otherCount] ?? 1);
  return (
    <section class="charts-part" aria-labelledby="over-runs-title">
      <div class="section-head">
        <h2 id="over-runs-title">Outputs, run by run</h2>
        <Chooser label="Output" all="all outputs" names={names} chosen={chosen} onChoose={choose} />
        <ZoomFields label="Runs" zoom={zoom} all={{ from, to: columns.iterations[columns.count - 1] ?? 1 }} isWhole />
      </div>
      <Legend data={data} />
      <div class="charts-grid">
        {shown.map((j) => (
          <OutputChart key={j} data={data} j={j} isLarge={chosen !== undefined || names.length === 1} />
        ))}
      </div>
      {chosen === undefined && shown.length < names.length && (
        <p class="hint">
          The {shown.length} outputs that miss most, of {names.length}. Choose another one above.
        </p>
      )}
      <Table data={data} />
    </section>
  );
}

/** The worst ones, in their own order. */
function firstOf(order: readonly number[]): readonly number[] {
  return order.slice(0, MOST_CHARTS).sort((a, b) => a - b);
}

function Legend({ data: { runs, showsOthers, choice } }: { readonly data: ChartData }) {
  const { otherCount } = runs.value;
  return (
    <p class="chart-legend hint">
      {otherCount > 0 && (
        <label class="key key-other">
          <input
            type="checkbox"
            checked={showsOthers.value}
            onChange={({ currentTarget }) => (choice.value = currentTarget.checked)}
          />{' '}
          {counted(otherCount, 'earlier run')} of the trial
        </label>
      )}{' '}
      <span class="key key-run">run</span> <span class="key key-best">best</span>{' '}
      <span class="key key-met">meets the target</span> <span class="key key-excluded">excluded</span>{' '}
      <span class="key key-failed">failed, at the top</span> <span>A click leads to the run.</span>
    </p>
  );
}

interface ChartProps {
  readonly data: ChartData;
  readonly j: number;
  readonly isLarge: boolean;
}

function OutputChart({ data, j, isLarge }: ChartProps) {
  const { all, runs, places, rows, zoom } = data;
  const head = all.run.head.value;
  const palette = colours.value;
  const drawing = useMemo(
    () => drawOutput(head, { runs: runs.value, rows: rows.value, places: places.value }, j, isLarge, palette),
    [runs.value, rows.value, places.value, palette, j, isLarge],
  );
  const unit = head.outputUnits?.[j];
  return (
    <ChartFigure
      all={all}
      drawing={drawing}
      height={isLarge ? 320 : 170}
      label={summaryOf(data, j)}
      zoom={zoom}
      isLarge={isLarge}
      textOf={(row) => valueText(runs.value.columns.outputs[j]![row]!, unit)}
    >
      <strong>{outputLabel(head, j)}</strong> <span class="hint">{wantedText(head, j)}</span>
    </ChartFigure>
  );
}

export function valueText(value: number, unit: string | null | undefined): string {
  return Number.isNaN(value) ? 'no output' : withUnit(short(value), unit);
}

/** Facts about the objective's own runs. */
function factsOf({ all, runs }: ChartData, j: number) {
  const { columns, otherCount, best } = runs.value;
  const ys = columns.outputs[j]!;
  let [known, met, last] = [0, 0, Number.NaN];
  for (let row = otherCount; row < columns.count; row++) {
    if (Number.isNaN(ys[row]!)) continue;
    known += 1;
    met += Number(columns.misses[j]![row] === 0);
    last = ys[row]!;
  }
  const { objectives, objectiveTypes } = all.run.head.value;
  const hasTarget = objectives[j] !== null && objectiveTypes[j] !== 'fit';
  return { known, met: hasTarget ? met : undefined, last, best: best < 0 ? Number.NaN : ys[best]! };
}

function summaryOf(data: ChartData, j: number): string {
  const head = data.all.run.head.value;
  const { known, met, last, best } = factsOf(data, j);
  const meets = met === undefined ? '' : `, ${met} within ${wanted(head.intervals[j]!)}`;
  return `${outputLabel(head, j)} over ${counted(known, 'run')}${meets}; best run ${short(best)}, last ${short(last)}`;
}

function Table({ data }: { readonly data: ChartData }) {
  const head = data.all.run.head.value;
  const cell = (value: number) => ({ text: short(value), full: String(value) });
  return (
    <ChartTable
      summary="Outputs as a table"
      head={['Output', 'Wanted', 'Best run', 'Last run', 'Runs', 'Within the target']}
      rows={head.objectives.map((_, j) => {
        const { known, met, last, best } = factsOf(data, j);
        return [
          outputLabel(head, j),
          wantedText(head, j),
          cell(best),
          cell(last),
          cell(known),
          met === undefined ? { text: '–', full: '' } : cell(met),
        ];
      })}
    >
      <p class="hint">Every run is in the table of runs.</p>
    </ChartTable>
  );
}
