import type { SuggestRequest } from './problem.ts';
import { type Coding, encode } from './space.ts';
import { type Interval, merits } from './targets.ts';

/** The successful runs of a history, encoded. */
export interface Cases {
  readonly N: number;
  /** N x p. */
  readonly U: Float64Array;
  /** N x m. */
  readonly Y: Float64Array;
  /** Row of the history of each case. */
  readonly rows: readonly number[];
  readonly merit: Float64Array;
}

/** Collects the runs that have finite outputs. */
export function collectCases({ history }: SuggestRequest, coding: Coding, intervals: readonly Interval[]): Cases {
  const m = intervals.length;
  const rows: number[] = [];
  for (let i = 0; i < history.count; i++) {
    if (history.failed[i] === 0 && history.Y.subarray(i * m, (i + 1) * m).every(Number.isFinite)) rows.push(i);
  }
  const N = rows.length;
  const U = new Float64Array(N * coding.p);
  const Y = new Float64Array(N * m);
  rows.forEach((row, i) => {
    encode(coding, history.X, row * coding.n, U, i * coding.p);
    Y.set(history.Y.subarray(row * m, (row + 1) * m), i * m);
  });
  return { N, U, Y, rows, merit: merits(intervals, Y, N) };
}
