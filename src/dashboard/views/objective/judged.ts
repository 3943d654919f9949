/** What follows from the runs, computed once for all parts of the view. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { type Distances, measureRuns, worstFirst } from './distances.ts';
import type { Run } from './history.ts';

export interface Judged {
  readonly run: Run;
  readonly distances: ReadonlySignal<Distances>;
  /** Outputs, the worst of the best run first. */
  readonly order: ReadonlySignal<readonly number[]>;
}

export function judge(run: Run): Judged {
  return {
    run,
    distances: computed(() => measureRuns(run.head.value, run.columns.value)),
    order: computed(() => worstFirst(run.head.value, run.head.value.bestOutput)),
  };
}
