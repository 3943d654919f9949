/** Conclusions from the runs, computed once for all parts of the view. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { joinColumns } from '../../../../presentation/columns.ts';
import { type Distances, measureRuns, worstFirst } from '../../../../presentation/distances.ts';
import type { Others } from '../../../../presentation/others.ts';
import type { Run } from './history.ts';

export interface Judged {
  readonly run: Run;
  readonly distances: ReadonlySignal<Distances>;
  /** Outputs, the worst of the best run first. */
  readonly order: ReadonlySignal<readonly number[]>;
}

/** Judgement of all runs of the trial: rows of the others come first, then the objective's own. */
export interface JudgedAll extends Judged {
  readonly others: ReadonlySignal<Others>;
}

export function judgeAll({ run, order }: Judged, others: ReadonlySignal<Others>): JudgedAll {
  const columns = computed(() => joinColumns(others.value.columns, run.columns.value));
  const distances = computed(() =>
    measureRuns(columns.value, run.head.value.objectiveTypes, run.head.value.objectives),
  );
  return { run: { ...run, columns }, order, distances, others };
}

export function judge(run: Run): Judged {
  return {
    run,
    distances: computed(() => measureRuns(run.columns.value, run.head.value.objectiveTypes, run.head.value.objectives)),
    order: computed(() => worstFirst(run.head.value)),
  };
}
