/** Positions and ticks on an axis. Needs no browser. */

import type { Span } from './distances.ts';
import { powersOf, ticksOf } from './ticks.ts';

export interface AxisScale extends Span {
  readonly isLog: boolean;
}

/** 0 at the low end, 1 at the high one. On a log axis, values that are not positive are at the low end. */
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

/** Round values within the scale, ascending; powers of ten on a log axis. */
export function ticksOn({ low, high, isLog }: AxisScale, count: number): readonly number[] {
  if (!(high > low)) return [low];
  return isLog ? powersOf(low, high) : ticksOf(low, high, count);
}

/** Lower end of a log axis: the power of ten at or under the smallest positive value, not more than 12 decades down. */
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
