/** The choices in the view: the visible inputs and outputs, and the ranges on them that select runs. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Columns } from '../../../../presentation/columns.ts';
import type { Range } from '../../../../presentation/plot.ts';
import { type AxisKey, isInput, keysAtFirst, numberOf } from './axes.ts';
import type { Judged } from './judged.ts';
import { countSelected, selectRows } from './order.ts';
import type { SortKey } from './sort.ts';

export interface Choice {
  /** In the order in which they are shown. */
  readonly keys: ReadonlySignal<readonly AxisKey[]>;
  /** The user's choice; undefined: the most important axes. */
  readonly chosenKeys: Signal<readonly AxisKey[] | undefined>;
  readonly ranges: Signal<ReadonlyMap<AxisKey, Range>>;
  /** 1 per selected row; undefined where no range is set, which selects all. */
  readonly selection: ReadonlySignal<Uint8Array | undefined>;
  readonly selectedCount: ReadonlySignal<number>;
  /** Sorting of the table of runs. */
  readonly sorting: Signal<Sorting>;
  /** The run that was opened last, as in its address; the table marks it. */
  readonly openedRun: Signal<string | undefined>;
  /** Whether the field that finds a run is to get the focus. */
  readonly seeksRun: Signal<boolean>;
}

export interface Sorting {
  readonly key: SortKey;
  readonly isDescending: boolean;
}

export function makeChoice({ run, order }: Judged): Choice {
  const chosenKeys = signal<readonly AxisKey[] | undefined>(undefined);
  const ranges = signal<ReadonlyMap<AxisKey, Range>>(new Map());
  /** Computed once: axes that move with every run cannot be read. */
  let first: readonly AxisKey[] | undefined;
  let hadInsight = false;
  const keys = computed(() => {
    const head = run.head.value;
    const hasInsight = head.insight !== null;
    if (first === undefined || (hasInsight && !hadInsight)) first = keysAtFirst(head, order.value);
    hadInsight = hasInsight;
    return chosenKeys.value ?? first;
  });
  const selection = computed(() => selectIn(run.columns.value, ranges.value));
  const selectedCount = computed(() =>
    selection.value === undefined ? run.columns.value.count : countSelected(selection.value),
  );
  const sorting = signal<Sorting>({ key: 'iteration', isDescending: true });
  const openedRun = signal<string | undefined>(undefined);
  return { keys, chosenKeys, ranges, selection, selectedCount, sorting, openedRun, seeksRun: signal(false) };
}

/** 1 for every row within all ranges; undefined without a range. */
export function selectIn(
  { count, inputs, outputs }: Columns,
  ranges: ReadonlyMap<AxisKey, Range>,
): Uint8Array | undefined {
  const columnOf = (key: AxisKey) => (isInput(key) ? inputs : outputs)[numberOf(key)]!;
  return selectRows(
    count,
    [...ranges].map(([key, range]) => ({ column: columnOf(key), range })),
  );
}

/** Sets the range on an axis, or takes it away. */
export function setRange({ ranges }: Choice, key: AxisKey, range: Range | undefined): void {
  const next = new Map(ranges.value);
  if (range === undefined) next.delete(key);
  else next.set(key, range.from <= range.to ? range : { from: range.to, to: range.from });
  ranges.value = next;
}
