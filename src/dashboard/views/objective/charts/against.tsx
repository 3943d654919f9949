/** Outputs over inputs: the runs, and the models' curve and band through the best run. */
import { useMemo, useState } from 'preact/hooks';
import type { Predictions } from '../../../../../clients/typescript/src/index.ts';
import { counted, short } from '../../../../presentation/formats.ts';
import type { Drawing } from '../../../../presentation/plot.ts';
import { bandOf, isWorthLog, pointSeries } from '../../../../presentation/run-points.ts';
import { inputNames, inputText, outputLabel, outputNames } from '../../../../presentation/values.ts';
import { ChartTable } from '../../../parts/chart-table.tsx';
import { colours } from '../../../parts/colours.ts';
import { service } from '../../../shell/service.ts';
import { Ask, useAnswer } from '../further/answer.tsx';
import { nameOfFound } from '../further/found-run.tsx';
import { ChartFigure } from './chart-figure.tsx';
import { Chooser, MOST_CHARTS } from './chooser.tsx';
import { hasNames, inputAxis, sliceSeries } from './model-lines.ts';
import { mostSensitive } from './most-sensitive.ts';
import { valueText } from './over-runs.tsx';
import type { ChartData } from './use-charts.ts';

/** One output over every input, every output over one input, or one over the other. */
interface Chosen {
  readonly output: number | undefined;
  readonly input: number | undefined;
}

export function Against({ data }: { readonly data: ChartData }) {
  const head = data.all.run.head.value;
  const [chosen, setChosen] = useState<Chosen>({ output: data.all.order.value[0] ?? 0, input: undefined });
  const { output, input } = chosen;
  const [inputs, outputs] = [inputNames(head), outputNames(head)];
  return (
    <section class="charts-part" aria-labelledby="against-title">
      <div class="section-head">
        <h2 id="against-title">Outputs over inputs</h2>
        <Chooser
          label="Output"
          all="all outputs"
          names={outputs}
          chosen={output}
          // All over all would be too many.
          onChoose={(next) => setChosen({ output: next, input: next === undefined ? (input ?? 0) : input })}
        />
        <Chooser
          label="over"
          all="all inputs"
          names={inputs}
          chosen={input}
          onChoose={(next) => setChosen({ input: next, output: next === undefined ? (output ?? 0) : output })}
        />
      </div>
      <Shown key={`${output} ${input}`} data={data} chosen={chosen} />
    </section>
  );
}

function Shown({ data, chosen: { output, input } }: { readonly data: ChartData; readonly chosen: Chosen }) {
  const { all, runs } = data;
  const head = all.run.head.value;
  const most = useMemo(() => mostSensitive(head.insight, head.minimums.length, output), [head.insight, output]);
  const inputs = input === undefined ? most.slice(0, MOST_CHARTS).sort((a, b) => a - b) : [input];
  const outputs = output === undefined ? all.order.value.slice(0, MOST_CHARTS).sort((a, b) => a - b) : [output];
  const answered = useAnswer(all.run, async () => {
    const query = { inputs: inputs.join(','), outputs: outputs.join(',') };
    return (await service.call('getPredictions', { path: { objective_id: all.run.objectiveId }, query })).body;
  });
  const { answer } = answered;
  const isLarge = inputs.length * outputs.length === 1;
  return (
    <>
      <p class="hint">
        Points are runs, whatever their other inputs. The line is what the models expect if only this input of{' '}
        {bestName(answer, head.objectiveId)} changes; the shaded range around it is its uncertainty (95 %). The green
        range meets the target.
      </p>
      <div class="charts-grid">
        {inputs.flatMap((i) =>
          outputs.map((j) => (
            <AgainstChart key={`${i} ${j}`} data={data} i={i} j={j} answer={answer} isLarge={isLarge} />
          )),
        )}
      </div>
      {answer?.surfaces === null && <p class="hint">The models need a run that succeeded.</p>}
      <Ask of={answered} />
      {answer?.surfaces && isLarge && <SliceTable data={data} answer={answer} i={inputs[0]!} j={outputs[0]!} />}
      {input === undefined && inputs.length < head.minimums.length && (
        <p class="hint">
          The {inputs.length} most important of {counted(head.minimums.length, 'input')}. Choose another one above.
        </p>
      )}
      {runs.value.best < 0 && <p class="hint">There is no best run yet.</p>}
    </>
  );
}

