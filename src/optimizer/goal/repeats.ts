/** The cases at one input. */
export interface Repeats {
  /** Numbers of the cases, ascending. */
  readonly members: readonly number[];
}

/**
 * The distinct inputs of N cases, in the order of their first runs.
 *
 * @param U N x p, encoded
 */
export function repeatsIn(U: Float64Array, p: number, N: number): Repeats[] {
  const known = new Map<string, number[]>();
  for (let i = 0; i < N; i++) {
    const key = U.subarray(i * p, (i + 1) * p).join();
    const members = known.get(key);
    if (members) members.push(i);
    else known.set(key, [i]);
  }
  return Array.from(known.values(), (members) => ({ members }));
}

/** The mean of a value over some cases, without an overflow of the sum. */
export function meanOf(members: readonly number[], value: (i: number) => number): number {
  return members.reduce((sum, i) => sum + value(i) / members.length, 0);
}
