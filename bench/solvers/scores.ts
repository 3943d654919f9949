/** Scores of plays: geometric means of runs, where an unsolved play counts twice its budget. */

export function costOf(play: { readonly runs: number; readonly solved: boolean }, budget: number): number {
  return play.solved ? play.runs : 2 * budget;
}

/** NaN when there are no values. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
