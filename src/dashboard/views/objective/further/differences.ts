/** Describes how inputs differ from each other. Needs no browser. */

import type { Head } from '../../../../presentation/columns.ts';
import { short, withUnit } from '../../../../presentation/formats.ts';
import { inputNames, inputText } from '../../../../presentation/values.ts';

type Inputs = Pick<Head, 'inputTypes' | 'categories' | 'minimums' | 'maximums' | 'inputNames' | 'inputUnits'>;

/** One per input: the difference as a share of its range, 1 for another category. */
function shares({ inputTypes, minimums, maximums }: Inputs, from: readonly number[], to: readonly number[]) {
  return from.map((value, i) => {
    if (inputTypes[i] === 'category') return value === to[i] ? 0 : 1;
    return Math.abs(to[i]! - value) / (maximums[i]! - minimums[i]! || 1);
  });
}

/** As the service measures how far solutions lie apart: the root mean square of the shares. */
export function distanceBetween(inputs: Inputs, from: readonly number[], to: readonly number[]): number {
  return Math.sqrt(shares(inputs, from, to).reduce((sum, share) => sum + share * share, 0) / from.length);
}

/** Differences that are told, the largest first, and from which share of the range on. */
const TOLD = 3;
const LEAST = 0.01;

/** For example "Alloy C, Length +2.1 m"; "hardly" where no input differs much. */
export function describeDifference(inputs: Inputs, from: readonly number[], to: readonly number[]): string {
  const all = shares(inputs, from, to);
  const largest = [...all.keys()].filter((i) => all[i]! >= LEAST).sort((a, b) => all[b]! - all[a]!);
  const names = inputNames(inputs);
  const texts = largest.slice(0, TOLD).map((i) => {
    const type = inputs.inputTypes[i];
    if (type === 'category' || type === 'boolean') return `${names[i]} ${inputText(inputs, i, to[i]!)}`;
    const by = to[i]! - from[i]!;
    return `${names[i]} ${by > 0 ? '+' : ''}${withUnit(short(Number(by.toPrecision(3))), inputs.inputUnits?.[i])}`;
  });
  return texts.length === 0 ? 'hardly' : texts.join(', ');
}
