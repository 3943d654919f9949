/** The place of the chart: draws it whenever something changes, and follows the pointer. */
import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { colours } from '../../../parts/colours.ts';
import { rowFrom } from '../columns.ts';
import type { Range } from '../order.ts';
import { drawChart, frameOf, HEIGHT, iterationAt } from './chart.ts';
import type { DistanceData } from './measures.ts';

/** A shorter movement of the pointer is a click. */
const CLICK_PX = 4;

interface Props {
  readonly data: ReadonlySignal<DistanceData>;
  readonly zoom: Signal<Range | undefined>;
  /** The run nearest to the pointer. */
  readonly pointed: Signal<number | undefined>;
  readonly label: string;
}

export function ChartBox({ data, zoom, pointed, label }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(0);
  const dragged = useSignal<readonly [from: number, to: number] | undefined>(undefined);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      width.value = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useSignalEffect(() => {
    if (width.value === 0) return;
    const frame = frameOf(data.value, zoom.value, width.value);
    drawChart(canvas.current!, width.value, data.value, frame, colours.value);
  });
  const frame = () => frameOf(data.value, zoom.value, width.value);
  const placeOf = (event: PointerEvent) => event.clientX - box.current!.getBoundingClientRect().left;
  const drop = () => {
    const [from, to] = dragged.value ?? [0, 0];
    dragged.value = undefined;
    if (Math.abs(to - from) < CLICK_PX) return;
    const ends = [iterationAt(frame(), from), iterationAt(frame(), to)].sort((a, b) => a - b);
    zoom.value = { from: ends[0]!, to: ends[1]! };
  };
  const [from, to] = dragged.value ?? [];
  return (
    <div ref={box} class="distance-chart" style={{ height: `${HEIGHT}px` }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        onPointerDown={(event) => {
          // A finger scrolls; for it there are the fields.
          if (event.button !== 0 || event.pointerType === 'touch') return;
          event.currentTarget.setPointerCapture(event.pointerId);
          dragged.value = [placeOf(event), placeOf(event)];
        }}
        onPointerMove={(event) => {
          if (dragged.value) dragged.value = [dragged.value[0], placeOf(event)];
          pointed.value = nearestRow(data.value, iterationAt(frame(), placeOf(event)));
        }}
        onPointerUp={drop}
        onPointerCancel={() => (dragged.value = undefined)}
        onPointerLeave={() => (pointed.value = undefined)}
        onDblClick={() => (zoom.value = undefined)}
      />
      {from !== undefined && to !== undefined && (
        <div class="distance-dragged" style={{ left: `${Math.min(from, to)}px`, width: `${Math.abs(to - from)}px` }} />
      )}
    </div>
  );
}

function nearestRow({ iterations }: DistanceData, iteration: number): number | undefined {
  const count = iterations.length;
  if (count === 0) return undefined;
  const next = Math.min(count - 1, rowFrom({ iterations, count }, iteration));
  const isEarlierNearer = next > 0 && iteration - iterations[next - 1]! < iterations[next]! - iteration;
  return isEarlierNearer ? next - 1 : next;
}
