/** Round values for the ticks of an axis. Needs no browser. */

import { DIGITS } from './formats.ts';

const TICKS = 6;

/** Round values from low to high, about as many as `count`; fewer where numbers as they are shown could not tell them apart. */
export function ticksOf(low: number, high: number, count = TICKS): readonly number[] {
  const finest = 10 ** (Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high)))) + 1 - DIGITS);
  const raw = Math.max((high - low) / count, finest);
  const size = 10 ** Math.floor(Math.log10(raw));
  const width = size * ([1, 2, 5, 10].find((factor) => factor * size >= raw * 0.999) ?? 10);
  const first = Math.ceil(low / width);
  const last = Math.floor(high / width);
  if (first > last) return [low];
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * width).toPrecision(12)));
}

/** Powers of ten from low to high, few enough for an axis; both ends where there are none. */
export function powersOf(low: number, high: number): readonly number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first + 1) / (TICKS + 2)));
  const powers = [];
  for (let power = first; power <= last; power += every) powers.push(Number(`1e${power}`));
  return powers.length > 1 ? powers : [low, high];
}
