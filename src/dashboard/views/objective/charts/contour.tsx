/** An output over two inputs as shades, with the region in which the models expect all targets to be met. */
import { useMemo, useState } from 'preact/hooks';
import type { Predictions } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { short, withUnit } from '../../../../presentation/formats.ts';
import type { Drawing } from '../../../../presentation/plot.ts';
import { pointSeries } from '../../../../presentation/run-points.ts';
import { inputNames, inputText, outputLabel, outputNames } from '../../../../presentation/values.ts';
import { ChartTable } from '../../../parts/chart-table.tsx';
import { colours } from '../../../parts/colours.ts';
import { service } from '../../../shell/service.ts';
import { Ask, useAnswer } from '../further/answer.tsx';
import { ChartFigure } from './chart-figure.tsx';
import { Chooser } from './chooser.tsx';
import { inputAxis } from './model-lines.ts';
import { mostSensitive } from './most-sensitive.ts';
import { endsOf, metPoints, outlineOf, sharesOf } from './region.ts';
import type { ChartData } from './use-charts.ts';

/** As the service limits a grid, and its points times outputs. */
const MOST_POINTS = 51;
const MOST_PREDICTIONS = 10_000;

/** @param share  of the grid, where the models expect all targets to be met */
function regionText({ bestMisses }: Pick<Head, 'bestMisses'>, share: number): string {
  if (share > 0) {
    return `The models expect all targets to be met in ${percent(share)} of it, inside the green line.`;
  }
  return bestMisses?.every((miss) => miss === 0)
    ? 'The region that meets all targets is narrower than this grid; the best run is in it.'
    : 'Nowhere on this grid do the models expect all targets to be met.';
}

export function Contour({ data }: { readonly data: ChartData }) {
  const head = data.all.run.head.value;
  const inputs = inputNames(head);
  const [first = 0, second = 1] = useMemo(() => mostSensitive(head.insight, inputs.length), []);
  const [pair, setPair] = useState<readonly [number, number]>(first < second ? [first, second] : [second, first]);
  const [output, setOutput] = useState<number | undefined>(data.all.order.value[0]);
  const [across, up] = pair;
  if (inputs.length < 2) return null;
  // Choosing the other one exchanges them.
  const chooseAcross = (next = 0) => setPair([next, next === up ? across : up]);
  const chooseUp = (next = 0) => setPair([next === across ? up : across, next]);
  return (
    <section class="charts-part" aria-labelledby="contour-title">
      <div class="section-head">
        <h2 id="contour-title">Two inputs at once</h2>
        <Chooser
          label="Shade"
          all="chance of all targets"
          names={outputNames(head)}
          chosen={output}
          onChoose={setOutput}
        />
        <Chooser label="Across" names={inputs} chosen={across} onChoose={chooseAcross} />
        <Chooser label="Up" names={inputs} chosen={up} onChoose={chooseUp} />
      </div>
      <Shown key={pair.join(' ')} data={data} across={across} up={up} output={output} />
    </section>
  );
}

interface ShownProps {
  readonly data: ChartData;
  readonly across: number;
  readonly up: number;
  /** undefined: the chance of all targets. */
  readonly output: number | undefined;
}

function Shown({ data, across, up, output }: ShownProps) {
  const { all } = data;
  const answered = useAnswer(all.run, async () => {
    const points = Math.min(
      MOST_POINTS,
      Math.floor(Math.sqrt(MOST_PREDICTIONS / all.run.head.value.objectives.length)),
    );
    const query = { inputs: `${across},${up}`, grid: true, points: Math.max(2, points) };
    return (await service.call('getPredictions', { path: { objective_id: all.run.objectiveId }, query })).body;
  });
  const { answer } = answered;
  return (
    <>
      {answer?.surfaces && <Picture data={data} across={across} up={up} output={output} answer={answer} />}
      {answer?.surfaces === null && <p class="hint">The models need a run that succeeded.</p>}
      <Ask of={answered} />
    </>
  );
}