function bestName(answer: Predictions | undefined, ownId: number): string {
  if (!answer?.run) return 'the best run';
  return `the best one, ${nameOfFound(answer.run, ownId)},`;
}

interface ChartProps {
  readonly data: ChartData;
  readonly i: number;
  readonly j: number;
  readonly answer: Predictions | undefined;
  readonly isLarge: boolean;
}

function surfaceIn(answer: Predictions | undefined, i: number, j: number) {
  const surface = answer?.surfaces?.find(({ inputs }) => inputs[0] === i);
  return surface && { surface, k: answer!.outputs.indexOf(j) };
}

function AgainstChart({ data, i, j, answer, isLarge }: ChartProps) {
  const { all, runs, rows } = data;
  const head = all.run.head.value;
  const palette = colours.value;
  const drawing = useMemo((): Drawing => {
    const { inputs, outputs } = runs.value.columns;
    const bands = bandOf('y', head.intervals[j]!);
    const found = surfaceIn(answer, i, j);
    const model = found ? sliceSeries(head, found.surface, found.k, palette) : [];
    const x = inputAxis(head, i);
    const label = outputLabel(head, j);
    const isLog =
      isWorthLog(outputs[j]!, bands) && model.every(({ ys }) => Array.from(ys).every((y) => y === null || y > 0));
    return {
      title: `${head.projectName}: ${label} over ${x.label}`,
      x: isLarge ? x : { ...x, label: '' },
      y: { label: isLarge ? label : '', isLog },
      series: [...model, ...pointSeries(runs.value, rows.value, { xs: inputs[i]!, ys: outputs[j]! }, palette)],
      bands,
    };
  }, [runs.value, rows.value, palette, answer, i, j, isLarge]);
  const { inputs, outputs } = runs.value.columns;
  return (
    <ChartFigure
      all={all}
      drawing={drawing}
      height={isLarge ? 360 : 180}
      label={summaryOf(props(data, i, j), answer)}
      isLarge={isLarge}
      textOf={(row) =>
        `${inputText(head, i, inputs[i]![row]!)}, ${valueText(outputs[j]![row]!, head.outputUnits?.[j])}`
      }
    >
      <strong>{outputLabel(head, j)}</strong> over {inputAxis(head, i).label}
    </ChartFigure>
  );
}

const props = (data: ChartData, i: number, j: number) => ({ head: data.all.run.head.value, i, j });

/** For example "Drop (Pa) over Length (m): the models expect 3.1 to 24.2". */
function summaryOf({ head, i, j }: ReturnType<typeof props>, answer: Predictions | undefined): string {
  const title = `${outputLabel(head, j)} over ${inputAxis(head, i).label}`;
  const found = surfaceIn(answer, i, j);
  if (!found) return title;
  const means = found.surface.outputs[found.k]!.mean.filter((mean) => mean !== null);
  if (means.length === 0) return title;
  return `${title}: the models expect ${short(Math.min(...means))} to ${short(Math.max(...means))}`;
}

function SliceTable({ data, answer, i, j }: Omit<ChartProps, 'isLarge' | 'answer'> & { readonly answer: Predictions }) {
  const head = data.all.run.head.value;
  const found = surfaceIn(answer, i, j);
  if (!found) return null;
  const { values, outputs, chance, isAdmissible } = found.surface;
  const { mean, low, high } = outputs[found.k]!;
  const cell = (value: number | null) =>
    value === null ? { text: '–', full: '' } : { text: short(value), full: String(value) };
  return (
    <ChartTable
      summary="The model’s curve as a table"
      head={[inputAxis(head, i).label, 'Expected', 'From', 'To', 'Chance of all targets', 'Allowed']}
      rows={values[0]!.map((value, k) => [
        hasNames(head, i) ? inputText(head, i, value) : cell(value),
        cell(mean[k]!),
        cell(low[k]!),
        cell(high[k]!),
        { text: chance[k] === null ? '–' : `${(100 * chance[k]!).toFixed(0)} %`, full: String(chance[k]) },
        isAdmissible[k] ? 'yes' : 'no',
      ])}
    />
  );
}
