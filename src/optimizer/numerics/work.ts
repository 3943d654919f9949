/**
 * Counted work, in units of one million floating point operations. Counting replaces the clock: a limit reached here
 * is reached at the same place on every machine.
 */
export interface Work {
  spent: number;
  readonly limit: number;
}

/** True when at least `share` (0 to 1) of the limit is used. */
export function isSpent(work: Work, share: number): boolean {
  return work.spent >= share * work.limit;
}
