/** The names of runs in addresses: "7" is run 7 of the objective, "case-3" a case of its trial, "objective-12-run-2" a run of another. Needs no browser. */
import { rowOf } from '../../../../presentation/columns.ts';
import type { RunSource } from '../../../../presentation/others.ts';
import type { JudgedAll } from './judged.ts';

/**
 * @param number  of the case, or the iteration
 * @param source  undefined: a run of the objective itself
 */
export function runKey(number: number, source: Pick<RunSource, 'objectiveId'> | undefined): string {
  if (source === undefined) return String(number);
  return source.objectiveId === null ? `case-${number}` : `objective-${source.objectiveId}-run-${number}`;
}

/** The address key of the run in a row of all runs of the trial. */
export function keyAt({ run, others }: JudgedAll, row: number): string {
  return runKey(run.columns.value.iterations[row]!, others.value.sources[row]);
}

/** The row of the run among all of the trial; -1 where the page does not have it. */
export function rowOfKey({ run, others }: JudgedAll, key: string): number {
  const { sources } = others.value;
  const columns = run.columns.value;
  if (!/^\d+$/.test(key)) return sources.findIndex((source) => runKey(source.number, source) === key);
  // The others come first.
  const own = { iterations: columns.iterations.subarray(sources.length), count: columns.count - sources.length };
  const row = rowOf(own, Number(key));
  return row < 0 ? -1 : sources.length + row;
}

/** For example "run 7" or "case 3". */
export function nameAt({ run, others }: JudgedAll, row: number): string {
  return others.value.sources[row]?.name ?? `run ${run.columns.value.iterations[row]}`;
}
