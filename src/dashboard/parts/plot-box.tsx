/** The box of a chart: uPlot draws its axes, follows the pointer and zooms in on a dragged range; the series are painted between them. */
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './chart.css';
import {
  type Drawing,
  type PlotColours,
  type Range,
  rangeOf,
  type Tick,
  ticksIn,
  valueIn,
} from '../../presentation/plot.ts';
import { colours } from './colours.ts';
import { type Plane, paintGround, paintSeries } from './plot-painter.ts';

const TICK_PX = { x: 80, y: 26 };
/** Room for numbers, and for names. */
const AXIS_PX = { x: 28, y: 58 };
const LABEL_PX = 22;
/** Further away the pointer is at no point. In CSS pixels. */
const NEAR_PX = 24;

interface Props {
  /** Pass a new object to redraw the chart. */
  readonly drawing: Drawing;
  /** In CSS pixels. */
  readonly height: number;
  /** A description of the chart in words. */
  readonly label: string;
  /** The visible part of the x axis; undefined shows all. Absent: it cannot be zoomed. */
  readonly zoom?: Signal<Range | undefined> | undefined;
  /** Called with the row of the point that is pointed at; undefined for none. */
  onPoint?(row: number | undefined): void;
  /** Called with the value on the x axis that is pointed at; undefined when the pointer leaves. */
  onMove?(x: number | undefined): void;
  onPick?(row: number): void;
}

export function PlotBox(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(undefined);
  const { drawing, zoom, height, label } = props;
  const shown = zoom?.value;
  const palette = colours.value;
  const now = { ...props, colours: palette };
  useEffect(() => {
    const made = new Plot(box.current!, now);
    plot.current = made;
    return () => made.close();
  }, []);
  useEffect(() => plot.current?.show(now), [drawing, height, palette, shown?.from, shown?.to]);
  plot.current?.hear(props);
  return <div ref={box} class="chart" role="img" aria-label={label} style={{ height: `${height}px` }} />;
}

type Shown = Props & { readonly colours: PlotColours };

/** A plot in a box, as wide as it. */
class Plot {
  readonly #box: HTMLElement;
  readonly #observer: ResizeObserver;
  #shown: Shown;
  #plot: UPlot | undefined;

  constructor(box: HTMLElement, shown: Shown) {
    this.#box = box;
    this.#shown = shown;
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(box);
  }

  /** Takes new callbacks without drawing. */
  hear({ onPoint, onMove, onPick }: Pick<Props, 'onPoint' | 'onMove' | 'onPick'>): void {
    this.#shown = { ...this.#shown, onPoint, onMove, onPick } as Shown;
  }

  show(shown: Shown): void {
    const before = this.#shown;
    this.#shown = shown;
    const isAlike = before.colours === shown.colours && before.height === shown.height && areAxesAlike(before, shown);
    if (this.#plot !== undefined && isAlike) {
      this.#place();
      return;
    }
    this.#plot?.destroy();
    this.#plot = undefined;
    this.#fit();
  }

  close(): void {
    this.#observer.disconnect();
    this.#plot?.destroy();
  }

  #fit(): void {
    const width = this.#box.clientWidth;
    if (width === 0) return;
    const { height } = this.#shown;
    if (this.#plot === undefined) this.#plot = new UPlot(this.#options(width, height), [[0, 1]], this.#box);
    else this.#plot.setSize({ width, height });
    this.#place();
  }

