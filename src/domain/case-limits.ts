/** Limits on the number of cases, and of numbers in them. */
import { makeViolation, type Violation } from './errors.ts';

/** The most that one project may hold; 0 means no limit. */
export interface CaseLimits {
  /** Rows. */
  readonly cases: number;
  /** Rows x columns. */
  readonly cells: number;
}

export const NO_CASE_LIMITS: CaseLimits = { cases: 0, cells: 0 };

/** The violation, at `field`, of `rows` cases of `columns` numbers each that exceed the limits. */
export function checkCaseLimits(
  field: string,
  rows: number,
  columns: number,
  { cases, cells }: CaseLimits,
): readonly Violation[] {
  if (cases !== 0 && rows > cases) {
    return [makeViolation([field], `must have at most ${cases} cases, has ${rows}.`)];
  }
  if (cells === 0 || rows * columns <= cells) return [];
  const most = Math.floor(cells / columns);
  const message = `must have at most ${most} cases of ${columns} numbers (${cells} numbers in all), has ${rows}.`;
  return [makeViolation([field], message)];
}
