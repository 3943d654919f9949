/** Numbers and times as people read them. Needs no browser. */

/** Significant digits of displayed numbers. */
export const DIGITS = 5;

/** At most five significant digits; without an exponent from 0.0001 up to 10 million. Can be typed back: it has no marks between thousands. */
export function short(value: number): string {
  return withDigits(value, DIGITS);
}

function withDigits(value: number, digits: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const rounded = Number(value.toPrecision(digits));
  if (size >= 1e7 || size < 1e-4) return rounded.toExponential().replace('e+', 'e').replace('-', '−');
  return rounded.toLocaleString('en-US', { maximumSignificantDigits: digits, useGrouping: false }).replace('-', '−');
}

/** Formats a distance from a target: three digits say how much is missing. */
export function rough(value: number): string {
  return withDigits(value, 3);
}

/** The text with a capital, as at the beginning of a sentence. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A whole number with narrow spaces between its thousands, which the page reads back, too: commas would be decimal signs. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US').replaceAll(',', '\u202f');
}

/** A number of things in words, for example "1 run" or "1 036 runs". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** The target of an output that is fitted to a measured value; null: a gap. */
export function near(value: number | null): string {
  return value === null ? 'no measured value' : `near ${short(value)}`;
}

/** With its unit, if it has one. */
export function withUnit(text: string, unit: string | null | undefined): string {
  return unit === null || unit === undefined || unit === '' ? text : `${text} ${unit}`;
}

/** A name with its unit in brackets, for axes and headers. */
export function titled(name: string, unit: string | null | undefined): string {
  return unit === null || unit === undefined || unit === '' ? name : `${name} (${unit})`;
}

/** Names of columns; default: x1, x2 and y1, y2. */
export function namesOf(names: readonly string[] | null, letter: 'x' | 'y', count: number): readonly string[] {
  return names ?? Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
}

export interface Ends {
  readonly lower: number | null;
  readonly upper: number | null;
  readonly lowerOpen: boolean;
  readonly upperOpen: boolean;
}

/** The values that meet a target, for example "9.9 … 10.1", "≤ 20" or "> 3". */
export function wanted({ lower, upper, lowerOpen, upperOpen }: Ends): string {
  if (lower === null && upper === null) return 'any value';
  if (lower === null) return `${upperOpen ? '<' : '≤'} ${short(upper!)}`;
  if (upper === null) return `${lowerOpen ? '>' : '≥'} ${short(lower)}`;
  return lower === upper ? short(lower) : `${short(lower)} … ${short(upper)}`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The age in the largest unit that fits. */
export function ago(then: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - then.getTime()) / 1_000));
  if (seconds < 5) return 'now';
  if (seconds < MINUTE) return `${seconds} s ago`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  const days = Math.floor(seconds / DAY);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}

/** The time of day, in the reader's zone. */
export function clock(time: Date): string {
  return time.toLocaleTimeString();
}

/** Day and time, in the reader's zone. */
export function dayAndTime(time: Date): string {
  return time.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