  /** Sets both axes, which draws. */
  #place(): void {
    const { drawing, zoom } = this.#shown;
    const [x, y] = [zoom?.peek() ?? rangeOf(drawing, 'x'), rangeOf(drawing, 'y')];
    const plot = this.#plot!;
    plot.batch(() => {
      plot.setScale('x', { min: x.from, max: x.to });
      plot.setScale('y', { min: y.from, max: y.to });
      plot.redraw(false, true);
    });
  }

  #options(width: number, height: number): UPlot.Options {
    const { drawing, zoom, colours: palette } = this.#shown;
    const reset = () => {
      if (this.#shown.zoom) this.#shown.zoom.value = undefined;
      return null;
    };
    return {
      ...{ width, height, pxAlign: false, padding: [10, 14, 0, 0] },
      scales: { x: scaleFor(drawing, 'x'), y: scaleFor(drawing, 'y') },
      series: [{}],
      axes: [this.#axis('x', palette), this.#axis('y', palette)],
      legend: { show: false },
      cursor: {
        points: { show: false },
        drag: { x: zoom !== undefined, y: false, setScale: false },
        bind: { dblclick: () => reset },
      },
      hooks: {
        drawClear: [(plot) => paintGround(planeOf(plot), this.#shown.drawing, palette)],
        draw: [(plot) => paintSeries(planeOf(plot), this.#shown.drawing)],
        setSelect: [(plot) => this.#zoomIn(plot)],
        setCursor: [(plot) => this.#follow(plot)],
        init: [(plot) => plot.over.addEventListener('click', () => this.#pick(plot))],
      },
    };
  }

  #axis(axis: 'x' | 'y', { text, line, font }: PlotColours): UPlot.Axis {
    let ticks: readonly Tick[] = [];
    return {
      stroke: text,
      font: `12px ${font}`,
      labelFont: `12px ${font}`,
      ...(this.#shown.drawing[axis].label !== '' && { label: this.#shown.drawing[axis].label }),
      labelSize: LABEL_PX,
      labelGap: 0,
      gap: 4,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 4 },
      size: AXIS_PX[axis],
      splits: (plot, _, from, to) => {
        const length = (axis === 'x' ? plot.bbox.width : plot.bbox.height) / devicePixelRatio;
        ticks = ticksIn(this.#shown.drawing[axis], { from, to }, Math.max(3, Math.floor(length / TICK_PX[axis])));
        return ticks.map(({ at }) => at);
      },
      filter: (_, splits) => splits,
      values: () => ticks.map((tick) => tick.text),
    };
  }

  #zoomIn(plot: UPlot): void {
    const { left, width } = plot.select;
    const { zoom } = this.#shown;
    if (zoom === undefined || width < 4) return;
    const range = { from: plot.posToVal(left, 'x'), to: plot.posToVal(left + width, 'x') };
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (range.from < range.to) zoom.value = range;
  }

  #follow(plot: UPlot): void {
    const { onMove, onPoint } = this.#shown;
    const { left = -1 } = plot.cursor;
    onMove?.(left < 0 ? undefined : plot.posToVal(left, 'x'));
    onPoint?.(this.#near(plot));
  }

  #pick(plot: UPlot): void {
    const row = this.#near(plot);
    if (row !== undefined) this.#shown.onPick?.(row);
  }

  /** The row of the nearest point. */
  #near(plot: UPlot): number | undefined {
    const { left = -1, top = -1 } = plot.cursor;
    if (left < 0 || top < 0) return undefined;
    const { x, y, left: x0, top: y0, ratio } = planeOf(plot);
    let least = NEAR_PX ** 2;
    let found: number | undefined;
    for (const { xs, ys, rows, shape } of this.#shown.drawing.series) {
      if (rows === undefined) continue;
      for (let i = 0; i < rows.length; i++) {
        const [at, value] = [valueIn(xs, i), shape === 'top-cross' ? 0 : valueIn(ys, i)];
        if (at === null || value === null) continue;
        const across = (x(at) - x0) / ratio - left;
        const down = shape === 'top-cross' ? 6 - top : (y(value) - y0) / ratio - top;
        const square = across * across + down * down;
        if (square < least) [least, found] = [square, rows[i]!];
      }
    }
    return found;
  }
}

/** Whether two charts have the same axes, so that only what is between them differs. */
function areAxesAlike({ drawing: a }: Shown, { drawing: b }: Shown): boolean {
  const isAlike = (axis: 'x' | 'y') =>
    a[axis].label === b[axis].label && Boolean(a[axis].isLog) === Boolean(b[axis].isLog);
  return isAlike('x') && isAlike('y');
}

function scaleFor(drawing: Drawing, axis: 'x' | 'y'): UPlot.Scale {
  const { from, to } = rangeOf(drawing, axis);
  // As it is set: uPlot would round the ends.
  const range = (_: UPlot, min: number, max: number): UPlot.Range.MinMax => [min, max];
  return { time: false, auto: false, distr: drawing[axis].isLog ? 3 : 1, range, min: from, max: to };
}

function planeOf(plot: UPlot): Plane {
  const { left, top, width, height } = plot.bbox;
  // Far values would be far outside of what a canvas can draw.
  const within = (place: number, low: number, high: number) => Math.max(low - 1e4, Math.min(high + 1e4, place));
  const [x, y] = (['x', 'y'] as const).map((axis) => {
    const { min = 0, max = 1, distr } = plot.scales[axis]!;
    if (distr !== 3) return (value: number) => (value - min!) / (max! - min!);
    const [low, span] = [Math.log(min!), Math.log(max!) - Math.log(min!)];
    return (value: number) => (value > min! ? (Math.log(value) - low) / span : 0);
  });
  return {
    context: plot.ctx,
    ...{ left, top, width, height, ratio: devicePixelRatio },
    x: (value) => within(left + x!(value) * width, left, left + width),
    y: (value) => within(top + (1 - y!(value)) * height, top, top + height),
  };
}
