/** Positions and ticks on an axis. Needs no browser. */
import type { Span } from './distances.ts';

export interface AxisScale extends Span {
  readonly isLog: boolean;
}

/** 0 at the low end, 1 at the high one. On a log axis what is not positive lies at the low end. */
export function positionOn({ low, high, isLog }: AxisScale, value: number): number {
  if (low === high) return 0.5;
  if (!isLog) return (value - low) / (high - low);
  return value <= low ? 0 : Math.log(value / low) / Math.log(high / low);
}

/** The value at a position. */
export function valueAt({ low, high, isLog }: AxisScale, position: number): number {
  if (low === high) return low;
  return isLog ? low * (high / low) ** position : low + position * (high - low);
}

/** Round values within the scale, ascending: powers of ten on a log axis of at least two decades. */
export function ticksOf(scale: AxisScale, count: number): readonly number[] {
  const { low, high } = scale;
  if (!(high > low)) return [low];
  if (scale.isLog && high / low >= 100) return decades(low, high, count);
  const step = roundStep((high - low) / Math.max(1, count));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Divided where it is a fraction, so that 3 steps of 0.1 are 0.3.
  return Array.from({ length: last - first + 1 }, (_, i) =>
    step < 1 ? (first + i) / Math.round(1 / step) : (first + i) * step,
  );
}

function decades(low: number, high: number, count: number): readonly number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
  const ticks: number[] = [];
  for (let power = first; power <= last; power += every) ticks.push(10 ** power);
  return ticks;
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = least / power;
  return power * (factor <= 1.0000001 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

/** Where a log axis ends below: the power of ten at or under the smallest positive value, not more than 12 decades down. */
export function logFloor(values: Iterable<number>): { readonly floor: number; readonly top: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (const value of values) {
    if (value > high && value < Number.POSITIVE_INFINITY) high = value;
    if (value > 0 && value < low) low = value;
  }
  if (high === 0) return { floor: 0.1, top: 1 };
  const top = 10 ** Math.min(308, Math.ceil(Math.log10(high) + 0.02));
  const least = Math.max(low, high * 1e-12, 1e-300);
  return { floor: 10 ** (Math.floor(Math.log10(least)) - 1), top };
}
