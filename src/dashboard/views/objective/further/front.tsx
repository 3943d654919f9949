import { useSignal } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import type { Front as Found } from '../../../../../clients/typescript/src/index.ts';
import { type Chart, drawSteps, type Frame, type Plane, type Range } from '../../../parts/chart.ts';
import { ChartBox, type Pointer } from '../../../parts/chart-box.tsx';
import { ChartTable } from '../../../parts/chart-table.tsx';
import { counted, short, titled } from '../../../parts/formats.ts';
import { ZoomFields } from '../../../parts/zoom-fields.tsx';
import { service } from '../../../shell/service.ts';
import { rangeOf } from '../../compare/trade-offs.ts';
import type { Columns, Head } from '../columns.ts';
import type { Run } from '../history.ts';
import { outputNames } from '../values.ts';
import { Ask, useAnswer } from './answer.tsx';
import { frontVolumes } from './front-volumes.ts';

/** The non-dominated runs in the outputs without target, and the growth of the front. */
export function Front({ run }: { readonly run: Run }) {
  const answered = useAnswer(run, async () => {
    const front = (await service.call('getFrontFlat', { path: { objective_id: run.objectiveId } })).body;
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
        {knee !== null && ` The best compromise is ${nameOf(knee)}.`}
      </p>
      {outputs.length > 1 && <Scatter head={head} front={front} columns={columns} />}
      <ChartTable
        summary="The front as a table"
        head={['Run', ...outputs.map((j) => names[j]!)]}
        rows={[
          ...points.map((point) => [nameOf(point), ...outputs.map((j) => cell(point.output[j]!))]),
          ...predicted.map(({ output }) => ['expected', ...outputs.map((j) => cell(output[j]!))]),
        ]}
      />
      <Volumes head={head} front={front} columns={columns} />
    </>
  );
}

function nameOf({ iteration, caseNumber }: Found['points'][number]): string {
  return iteration === null ? `case ${caseNumber}` : `run ${iteration}`;
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly name: string;
}

const HEIGHT = 360;
/** Further away the pointer is at no point. In CSS pixels. */
const NEAR_PX = 30;

function Scatter({ head, front, columns }: ShownProps) {
  const { outputs, points, knee, predicted } = front;
  const [across, setAcross] = useState(outputs[0]!);
  const [up, setUp] = useState(outputs[1]!);
  const zoom = useSignal<Range | undefined>(undefined);
  const pointed = useSignal<Point | undefined>(undefined);
  const names = outputNames(head).map((name, j) => titled(name, head.outputUnits?.[j]));
  const { known, expected, chart } = useMemo(() => {
    const at = (output: readonly number[], name: string): Point => ({ x: output[across]!, y: output[up]!, name });
    const known = points.map((point) => at(point.output, nameOf(point)));
    const expected = predicted.map(({ output }) => at(output, 'expected'));
    const best = knee === null ? [] : [at(knee.output, nameOf(knee))];
    const chart: Chart = {
      x: { label: names[across]!, ...rangeOf('x', [...known, ...expected], []) },
      y: { label: names[up]!, ...rangeOf('y', [...known, ...expected], []) },
      height: HEIGHT,
      draw: (plane) =>
        drawFront(plane, { runs: [columns.outputs[across]!, columns.outputs[up]!], known, expected, best }),
    };
    return { known, expected, chart };
  }, [front, columns, across, up]);
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
        <ZoomFields label={names[across]!} zoom={zoom} all={chart.x} />
      </p>
      <ChartBox
        chart={chart}
        zoom={zoom}
        label={`The front: ${names[up]} against ${names[across]}, ${counted(known.length, 'run')} and ${expected.length} expected`}
        onPoint={(pointer, frame) => (pointed.value = pointer && nearest([...known, ...expected], pointer, frame))}
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

function nearest(points: readonly Point[], { left, top }: Pointer, { x, y }: Frame): Point | undefined {
  const distanceTo = (point: Point) => Math.hypot(x(point.x) - left, y(point.y) - top);
  const [first] = points.filter((point) => distanceTo(point) < NEAR_PX).sort((a, b) => distanceTo(a) - distanceTo(b));
  return first;
}

interface DrawnFront {
  /** Of all runs, across and up; NaN without an output. */
  readonly runs: readonly [Float64Array, Float64Array];
  readonly known: readonly Point[];
  readonly expected: readonly Point[];
  readonly best: readonly Point[];
}

function drawFront({ context, colours, x, y }: Plane, { runs: [xs, ys], known, expected, best }: DrawnFront): void {
  context.fillStyle = colours.mark;
  for (let row = 0; row < xs.length; row++) context.fillRect(x(xs[row]!) - 1.5, y(ys[row]!) - 1.5, 3, 3);
  context.fillStyle = colours.accent;
  for (const point of known) context.fillRect(x(point.x) - 4, y(point.y) - 4, 8, 8);
  const circles = (points: readonly Point[], radius: number) => {
    context.strokeStyle = colours.text;
    context.lineWidth = 1.5;
    for (const point of points) {
      context.beginPath();
      context.arc(x(point.x), y(point.y), radius, 0, 2 * Math.PI);
      context.stroke();
    }
  };
  circles(expected, 4);
  circles(best, 9);
}

function Volumes({ head, front, columns }: ShownProps) {
  const zoom = useSignal<Range | undefined>(undefined);
  const { chart, volumes } = useMemo(() => {
    const volumes = frontVolumes(head, columns, front);
    const { iterations } = columns;
    const [first, last] = [iterations[0] ?? 0, iterations.at(-1) ?? 1];
    const most = front.hypervolume ?? 0;
    const chart: Chart = {
      x: { label: 'Run', from: first - 0.5, to: last + 0.5, isWhole: true },
      y: { label: 'Hypervolume', from: 0, to: most * 1.05 || 1 },
      height: 220,
      draw: (plane) => {
        plane.context.strokeStyle = plane.colours.accent;
        drawSteps(plane, iterations, volumes);
      },
    };
    return { chart, volumes };
  }, [front, columns]);
  const row = volumes.indexOf(volumes.at(-1) ?? 0);
  const label = `Hypervolume ${short(front.hypervolume ?? 0)}, last raised by run ${columns.iterations[row]}.`;
  return (
    <>
      <h3>Hypervolume over the runs</h3>
      <ChartBox chart={chart} zoom={zoom} label={label} onPoint={() => undefined} />
      <p class="hint">
        {label} It is the volume that the front dominates, up to{' '}
        {front.reference?.map((value, c) => `${outputNames(head)[front.outputs[c]!]} ${short(value)}`).join(', ')}.
        Known cases on the front count from the start.
      </p>
    </>
  );
}
