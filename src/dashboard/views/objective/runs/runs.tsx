/** All selected runs as a table, newest first by default. */

import { computed, type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { grouped } from '../../../parts/formats.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { explain } from '../../../shell/service.ts';
import { type Choice, selectIn } from '../choice.ts';
import { makeAxis } from '../coordinates/axes.ts';
import { isFit } from '../distances.ts';
import type { JudgedAll } from '../judged.ts';
import { orderRows } from '../order.ts';
import type { PartProps } from '../part.ts';
import { MOST_OTHERS, type OthersSource } from '../read-others.ts';
import { GoTo } from './go-to.tsx';
import { RunRow } from './run-row.tsx';
import { SaveRuns } from './save-runs.tsx';
import './runs.css';
import { type SortKey, valuesFor } from './sort.ts';

/** The row height of the style sheet. */
const ROW_PX = 34;
const BOX_PX = 480;
/** Rows above and below those that can be seen. */
const SPARE = 6;

interface Props {
  readonly judged: JudgedAll;
  readonly choice: Choice;
}

interface Sorting {
  readonly key: SortKey;
  readonly isDescending: boolean;
}

export function Runs({ judged: { run: own }, all: judged, source, choice }: PartProps) {
  const { run } = judged;
  const id = useId();
  const sorting = useSignal<Sorting>({ key: 'iteration', isDescending: true });
  const rows = useMemo(
    () =>
      computed(() => {
        const { key, isDescending } = sorting.value;
        const columns = run.columns.value;
        const values = valuesFor(judged, key);
        return orderRows(columns.count, { values, isDescending }, selectIn(columns, choice.ranges.value));
      }),
    [judged, choice],
  );
  const marked = useSignal<number | undefined>(undefined);
  const box = useRef<HTMLElement>(null);
  const isPart = choice.ranges.value.size > 0;
  const show = (row: number): boolean => {
    const place = rows.value.indexOf(row);
    if (place < 0) return false;
    marked.value = row;
    box.current!.scrollTop = Math.max(0, (place - 2) * ROW_PX);
    return true;
  };
  return (
    <section aria-labelledby={`${id}-title`}>
      <div class="section-head">
        <h2 id={`${id}-title`}>Runs</h2>
        <span class="hint" role="status">
          {isPart && `${grouped(rows.value.length)} of ${grouped(run.columns.value.count)} selected`}
        </span>
        <GoTo run={own} onFound={(row) => show(judged.others.value.sources.length + row)} />
        <span class="section-end">
          <SaveRuns run={own} />
        </span>
      </div>
      <OthersNotice source={source} />
      <VirtualTable box={box} judged={judged} choice={choice} rows={rows} sorting={sorting} marked={marked} />
    </section>
  );
}

function OthersNotice({ source }: { readonly source: OthersSource }) {
  if (source.failure.value !== undefined) {
    return (
      <p class="fault" role="alert">
        The cases and the runs of other objectives could not be read. {explain(source.failure.value)}{' '}
        <button type="button" onClick={source.readAgain}>
          Read again
        </button>
      </p>
    );
  }
  if (!source.isCut.value) return null;
  return <p class="hint">Only {grouped(MOST_OTHERS)} other runs are shown; the saved CSV has all.</p>;
}

interface TableProps extends Props {
  readonly box: { current: HTMLElement | null };
  readonly rows: ReadonlySignal<Uint32Array>;
  readonly sorting: Signal<Sorting>;
  readonly marked: ReadonlySignal<number | undefined>;
}

function VirtualTable({ box, judged, choice, rows, sorting, marked }: TableProps) {
  const { run } = judged;
  /** The first row that can be seen: rows are not redrawn for every pixel of scrolling. */
  const top = useSignal(0);
  const axes = useMemo(
    () => computed(() => choice.keys.value.map((key) => makeAxis(run.head.value, run.columns.value, key))),
    [run, choice],
  );
  useKeptPlace(box, rows, sorting);
  const count = rows.value.length;
  const first = Math.max(0, Math.min(top.value - SPARE, count - 1));
  const last = Math.min(count, top.value + Math.ceil(BOX_PX / ROW_PX) + SPARE);
  const shown = Array.from(rows.value.subarray(first, last));
  const width = axes.value.length + 6;
  const header = (key: SortKey, label: string, isNumber = true) => (
    <SortHeader key={key} sortKey={key} label={label} isNumber={isNumber} sorting={sorting} />
  );
  return (
    <ScrollBox
      boxRef={box as never}
      class="runs-box"
      label="Table of runs"
      onScroll={({ currentTarget }) => {
        top.value = Math.floor(currentTarget.scrollTop / ROW_PX);
      }}
    >
      <table class="runs" aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {header('iteration', 'Run')}
            {header('source', 'From', false)}
            {header('state', 'State', false)}
            {header('met', 'Met')}
            {header('distance', isFit(run.head.value) ? 'Misfit' : 'Distance')}
            {axes.value.map(({ key, title }) => header(key, title))}
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <Spacer height={first * ROW_PX} width={width} />
          {shown.map((row, i) => (
            <RunRow
              // Others may come in before those that are here: each row stays what it is.
              key={row - judged.others.value.sources.length}
              judged={judged}
              axes={axes.value}
              row={row}
              place={first + i}
              isMarked={row === marked.value}
            />
          ))}
          <Spacer height={(count - last) * ROW_PX} width={width} />
        </tbody>
      </table>
      {count === 0 && <p class="hint runs-none">No run is selected.</p>}
    </ScrollBox>
  );
}

/** Keeps the visible rows in place when new runs are added above. */
function useKeptPlace(
  box: { readonly current: HTMLElement | null },
  rows: ReadonlySignal<Uint32Array>,
  sorting: ReadonlySignal<Sorting>,
): void {
  const before = useRef(0);
  const count = rows.value.length;
  useEffect(() => {
    const added = count - before.current;
    before.current = count;
    const element = box.current;
    const { key, isDescending } = sorting.peek();
    if (element === null || element.scrollTop === 0 || key !== 'iteration' || !isDescending) return;
    if (added > 0 && added < 10) element.scrollTop += added * ROW_PX;
  }, [count]);
}

function Spacer({ height, width }: { readonly height: number; readonly width: number }) {
  if (height <= 0) return null;
  return (
    <tr class="runs-spacer">
      <td colSpan={width} style={{ height: `${height}px` }} />
    </tr>
  );
}

function SortHeader(props: {
  readonly sortKey: SortKey;
  readonly label: string;
  readonly isNumber: boolean;
  readonly sorting: Signal<Sorting>;
}) {
  const { sortKey, label, isNumber, sorting } = props;
  const { key, isDescending } = sorting.value;
  const isCurrent = key === sortKey;
  const next = { key: sortKey, isDescending: isCurrent ? !isDescending : sortKey === 'iteration' || sortKey === 'met' };
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isCurrent ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" class="quiet sort" title={label} onClick={() => (sorting.value = next)}>
        <span class="sort-label">{label}</span>
        <span aria-hidden="true">{isCurrent ? (isDescending ? ' ▼' : ' ▲') : ''}</span>
      </button>
    </th>
  );
}
