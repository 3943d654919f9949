/** All runs as lines over parallel axes, and ranges on the axes that select some of them. */

import { computed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { spanOf } from '../../../../presentation/distances.ts';
import { counted, grouped } from '../../../../presentation/formats.ts';
import { colours } from '../../../parts/colours.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { whenIdle } from '../../../parts/when-idle.ts';
import { type Axis, makeAxis, valueOn } from '../state/axes.ts';
import { type Choice, setRange } from '../state/choice.ts';
import type { Judged } from '../state/judged.ts';
import { ChooseAxes } from './choose-axes.tsx';
import './coordinates.css';
import { countRuns, drawPicture, HEIGHT, type Layout, layOut, type Picture } from './picture.ts';
import { RangeFields } from './range-fields.tsx';

/** A shorter movement of the pointer is a click. */
const CLICK_PX = 4;
const REACH_PX = 24;
const LATEST_MS = 200;

const ENDS = ['Smallest', 'Largest', 'Smallest selected', 'Largest selected'];

interface Props {
  readonly judged: Judged;
  readonly choice: Choice;
}

export function Coordinates({ judged: { run }, choice }: Props) {
  const id = useId();
  const newest = useMemo(
    () => computed(() => choice.keys.value.map((key) => makeAxis(run.head.value, run.columns.value, key))),
    [run, choice],
  );
  const axes = useSignal(newest.peek());
  // Cheaper parts of the view show a new run first.
  useSignalEffect(() => {
    const next = newest.value;
    return whenIdle(() => {
      axes.value = next;
    }, LATEST_MS);
  });
  const { count } = run.columns.value;
  const total = grouped(count);
  const text =
    choice.ranges.value.size === 0
      ? counted(count, 'run')
      : `${grouped(choice.selectedCount.value)} of ${total} selected`;
  const canvas = useRef<HTMLCanvasElement>(null);
  return (
    <section aria-labelledby={`${id}-title`}>
      <div class="section-head">
        <h2 id={`${id}-title`}>Inputs and outputs</h2>
        <span class="hint" role="status">
          {text}
        </span>
        {choice.ranges.value.size > 0 && (
          <button type="button" onClick={() => (choice.ranges.value = new Map())}>
            Select all
          </button>
        )}
        <ChooseAxes run={run} choice={choice} />
        <span class="section-end">
          <button type="button" onClick={() => void savePicture(canvas.current!, run.head.value.projectName)}>
            Save PNG
          </button>
        </span>
      </div>
      <Lines canvas={canvas} axes={axes} choice={choice} count={count} />
      <p class="hint">
        Drag along an axis to select the runs that cross it there; click the axis to clear its selection.
      </p>
      <RangeFields axes={axes.value} choice={choice} />
      <AxisTable axes={axes.value} choice={choice} />
    </section>
  );
}

interface LinesProps {
  readonly canvas: { readonly current: HTMLCanvasElement | null };
  readonly axes: { readonly value: readonly Axis[] };
  readonly choice: Choice;
  readonly count: number;
}

function Lines({ canvas, axes, choice, count }: LinesProps) {
  const box = useRef<HTMLElement>(null);
  const available = useSignal(0);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      available.value = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const layout = useMemo(
    () => computed(() => layOut(axes.value.length, available.value, axes.value[0]?.column.length ?? 0)),
    [axes],
  );
  // Brushing changes only what is selected.
  const all = useMemo(() => computed(() => countRuns(axes.value, layout.value)), [axes]);
  useSignalEffect(() => {
    if (available.value === 0 || axes.value.length === 0) return;
    const selection = choice.selection.value;
    const picture: Picture = {
      axes: axes.value,
      layout: layout.value,
      all: all.value,
      selected: selection && countRuns(axes.value, layout.value, selection),
      lineCount: axes.value[0]!.column.length,
      selectedCount: choice.selectedCount.value,
      ranges: choice.ranges.value,
    };
    drawPicture(canvas.current!, picture, colours.value);
  });
  const label = `${count} runs as lines over ${axes.value.length} axes: ${axes.value.map(({ title }) => title).join(', ')}`;
  return (
    <ScrollBox boxRef={box} label="Chart of inputs and outputs">
      <canvas
        ref={canvas as never}
        role="img"
        aria-label={label}
        class="coordinates"
        style={{ width: `${layout.value.width}px`, height: `${HEIGHT}px` }}
        onPointerDown={(event) => brush(event, axes.value, layout.value, choice)}
      />
    </ScrollBox>
  );
}

/** Follows the pointer to its release. A finger scrolls instead: for it there are the fields. */
function brush(event: PointerEvent, axes: readonly Axis[], layout: Layout, choice: Choice): void {
  if (event.button !== 0 || event.pointerType === 'touch') return;
  const canvas = event.currentTarget as HTMLCanvasElement;
  const { left, top } = canvas.getBoundingClientRect();
  const x = event.clientX - left;
  const a = layout.xs.findIndex((place) => Math.abs(place - x) <= REACH_PX);
  const axis = axes[nearest(layout.xs, x, a)];
  if (axis === undefined) return;
  const valueAt = (clientY: number) => valueOn(axis, 1 - (clientY - top - layout.top) / (layout.bottom - layout.top));
  const startY = event.clientY;
  const start = valueAt(startY);
  let frame = 0;
  const stop = new AbortController();
  const { signal } = stop;
  canvas.setPointerCapture(event.pointerId);
  event.preventDefault();
  const select = (clientY: number) => {
    const isClick = Math.abs(clientY - startY) < CLICK_PX;
    setRange(choice, axis.key, isClick ? undefined : { from: start, to: valueAt(clientY) });
  };
  canvas.addEventListener(
    'pointermove',
    (move) => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => select(move.clientY));
    },
    { signal },
  );
  const end = (last: PointerEvent) => {
    cancelAnimationFrame(frame);
    stop.abort();
    select(last.clientY);
  };
  canvas.addEventListener('pointerup', end, { signal });
  canvas.addEventListener('pointercancel', () => stop.abort(), { signal });
}

/** The nearest axis where one is in reach. */
function nearest(xs: readonly number[], x: number, inReach: number): number {
  if (inReach < 0) return -1;
  return xs.reduce((best, place, a) => (Math.abs(place - x) < Math.abs(xs[best]! - x) ? a : best), inReach);
}

/** The same for users who cannot see the lines. */
function AxisTable({ axes, choice }: { readonly axes: readonly Axis[]; readonly choice: Choice }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>The axes as a table</summary>
      {isOpen.value && (
        <div class="scroll-box">
          <table>
            <TableHead titles={['Axis', ...ENDS]} numbers={ENDS} />
            <tbody>
              {axes.map((axis) => (
                <AxisRow key={axis.key} axis={axis} selection={choice.selection.value} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function AxisRow({ axis, selection }: { readonly axis: Axis; readonly selection: Uint8Array | undefined }) {
  const all = spanOf(axis.column);
  const some = selection === undefined ? all : spanOf(axis.column.filter((_, row) => selection[row] === 1));
  const cell = (value: number | undefined) => <td class="number">{value === undefined ? '–' : axis.textOf(value)}</td>;
  return (
    <tr>
      <th scope="row">{axis.title}</th>
      {cell(all?.low)}
      {cell(all?.high)}
      {cell(some?.low)}
      {cell(some?.high)}
    </tr>
  );
}

async function savePicture(canvas: HTMLCanvasElement, project: string): Promise<void> {
  const { fileName, save } = await import('../../../parts/export.ts');
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob !== null) save(fileName(`${project} inputs and outputs`, 'png'), blob);
}
