/** Says in words what the model of an objective knows. Needs no browser. */
import type { Insight } from '../../../../../clients/typescript/src/index.ts';
import { short, withUnit } from '../../../../presentation/formats.ts';

export type OutputInsight = Insight['outputs'][number];
type Range = NonNullable<OutputInsight['sensitivityRanges']>[number];

/** Says how far its predictions of an output can be trusted. */
export function trustOf(
  { crossValidated: { r2, rmse }, derivatives, source }: OutputInsight,
  unit: string | null | undefined,
): string {
  if (r2 === null) return 'too few runs to say';
  const facts = `R² ${r2.toFixed(2).replace('-', '−')}`;
  const off = (value: number) => withUnit(short(Number(value.toPrecision(2))), unit);
  const without = [
    ...(derivatives?.rmseWithout == null ? [] : [`${off(derivatives.rmseWithout)} without derivatives`]),
    ...(source?.rmseWithout == null ? [] : [`${off(source.rmseWithout)} without the cheaper source`]),
  ].join(', ');
  const error = rmse === null ? '' : `, off by ${off(rmse)}${without && ` (${without})`}`;
  return `${ratingOf(r2)}: ${facts}${error}`;
}

function ratingOf(r2: number): string {
  if (r2 >= 0.95) return 'well known';
  if (r2 >= 0.8) return 'known';
  return r2 >= 0.5 ? 'roughly known' : 'too little known';
}

export interface Share {
  /** Zero-based number of the input. */
  readonly input: number;
  /** From 0 to 1. */
  readonly share: number;
  readonly range: Range;
}

/** The shares of all inputs, the largest first; undefined if the runs do not allow an estimate. */
export function sharesOf({ sensitivity, sensitivityRanges }: OutputInsight): readonly Share[] | undefined {
  if (sensitivity === null || sensitivityRanges === null) return undefined;
  const shares = sensitivity.map((share, input) => ({ input, share, range: sensitivityRanges[input]! }));
  return shares.sort((a, b) => b.share - a.share);
}

/** The inputs that are known to matter more than all that follow, the largest first. The order of the others is not known. */
export function knownOrder(shares: readonly Share[]): readonly Share[] {
  const known: Share[] = [];
  for (const [i, one] of shares.entries()) {
    if (shares.slice(i + 1).some(({ range }) => range.high >= one.range.low)) break;
    known.push(one);
  }
  return known;
}

/** For example "Length, then Passes", or "order not known". */
export function orderOf(shares: readonly Share[], names: readonly string[]): string {
  if (shares.length < 2) return '';
  const known = knownOrder(shares).map(({ input }) => names[input]!);
  if (known.length === 0) return 'order not known';
  if (known.length >= shares.length - 1) return shares.map(({ input }) => names[input]!).join(', then ');
  return `${known.join(', then ')}; then order not known`;
}

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** For example "40 to 60 %". */
export function percentRange({ low, high }: Range): string {
  const [from, to] = [Math.round(100 * low), Math.round(100 * high)];
  return from === to ? `${to} %` : `${from} to ${to} %`;
}
