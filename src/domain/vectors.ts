import { makeViolation, type Violation, type ViolationPath } from './errors.ts';

/** -0 becomes 0: JSON does not keep it, and a stored history must read back as the same bytes. */
export function toPositiveZero(value: number): number {
  return value + 0;
}

export function withoutNegativeZero(values: readonly number[]): number[] {
  return values.map(toPositiveZero);
}

/** Keeps a computed value representable in JSON: the difference of two finite doubles may overflow. */
export function toFinite(value: number): number {
  if (value > Number.MAX_VALUE) return Number.MAX_VALUE;
  return Math.max(value, -Number.MAX_VALUE);
}

/** Sum of absolute values, finite. */
export function absoluteSum(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += Math.abs(value);
  return toFinite(sum);
}

export function areEqualVectors(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** The violation when `values` does not have `length` entries; `what` completes "needs one value per ...". */
export function checkLength(
  path: ViolationPath,
  values: { readonly length: number },
  length: number,
  what: string,
): readonly Violation[] {
  if (values.length === length) return [];
  return [makeViolation(path, `must have one value per ${what} (${length}), has ${values.length}.`)];
}
