/** The axes of the parallel coordinates: one for each input and output that is shown. Needs no browser. */

import type { Columns, Head } from '../../../../presentation/columns.ts';
import { type Span, spanOf } from '../../../../presentation/distances.ts';
import { short, titled } from '../../../../presentation/formats.ts';
import { type AxisScale, ticksOn, valueAt } from '../../../../presentation/scales.ts';
import { inputNames, inputText, outputNames } from '../../../../presentation/values.ts';

/** x3 is the input with the number 3, y0 the first output. */
export type AxisKey = `${'x' | 'y'}${number}`;

export interface Axis {
  readonly key: AxisKey;
  /** With its unit. */
  readonly title: string;
  readonly scale: AxisScale;
  readonly column: Float64Array;
  readonly ticks: readonly number[];
  /** The target interval of an output; null: no end. */
  readonly wanted: { readonly lower: number | null; readonly upper: number | null } | undefined;
  /** Numbers of the categories, empty unless the input has some. */
  readonly categories: readonly string[];
  textOf(value: number): string;
}

/** Shown of the inputs, and as many of the outputs, until others are chosen. */
export const SHOWN_AT_FIRST = 12;
const TICKS = 5;

export function isInput(key: AxisKey): boolean {
  return key.startsWith('x');
}

export function numberOf(key: AxisKey): number {
  return Number(key.slice(1));
}

export function nameOf(head: Head, key: AxisKey): string {
  return (isInput(key) ? inputNames(head) : outputNames(head))[numberOf(key)]!;
}

export function unitOf(head: Head, key: AxisKey): string | undefined {
  return (isInput(key) ? head.inputUnits : head.outputUnits)?.[numberOf(key)] ?? undefined;
}

/** With its unit. */
export function titleOf(head: Head, key: AxisKey): string {
  return titled(nameOf(head, key), unitOf(head, key));
}

/** All of them, inputs first. */
export function allKeys(head: Pick<Head, 'minimums' | 'objectives'>): readonly AxisKey[] {
  const keys = (letter: 'x' | 'y', count: number) => Array.from({ length: count }, (_, i): AxisKey => `${letter}${i}`);
  return [...keys('x', head.minimums.length), ...keys('y', head.objectives.length)];
}

/** The most sensitive inputs, by the sum of their shares over all outputs, and the worst outputs; both in their own order. */
export function keysAtFirst(head: Head, worstFirst: readonly number[]): readonly AxisKey[] {
  const shares = head.minimums.map(() => 0);
  for (const { sensitivity } of head.insight?.outputs ?? []) {
    sensitivity?.forEach((share, i) => {
      shares[i]! += share;
    });
  }
  const inputs = shares.map((_, i) => i).sort((a, b) => shares[b]! - shares[a]! || a - b);
  const first = (numbers: readonly number[]) => numbers.slice(0, SHOWN_AT_FIRST).sort((a, b) => a - b);
  return [...first(inputs).map((i): AxisKey => `x${i}`), ...first(worstFirst).map((j): AxisKey => `y${j}`)];
}

export function makeAxis(head: Head, columns: Columns, key: AxisKey): Axis {
  return isInput(key) ? inputAxis(head, columns, numberOf(key)) : outputAxis(head, columns, numberOf(key));
}

function inputAxis(head: Head, columns: Columns, i: number): Axis {
  const low = head.minimums[i]!;
  const high = head.maximums[i]!;
  const type = head.inputTypes[i]!;
  const column = columns.inputs[i]!;
  // Runs from other sources may be outside the bounds.
  const seen = spanOf(column) ?? { low, high };
  const span = { low: Math.min(low, seen.low), high: Math.max(high, seen.high) };
  const scale = { ...span, isLog: head.scales?.[i] === 'log' && span.low > 0 };
  const isWhole = type === 'category' || type === 'boolean';
  return {
    key: `x${i}`,
    title: titleOf(head, `x${i}`),
    scale,
    column,
    ticks: isWhole ? wholeNumbers(scale) : ticksOn(scale, TICKS).filter((tick) => type === 'float' || tick % 1 === 0),
    wanted: undefined,
    categories: isWhole ? wholeNumbers(scale).map((value) => inputText(head, i, value)) : [],
    textOf: (value) => inputText(head, i, value),
  };
}

function wholeNumbers({ low, high }: Span): readonly number[] {
  return Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, i) => Math.ceil(low) + i);
}

function outputAxis(head: Head, columns: Columns, j: number): Axis {
  const column = columns.outputs[j]!;
  const { lower, upper } = head.intervals[j]!;
  const ends = [lower, upper].filter((end): end is number => end !== null && Math.abs(end) < 1e307);
  const seen = spanOf(column);
  const known = [
    ...ends,
    ...(seen ? [seen.low, seen.high] : []),
    ...(ends.length + Number(seen !== undefined) ? [] : [0]),
  ];
  const scale = { low: Math.min(...known), high: Math.max(...known), isLog: false };
  return {
    key: `y${j}`,
    title: titleOf(head, `y${j}`),
    scale,
    column,
    ticks: ticksOn(scale, TICKS),
    wanted: { lower, upper },
    categories: [],
    textOf: short,
  };
}

/** The value at a position from 0 to 1; of a category the nearest one. */
export function valueOn({ scale, categories }: Axis, position: number): number {
  const value = valueAt(scale, Math.min(1, Math.max(0, position)));
  return categories.length > 0 ? Math.round(value) : value;
}
