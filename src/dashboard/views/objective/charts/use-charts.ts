/** State that all charts of an objective share. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { areFew } from '../../../../presentation/others.ts';
import type { Range } from '../../../../presentation/plot.ts';
import { placesOf, type RunsOfTrial, rowsByKind } from '../../../../presentation/run-points.ts';
import type { JudgedAll } from '../state/judged.ts';

export interface ChartData {
  readonly all: JudgedAll;
  readonly runs: ReadonlySignal<RunsOfTrial>;
  /** Positions on the axis of runs. */
  readonly places: ReadonlySignal<Float64Array>;
  readonly showsOthers: ReadonlySignal<boolean>;
  /** undefined: few are shown, many are not. */
  readonly choice: Signal<boolean | undefined>;
  readonly rows: ReadonlySignal<ReturnType<typeof rowsByKind>>;
  /** Zoom of the axis of runs in all charts. */
  readonly zoom: Signal<Range | undefined>;
}

export function makeChartData(all: JudgedAll): ChartData {
  const runs = computed((): RunsOfTrial => {
    const columns = all.run.columns.value;
    const otherCount = all.others.value.sources.length;
    return { columns, otherCount, best: bestRow(all) };
  });
  const choice = signal<boolean | undefined>(undefined);
  const showsOthers = computed(() => {
    const { columns, otherCount } = runs.value;
    return choice.value ?? areFew(otherCount, columns.count - otherCount);
  });
  return {
    all,
    runs,
    places: computed(() => placesOf(runs.value)),
    showsOthers,
    choice,
    rows: computed(() => rowsByKind(runs.value, showsOthers.value)),
    zoom: signal<Range | undefined>(undefined),
  };
}

function bestRow({ run, others }: JudgedAll): number {
  const { bestIteration, bestCaseNumber } = run.head.value;
  const { sources } = others.value;
  if (bestIteration !== null) return run.columns.value.iterations.indexOf(bestIteration, sources.length);
  return sources.findIndex(({ objectiveId, number }) => objectiveId === null && number === bestCaseNumber);
}
