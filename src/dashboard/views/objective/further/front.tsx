import { useSignal } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import type { Front as Found } from '../../../../../clients/typescript/src/index.ts';
import type { Columns, Head } from '../../../../presentation/columns.ts';
import { counted, short, titled } from '../../../../presentation/formats.ts';
import { type Drawing, type DrawnSeries, type Range, rangeOf } from '../../../../presentation/plot.ts';
import { outputNames } from '../../../../presentation/values.ts';
import { ChartTable } from '../../../parts/chart-table.tsx';
import { colours } from '../../../parts/colours.ts';
import { PlotBox } from '../../../parts/plot-box.tsx';
import { SaveChart } from '../../../parts/save-chart.tsx';
import { ZoomFields } from '../../../parts/zoom-fields.tsx';
import { service } from '../../../shell/service.ts';
import type { Run } from '../state/history.ts';
import { Ask, useAnswer } from './answer.tsx';
import { FoundRun, nameOfFound } from './found-run.tsx';
import { frontVolumes } from './front-volumes.ts';

/** The non-dominated runs in the outputs without target, and the growth of the front. */
export function Front({ run }: { readonly run: Run }) {
  const answered = useAnswer(run, async () => {
    const front = (await service.call('getFront', { path: { objective_id: run.objectiveId } })).body;
    // As they were then: later runs are not in this front.
    return { front, columns: run.columns.value };
  });
  const { answer } = answered;
  const head = run.head.value;
  return (
    <>
      <Ask of={answered} />
      {answer?.front.points.length === 0 && <p>No run meets all targets yet, so there is no front.</p>}
      {answer !== undefined && answer.front.points.length > 0 && <Shown head={head} {...answer} />}
    </>
  );
}

interface ShownProps {
  readonly head: Head;
  readonly front: Found;
  readonly columns: Columns;
}

