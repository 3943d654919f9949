/** Says in words what the data of a fit tell about its inputs, beside the words of the service. Needs no browser. */
import type { FitParameters } from '../../clients/typescript/src/index.ts';
import type { Head } from './columns.ts';
import { short } from './formats.ts';
import { inputNames, inputText } from './values.ts';

export type FoundFit = NonNullable<FitParameters['fit']>;
export type FoundParameter = FoundFit['parameters'][number];

/** Weaker correlations are not told, and at most so many. */
const STRONG = 0.7;
const TOLD = 6;

const KINDS: Readonly<Record<FoundParameter['kind'], string>> = {
  identifiable: 'identifiable',
  'practically-not': 'practically not identifiable',
  'structurally-not': 'structurally not identifiable',
  held: 'held at its value',
};

export function classText({ kind, lowEnd, highEnd }: FoundParameter): string {
  const ends = [lowEnd, highEnd];
  return ends.includes('not-known') && !ends.includes('bound') ? 'not known' : KINDS[kind];
}

/** For example "1.92 … 2.07" or "≥ 3"; an end at a bound is open, and one that is not known is said to be so. */
export function intervalText(head: Head, parameter: FoundParameter): string {
  const { kind, lowEnd, highEnd } = parameter;
  if (kind === 'held') return '–';
  if (lowEnd === 'not-known' && highEnd === 'not-known') return 'not known';
  const known = knownText(head, parameter);
  if (lowEnd === 'not-known') return `${known} (lower end not known)`;
  return highEnd === 'not-known' ? `${known} (upper end not known)` : known;
}

function knownText(head: Head, { input, low, high }: FoundParameter): string {
  const text = (value: number) => (Number.isInteger(value) ? inputText(head, input, value) : short(value));
  if (low !== null && high !== null) return `${text(low)} … ${text(high)}`;
  if (low !== null) return `≥ ${text(low)}`;
  return high === null ? 'no value is excluded' : `≤ ${text(high)}`;
}

/** Pairs of inputs whose estimates go together, the strongest first. */
export function correlationTexts(
  head: Pick<Head, 'inputNames' | 'minimums'>,
  correlations: FoundFit['correlations'],
): readonly string[] {
  const names = inputNames(head);
  const pairs = correlations.flatMap((row, i) =>
    row.slice(0, i).flatMap((value, j) => (value !== null && Math.abs(value) >= STRONG ? [{ i, j, value }] : [])),
  );
  pairs.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return pairs.slice(0, TOLD).map(({ i, j, value }) => {
    const other = value > 0 ? 'larger' : 'smaller';
    return `A larger ${names[j]} goes with a ${other} ${names[i]}: their correlation is ${short(Number(value.toFixed(2)))}.`;
  });
}

/** Places of a profile in its chart, from 0 at the left and at the top to 1. */
export interface ProfileShape {
  /** Corners of the line, left to right. */
  readonly line: readonly { readonly x: number; readonly y: number }[];
  readonly threshold: number;
  readonly estimate: number;
}

/** The upper end of the chart, in thresholds: profiles end at 1. */
const HIGHEST = 1.25;

/** undefined for an input without a profile. */
export function profileShape(
  { profile, estimate }: FoundParameter,
  threshold: number,
  isLog: boolean,
): ProfileShape | undefined {
  if (profile.length < 2) return undefined;
  const scale = (value: number) => (isLog ? Math.log(value) : value);
  const [first, last] = [scale(profile[0]!.value), scale(profile.at(-1)!.value)];
  const x = (value: number) => Math.min(1, Math.max(0, (scale(value) - first) / (last - first)));
  const y = (increase: number) => 1 - Math.min(1, Math.max(0, increase / (HIGHEST * threshold)));
  return {
    line: profile.map(({ value, increase }) => ({ x: x(value), y: y(increase) })),
    threshold: y(threshold),
    estimate: x(estimate),
  };
}
