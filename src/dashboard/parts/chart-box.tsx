/** The box of a chart: redraws it after every change, follows the pointer, and zooms in on a dragged range. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Chart, drawChart, type Frame, frameOf, type Range } from './chart.ts';
import './chart.css';
import { colours } from './colours.ts';

/** A shorter movement of the pointer is a click. */
const CLICK_PX = 4;

/** A position in CSS pixels of the chart. */
export interface Pointer {
  readonly left: number;
  readonly top: number;
}

interface Props {
  /** Pass a new object to redraw the chart. */
  readonly chart: Chart;
  /** The visible part of the x axis; undefined shows all. */
  readonly zoom: Signal<Range | undefined>;
  /** A description of the chart in words. */
  readonly label: string;
  /** Called with the position of the pointer; undefined when it leaves. */
  onPoint(pointer: Pointer | undefined, frame: Frame): void;
}

export function ChartBox({ chart, zoom, label, onPoint }: Props) {
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
  const frame = () => frameOf(chart, width.value, zoom.value);
  useLayoutEffect(() => {
    if (width.value > 0) drawChart(canvas.current!, chart, frame(), colours.value);
  }, [chart, width.value, zoom.value, colours.value]);
  const placeOf = (event: PointerEvent): Pointer => {
    const { left, top } = box.current!.getBoundingClientRect();
    return { left: event.clientX - left, top: event.clientY - top };
  };
  const drop = () => {
    const [from, to] = dragged.value ?? [0, 0];
    dragged.value = undefined;
    if (Math.abs(to - from) < CLICK_PX) return;
    const { xAt } = frame();
    const range = { from: xAt(Math.min(from, to)), to: xAt(Math.max(from, to)) };
    if (range.from < range.to) zoom.value = range;
  };
  const [from, to] = dragged.value ?? [];
  return (
    <div ref={box} class="chart" style={{ height: `${chart.height}px` }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        onPointerDown={(event) => {
          // A finger scrolls; touch users zoom with the fields.
          if (event.button !== 0 || event.pointerType === 'touch') return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const { left } = placeOf(event);
          dragged.value = [left, left];
        }}
        onPointerMove={(event) => {
          const pointer = placeOf(event);
          if (dragged.value) dragged.value = [dragged.value[0], pointer.left];
          onPoint(pointer, frame());
        }}
        onPointerUp={drop}
        onPointerCancel={() => (dragged.value = undefined)}
        onPointerLeave={() => onPoint(undefined, frame())}
        onDblClick={() => (zoom.value = undefined)}
      />
      {from !== undefined && to !== undefined && (
        <div class="chart-dragged" style={{ left: `${Math.min(from, to)}px`, width: `${Math.abs(to - from)}px` }} />
      )}
    </div>
  );
}
