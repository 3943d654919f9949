/** Limits on the number of cases, and of numbers in them. */
import { makeViolation, type Violation } from '../errors.ts';
import { refTerm } from '../messages.ts';

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

/** Cases of a trial, designed and added: what an objective learns from is read as a whole. */
const MAXIMUM_TRIAL_CASES = 100_000;

/** The violation when `added` further cases would give a trial that has `known` of them more than it may have. */
export function checkTrialCases(
  known: number,
  added: number,
  { inputCount, outputCount }: { readonly inputCount: number; readonly outputCount: number },
  { cells }: Pick<CaseLimits, 'cells'>,
): readonly Violation[] {
  const width = Math.max(inputCount, outputCount);
  const byNumbers = cells === 0 ? Number.POSITIVE_INFINITY : Math.floor(cells / width);
  const most = Math.min(MAXIMUM_TRIAL_CASES, byNumbers);
  if (known + added <= most) return [];
  const why =
    most === byNumbers
      ? `${cells} numbers at most in its inputs and in its outputs, and ${inputCount} inputs and ${outputCount} outputs`
      : `the limit of every ${refTerm('search', 'trial')}`;
  const message = `has ${added} new cases; the ${refTerm('search', 'trial')} has ${known} and may have ${most} (${why}). Send at most ${Math.max(0, most - known)}, those nearest to what you look for.`;
  return [makeViolation([], message)];
}
