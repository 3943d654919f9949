/** How large the cases of a project or of a set may be. */
import { makeViolation, type Violation } from './errors.ts';

/** What one project may hold; 0 means any number. */
export interface CaseLimits {
  /** Rows. */
  readonly cases: number;
  /** Rows x columns. */
  readonly cells: number;
}

export const NO_CASE_LIMITS: CaseLimits = { cases: 0, cells: 0 };

/** What is wrong with `rows` cases of `columns` numbers on this service, as the rule of `field`. */
export function checkCaseLimits(
  field: string,
  rows: number,
  columns: number,
  { cases, cells }: CaseLimits,
): readonly Violation[] {
  if (cases !== 0 && rows > cases) {
    return [makeViolation([field], `must have at most ${cases} cases on this service, has ${rows}.`)];
  }
  if (cells === 0 || rows * columns <= cells) return [];
  const most = Math.floor(cells / columns);
  const message = `must have at most ${most} cases of ${columns} numbers on this service (${cells} numbers in all), has ${rows}.`;
  return [makeViolation([field], message)];
}
