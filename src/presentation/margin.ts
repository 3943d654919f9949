/** Measures how far a value is from the ends of its target. Needs no browser. */

import type { Head } from './columns.ts';
import { isInside } from './distances.ts';
import { type Ends, near, rough, short, wanted, withUnit } from './formats.ts';

/** For example "0.3 kW inside", "1.2 kW above" or "at the limit"; empty where anything is wanted. */
export function marginText(ends: Ends, value: number, unit: string | null | undefined): string {
  const { lower, upper } = ends;
  if (lower === null && upper === null) return '';
  const below = lower === null ? Number.POSITIVE_INFINITY : value - lower;
  const above = upper === null ? Number.POSITIVE_INFINITY : upper - value;
  const margin = Math.min(below, above);
  if (margin === 0) return isInside(ends, value) ? 'at the limit' : 'just at the limit, which does not count';
  if (margin > 0) return `${withUnit(rough(margin), unit)} inside`;
  return `${withUnit(rough(-margin), unit)} ${above < 0 ? 'above' : 'below'}`;
}

/** Says in words what is wanted of an output. */
export function wantedText(
  head: Pick<Head, 'objectives' | 'objectiveTypes' | 'intervals' | 'l1Threshold'>,
  j: number,
): string {
  const [target, type] = [head.objectives[j]!, head.objectiveTypes[j]!];
  if (type === 'fit') return near(target);
  if (target === null) return `as ${type === 'minimize' ? 'small' : 'large'} as possible`;
  return head.l1Threshold === null ? wanted(head.intervals[j]!) : short(target);
}
