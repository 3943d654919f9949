/** How far a value is from the ends of what is wanted. Needs no browser. */
import { type Ends, rough, withUnit } from '../../parts/formats.ts';
import { isInside } from './distances.ts';

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
