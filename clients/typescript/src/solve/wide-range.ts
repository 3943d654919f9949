/** Finds the numbers that vary by factors if their scale is not stated. Needs no Node.js: the page decides by it as well. */
import { WIDE_RANGE } from '../generated/wide-range.ts';

/** A number as it is stated: null and undefined state nothing. */
export interface StatedNumber {
  readonly type: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly scale?: string | null | undefined;
  readonly step?: number | null | undefined;
  /** Ascending. */
  readonly levels?: readonly number[] | null | undefined;
}

/** 0.0003 to 0.3 is wide, although its quotient may be a little less. */
const ROUNDING = 1e-9;

/** A step says that differences matter; levels say it by how they are spaced. */
export function isLogByRange({ type, minimum, maximum, scale, step, levels }: StatedNumber): boolean {
  if (scale != null || step != null || (type !== 'float' && type !== 'integer')) return false;
  if (!(minimum > 0 && Number.isFinite(maximum) && maximum / minimum >= WIDE_RANGE * (1 - ROUNDING))) return false;
  const middle = levels?.[levels.length >> 1];
  if (middle === undefined) return true;
  const differences = (middle - minimum) / (maximum - minimum);
  const factors = Math.log(middle / minimum) / Math.log(maximum / minimum);
  return Math.abs(factors - 0.5) < Math.abs(differences - 0.5);
}

/** @param refusal  what to do about it, such as `state scale: 'linear' to refuse` */
export function describeLogByRange(
  name: string,
  { minimum, maximum }: Pick<StatedNumber, 'minimum' | 'maximum'>,
  refusal: string,
): string {
  const powers = Number((Math.log10(maximum) - Math.log10(minimum)).toFixed(1));
  return `${name} varies by factors (log scale), because its range spans ${powers} powers of ten; ${refusal}.`;
}
