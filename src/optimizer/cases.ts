import type { SuggestRequest } from './problem.ts';
import { type Coding, encode } from './space.ts';
import { type Interval, merits, toIntervals } from './targets.ts';

/** The successful runs of a history, encoded. */
export interface Cases {
  readonly N: number;
  /** N x p. */
  readonly U: Float64Array;
  /** N x m. */
  readonly Y: Float64Array;
  /** Row of the history of each case. */
  readonly rows: readonly number[];
  /** Length m. */
  readonly intervals: readonly Interval[];
  readonly merit: Float64Array;
  /** Encoded inputs of the failed runs, one after the other. */
  readonly failedU: Float64Array;
}

/** Collects the runs that have finite outputs. */
export function collectCases({ history, goal }: SuggestRequest, coding: Coding): Cases {
  const m = goal.targets.length;
  const rows: number[] = [];
  const failed: number[] = [];
  for (let i = 0; i < history.count; i++) {
    const isUsable = history.failed[i] === 0 && history.Y.subarray(i * m, (i + 1) * m).every(Number.isFinite);
    (isUsable ? rows : failed).push(i);
  }
  const Y = new Float64Array(rows.length * m);
  rows.forEach((row, i) => {
    Y.set(history.Y.subarray(row * m, (row + 1) * m), i * m);
  });
  const encoded = (list: readonly number[]) => {
    const U = new Float64Array(list.length * coding.p);
    list.forEach((row, i) => {
      encode(coding, history.X, row * coding.n, U, i * coding.p);
    });
    return U;
  };
  const intervals = toIntervals(goal, Y, rows.length);
  const merit = merits(intervals, Y, rows.length);
  return { N: rows.length, U: encoded(rows), Y, rows, intervals, merit, failedU: encoded(failed) };
}
