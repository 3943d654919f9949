/** Sorts the table of runs. Needs no browser. */
import { type Columns, type RunState, stateOf } from '../../../../presentation/columns.ts';
import { isFit } from '../../../../presentation/distances.ts';
import { sourceOrder } from '../../../../presentation/others.ts';
import { type AxisKey, isInput, numberOf } from './axes.ts';
import type { JudgedAll } from './judged.ts';

export type SortKey = 'iteration' | 'source' | 'state' | 'met' | 'distance' | AxisKey;

const STATES: readonly RunState[] = ['met', 'loaded', 'waiting', 'computing', 'failed', 'given up', 'summary'];

/** One number per row, NaN where there is none. */
export function valuesFor({ run, distances, others }: JudgedAll, key: SortKey): ArrayLike<number> {
  const columns = run.columns.value;
  // Runs of other objectives precede iteration 1.
  if (key === 'iteration') return columns.iterations.map((_, row) => row);
  if (key === 'source') return sourceOrder(others.value, columns.count);
  if (key === 'state') return statesOf(columns);
  if (key === 'met') return distances.value.metCounts;
  if (key === 'distance') return isFit(run.head.value) ? columns.misfits : distances.value.worst;
  return (isInput(key) ? columns.inputs : columns.outputs)[numberOf(key)]!;
}

function statesOf(columns: Columns): ArrayLike<number> {
  return Uint8Array.from({ length: columns.count }, (_, row) => STATES.indexOf(stateOf(columns, row)));
}