function Shown({ head, front, columns }: ShownProps) {
  const { outputs, points, knee, predicted } = front;
  const names = outputNames(head).map((name, j) => titled(name, head.outputUnits?.[j]));
  const cell = (value: number) => ({ text: short(value), full: String(value) });
  return (
    <>
      <p>
        {counted(points.length, 'run')} on the front
        {predicted.length > 0 && `; the models expect ${predicted.length} more between and beyond them`}.
        {knee !== null && (
          <>
            {' '}
            The best compromise is <FoundRun run={knee} ownId={head.objectiveId} />.
          </>
        )}
      </p>
      {outputs.length > 1 && <Scatter head={head} front={front} columns={columns} />}
      <ChartTable
        summary="The front as a table"
        head={['Run', ...outputs.map((j) => names[j]!)]}
        rows={[
          ...points.map((point) => [
            nameOfFound(point, head.objectiveId),
            ...outputs.map((j) => cell(point.output[j]!)),
          ]),
          ...predicted.map(({ output }) => ['expected', ...outputs.map((j) => cell(output[j]!))]),
        ]}
      />
      <Volumes head={head} front={front} columns={columns} />
    </>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly name: string;
}

const HEIGHT = 360;

function Scatter({ head, front, columns }: ShownProps) {
  const { outputs, points, knee, predicted } = front;
  const [across, setAcross] = useState(outputs[0]!);
  const [up, setUp] = useState(outputs[1]!);
  const zoom = useSignal<Range | undefined>(undefined);
  const pointed = useSignal<Point | undefined>(undefined);
  const names = outputNames(head).map((name, j) => titled(name, head.outputUnits?.[j]));
  const palette = colours.value;
  const { known, expected, drawing } = useMemo(() => {
    const at = (output: readonly number[], name: string): Point => ({ x: output[across]!, y: output[up]!, name });
    const known = points.map((point) => at(point.output, nameOfFound(point, head.objectiveId)));
    const expected = predicted.map(({ output }) => at(output, 'expected'));
    const best = knee === null ? [] : [at(knee.output, nameOfFound(knee, head.objectiveId))];
    const series = (
      label: string,
      colour: string,
      shape: NonNullable<DrawnSeries['shape']>,
      of: readonly Point[],
      from = 0,
    ): DrawnSeries => ({
      ...{ label, colour, shape, kind: 'points' },
      xs: of.map(({ x }) => x),
      ys: of.map(({ y }) => y),
      rows: of.map((_, k) => from + k),
    });
    const { outputs: columnsOf } = columns;
    const shown = [
      series('On the front', palette.accent, 'square', known),
      series('Expected by the models', palette.text, 'dot', expected, known.length),
      series('Best compromise', palette.text, 'ring', best),
    ];
    const axes = { x: { label: names[across]! }, y: { label: names[up]! } };
    // Runs far from the front do not squeeze it.
    const [x, y] = (['x', 'y'] as const).map((axis) => rangeOf({ title: '', ...axes, series: shown }, axis));
    const drawing: Drawing = {
      title: `${head.projectName}: front`,
      x: { ...axes.x, range: x! },
      y: { ...axes.y, range: y! },
      series: [
        { label: 'Run', colour: palette.mark, kind: 'points', xs: columnsOf[across]!, ys: columnsOf[up]! },
        ...shown,
      ],
    };
    return { known, expected, drawing };
  }, [front, columns, across, up, palette]);
  const choose = (label: string, value: number, onChange: (j: number) => void) => (
    <label>
      {label}{' '}
      <select
        value={String(value)}
        onChange={({ currentTarget }) => {
          zoom.value = undefined;
          onChange(Number(currentTarget.value));
        }}
      >
        {outputs.map((j) => (
          <option key={j} value={j}>
            {names[j]}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <p class="field-row">
        {choose('Across', across, setAcross)} {choose('Up', up, setUp)}
        <ZoomFields label={names[across]!} zoom={zoom} all={drawing.x.range!} />
        <SaveChart drawing={() => drawing} />
      </p>
      <PlotBox
        drawing={drawing}
        height={HEIGHT}
        zoom={zoom}
        label={`The front: ${names[up]} against ${names[across]}, ${counted(known.length, 'run')} and ${expected.length} expected`}
        onPoint={(row) => (pointed.value = row === undefined ? undefined : [...known, ...expected][row])}
      />
      <p class="chart-legend hint">
        <span class="key key-known">on the front</span> <span class="key key-run">other runs</span>{' '}
        <span class="key key-expected">expected by the models</span> <span>ring: the best compromise</span>{' '}
        {pointed.value !== undefined && (
          <span class="chart-pointed">
            {pointed.value.name}: {short(pointed.value.x)}, {short(pointed.value.y)}
          </span>
        )}
      </p>
    </>
  );
}

function Volumes({ head, front, columns }: ShownProps) {
  const zoom = useSignal<Range | undefined>(undefined);
  const palette = colours.value;
  const { drawing, volumes } = useMemo(() => {
    const volumes = frontVolumes(head, columns, front);
    const { iterations } = columns;
    const [first, last] = [iterations[0] ?? 0, iterations.at(-1) ?? 1];
    const most = front.hypervolume ?? 0;
    const drawing: Drawing = {
      title: `${head.projectName}: hypervolume over the runs`,
      x: { label: 'Run', isWhole: true, least: 1, range: { from: first - 0.5, to: last + 0.5 } },
      y: { label: 'Hypervolume', range: { from: 0, to: most * 1.05 || 1 } },
      series: [{ label: 'Hypervolume', colour: palette.accent, kind: 'steps', xs: iterations, ys: volumes }],
    };
    return { drawing, volumes };
  }, [front, columns, palette]);
  const row = volumes.indexOf(volumes.at(-1) ?? 0);
  const label = `Hypervolume ${short(front.hypervolume ?? 0)}, last raised by run ${columns.iterations[row]}.`;
  return (
    <>
      <h3>Hypervolume over the runs</h3>
      <PlotBox drawing={drawing} height={220} zoom={zoom} label={label} />
      <p class="hint">
        {label} It is the volume that the front dominates, up to{' '}
        {front.reference?.map((value, c) => `${outputNames(head)[front.outputs[c]!]} ${short(value)}`).join(', ')}.
        Known cases on the front count from the start.
      </p>
    </>
  );
}