function Picture({ data, across, up, output, answer }: ShownProps & { readonly answer: Predictions }) {
  const { all, runs, rows } = data;
  const head = all.run.head.value;
  const palette = colours.value;
  const surface = answer.surfaces![0]!;
  const { low, high, metCount, drawing } = useMemo(() => {
    const axes = [inputAxis(head, across), inputAxis(head, up)] as const;
    const ends = axes.map(({ isLog = false }, k) => endsOf(surface.values[k]!, isLog));
    const cells = { xEnds: ends[0]!, yEnds: ends[1]! };
    const values = output === undefined ? surface.chance : surface.outputs[output]!.mean;
    const isMet = metPoints(head, surface);
    const { shares, ...span } = sharesOf(values, surface.isAdmissible);
    const { inputs } = runs.value.columns;
    const points = pointSeries(runs.value, rows.value, { xs: inputs[across]!, ys: inputs[up]! }, palette);
    const rangeOf = (these: readonly number[]) => ({ from: these[0]!, to: these.at(-1)! });
    const drawing: Drawing = {
      title: `${head.projectName}: ${titleOf(data, output)} over ${axes[0].label} and ${axes[1].label}`,
      x: { ...axes[0], range: rangeOf(cells.xEnds) },
      y: { ...axes[1], range: rangeOf(cells.yEnds) },
      cells: { ...cells, shares, colour: palette.accent },
      series: [
        { label: 'All targets expected to be met', colour: palette.met, kind: 'line', ...outlineOf(isMet, cells) },
        // Inputs of failed runs have their place here.
        ...points.map((one) => (one.shape === 'top-cross' ? { ...one, shape: 'cross' as const } : one)),
      ],
    };
    return { ...span, metCount: isMet.filter(Boolean).length, drawing };
  }, [answer, runs.value, rows.value, palette, output]);
  const region = regionText(head, metCount / surface.isAdmissible.length);
  const { inputs } = runs.value.columns;
  const unit = output === undefined ? undefined : head.outputUnits?.[output];
  const ends =
    output === undefined ? [percent(low), percent(high)] : [low, high].map((end) => withUnit(short(end), unit));
  return (
    <>
      <ChartFigure
        all={all}
        drawing={drawing}
        height={440}
        label={`${titleOf(data, output)} over ${drawing.x.label} and ${drawing.y.label}, from ${ends[0]} to ${ends[1]}. ${region}`}
        isLarge
        textOf={(row) => [across, up].map((i) => inputText(head, i, inputs[i]![row]!)).join(', ')}
      >
        <strong>{titleOf(data, output)}</strong> <span class="hint">{ends[0]}</span> <span class="shade-scale" />{' '}
        <span class="hint">{ends[1]}</span>
      </ChartFigure>
      <p class="hint">
        {region} All other inputs are those of the best run; blank parts are excluded by bounds or constraints. Points
        are runs, whatever their other inputs.
      </p>
      <GridTable data={data} across={across} up={up} output={output} answer={answer} />
    </>
  );
}

function titleOf({ all }: ChartData, output: number | undefined): string {
  return output === undefined ? 'Chance of all targets' : outputLabel(all.run.head.value, output);
}

const percent = (share: number) => `${(100 * share).toFixed(share > 0 && share < 0.01 ? 1 : 0)} %`;

/** Lines of a table beyond these would not be read. */
const TABLE_CELLS = 9;

function GridTable({ data, across, up, output, answer }: ShownProps & { readonly answer: Predictions }) {
  const head = data.all.run.head.value;
  const surface = answer.surfaces![0]!;
  const [xs, ys] = surface.values as [number[], number[]];
  const some = (count: number) => {
    const shown = Math.min(count, TABLE_CELLS);
    return [
      ...new Set(Array.from({ length: shown }, (_, k) => Math.round((k * (count - 1)) / Math.max(1, shown - 1)))),
    ];
  };
  const values = output === undefined ? surface.chance : surface.outputs[output]!.mean;
  return (
    <ChartTable
      summary="Some points as a table"
      head={[inputAxis(head, up).label, ...some(xs.length).map((a) => inputText(head, across, xs[a]!))]}
      rows={some(ys.length).map((b) => [
        inputText(head, up, ys[b]!),
        ...some(xs.length).map((a) => {
          const value = values[a * ys.length + b] ?? null;
          return value === null ? { text: '–', full: '' } : { text: short(value), full: String(value) };
        }),
      ])}
    />
  );
}
