/** One data set: a chart of the measured values and the best run, and one of the residuals with the same zoom. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { drawFit, drawResiduals } from '../../../../presentation/fit-drawing.ts';
import type { FitPoint, FitSet } from '../../../../presentation/fit-points.ts';
import { counted, short } from '../../../../presentation/formats.ts';
import type { Range } from '../../../../presentation/plot.ts';
import { ChartTable } from '../../../parts/chart-table.tsx';
import { colours } from '../../../parts/colours.ts';
import { PlotBox } from '../../../parts/plot-box.tsx';
import { SaveChart } from '../../../parts/save-chart.tsx';
import { ZoomFields } from '../../../parts/zoom-fields.tsx';

const LISTED = 200;
const [HEIGHT, RESIDUALS_HEIGHT] = [300, 170];

interface DataSetProps {
  readonly set: FitSet;
  readonly project: string;
  /** Confidence of the band. */
  readonly confidence: number | undefined;
}

export function DataSet({ set, project, confidence = 0 }: DataSetProps) {
  const zoom = useSignal<Range | undefined>(undefined);
  const pointed = useSignal<FitPoint | undefined>(undefined);
  // The history is read again with every run; a chart is only redrawn when its points differ.
  const key = JSON.stringify(set);
  const palette = colours.value;
  const drawing = useMemo(() => drawFit(set, project, palette), [key, palette]);
  const residuals = useMemo(() => drawResiduals(set, project, palette), [key, palette]);
  const hasBand = set.points.some(({ band }) => band !== null);
  const move = (x: number | undefined) => {
    pointed.value = x === undefined ? undefined : nearest(set.points, x);
  };
  return (
    <>
      <div class="section-head">
        <h3>{set.title}</h3>
        <ZoomFields label="From" zoom={zoom} all={drawing.x.range!} />
        <span class="section-end">
          <SaveChart drawing={() => drawing} />
        </span>
      </div>
      <PlotBox drawing={drawing} height={HEIGHT} zoom={zoom} label={summarize(set)} onMove={move} />
      {set.points.some(({ residual }) => residual !== null) && (
        <PlotBox
          drawing={residuals}
          height={RESIDUALS_HEIGHT}
          zoom={zoom}
          label={`Residuals of ${set.title}`}
          onMove={move}
        />
      )}
      <p class="chart-legend hint">
        <span class="key key-run">measured, with {set.isEstimated && 'estimated '}standard error</span>{' '}
        <span class="key key-line">best run</span>{' '}
        {hasBand && <span class="key key-band">what the data leave open, {short(100 * confidence)} %</span>}{' '}
        {pointed.value !== undefined && <span class="chart-pointed">{pointText(pointed.value)}</span>}
      </p>
      <PointTable set={set} />
    </>
  );
}

function summarize({ title, points }: FitSet): string {
  const measured = points.filter(({ value }) => value !== null).length;
  const worst = points.reduce((most, { residual }) => Math.max(most, Math.abs(residual ?? 0)), 0);
  const far = worst > 0 ? `, at most ${short(Number(worst.toPrecision(3)))} standard errors from the best run` : '';
  return `${title}: ${counted(measured, 'measured value')}${far}.`;
}

function nearest(points: readonly FitPoint[], x: number): FitPoint | undefined {
  let found = points[0];
  for (const point of points) if (Math.abs(point.x - x) < Math.abs(found!.x - x)) found = point;
  return found;
}

function pointText({ name, value, best, residual }: FitPoint): string {
  const measured = value === null ? 'no measured value' : `measured ${short(value)}`;
  const run = best === null ? '' : `, best run ${short(best)}`;
  return `${name}: ${measured}${run}${residual === null ? '' : `, ${short(Number(residual.toPrecision(3)))} standard errors`}`;
}

const cell = (value: number | null | undefined) =>
  value == null ? { text: '–', full: '' } : { text: short(value), full: String(value) };

function PointTable({ set: { points, title } }: { readonly set: FitSet }) {
  return (
    <ChartTable
      summary={`${title} as a table`}
      head={['Output', 'Measured', 'Standard error', 'Best run', 'Residual', 'Band from', 'to']}
      rows={points
        .slice(0, LISTED)
        .map(({ name, value, error, best, residual, band }) => [
          name,
          cell(value),
          cell(error),
          cell(best),
          cell(residual),
          cell(band?.low),
          cell(band?.high),
        ])}
    >
      {points.length > LISTED && (
        <p class="hint">
          The first {LISTED} of {points.length}. Save CSV, below, has all.
        </p>
      )}
    </ChartTable>
  );
}
