/**
 * Work in units of one million floating point operations, counted approximately. It replaces the clock: every machine
 * reaches a limit at the same point of the computation.
 */
export interface Work {
  spent: number;
  readonly limit: number;
}

/** True when at least `share` (0 to 1) of the limit is spent. */
export function isSpent(work: Work, share: number): boolean {
  return work.spent >= share * work.limit;
}
