/** All selected runs as a table, newest first by default. */

import { computed, type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { isFit } from '../../../../presentation/distances.ts';
import { grouped } from '../../../../presentation/formats.ts';
import { onDemand } from '../../../parts/on-demand.tsx';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { explain } from '../../../shell/service.ts';
import { ChooseAxes } from '../coordinates/choose-axes.tsx';
import { makeAxis, nameOf, unitOf } from '../state/axes.ts';
import { type Sorting, selectIn } from '../state/choice.ts';
import type { JudgedAll } from '../state/judged.ts';
import { orderRows } from '../state/order.ts';
import type { PartProps } from '../state/part.ts';
import { MOST_OTHERS, type OthersSource } from '../state/read-others.ts';
import { rowOfKey } from '../state/run-key.ts';
import { type ColumnChoice, useChosenColumns } from './chosen-columns.ts';
import { GoTo } from './go-to.tsx';
import { RunRow } from './run-row.tsx';
import { SaveRuns } from './save-runs.tsx';
import './runs.css';
import { type SortKey, valuesFor } from '../state/sort.ts';

/** The row height of the style sheet. */
const ROW_PX = 42;
/** Columns of values that fit there. */
const ON_A_PHONE = 3;
/** The most that the style sheet allows. */
const BOX_PX = 1_400;
/** Rows above and below those that can be seen. */
const SPARE = 6;

// Most visits open none.
const RunPage = onDemand(async () => (await import('./run-page.tsx')).RunPage);

/** The table, or the run that the address names. */
export function Runs(props: PartProps) {
  return props.rest === '' ? <Table {...props} /> : <RunPage key={props.rest} {...props} />;
}

function Table({ judged: { run: own }, all: judged, source, choice }: PartProps) {
  const { run } = judged;
  const id = useId();
  const { sorting } = choice;
  const columnChoice = useChosenColumns(run, choice);
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
  useEffect(() => {
    const opened = choice.openedRun.peek();
    // Back from a run, where the link that led here is gone.
    if (opened !== undefined && show(rowOfKey(judged, opened))) box.current!.focus({ preventScroll: true });
  }, []);
  return (
    <section aria-labelledby={`${id}-title`}>
      <div class="section-head">
        <h2 id={`${id}-title`}>Runs</h2>
        <span class="hint" role="status">
          {isPart && `${grouped(rows.value.length)} of ${grouped(run.columns.value.count)} selected`}
        </span>
        {isPart && (
          <button type="button" onClick={() => (choice.ranges.value = new Map())}>
            Show all
          </button>
        )}
        <GoTo run={own} seeksRun={choice.seeksRun} onFound={(row) => show(judged.others.value.sources.length + row)} />
        <ChooseAxes run={run} choice={columnChoice} what="columns" />
        <span class="section-end">
          <SaveRuns run={own} />
        </span>
      </div>
      <OthersNotice source={source} />
      <VirtualTable box={box} judged={judged} columns={columnChoice} rows={rows} sorting={sorting} marked={marked} />
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

interface TableProps {
  readonly judged: JudgedAll;
  readonly columns: ColumnChoice;
  readonly box: { current: HTMLElement | null };
  readonly rows: ReadonlySignal<Uint32Array>;
  readonly sorting: Signal<Sorting>;
  readonly marked: ReadonlySignal<number | undefined>;
}

function VirtualTable({ box, judged, columns, rows, sorting, marked }: TableProps) {
  const { run } = judged;
  /** The first row that can be seen: rows are not redrawn for every pixel of scrolling. */
  const top = useSignal(0);
  const axes = useMemo(
    () => computed(() => columns.keys.value.map((key) => makeAxis(run.head.value, run.columns.value, key))),
    [run, columns],
  );
  useKeptPlace(box, rows, sorting);
  const count = rows.value.length;
  const first = Math.max(0, Math.min(top.value - SPARE, count - 1));
  const last = Math.min(count, top.value + Math.ceil(BOX_PX / ROW_PX) + SPARE);
  const shown = Array.from(rows.value.subarray(first, last));
  const width = axes.value.length + 4;
  const head = run.head.value;
  const isFitted = isFit(head);
  return (
    <>
      {axes.value.length > ON_A_PHONE && (
        <p class="hint runs-more">Swipe the table sideways for all {axes.value.length} values.</p>
      )}
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
              <Header
                sorting={sorting}
                class="number"
                parts={[
                  { key: 'iteration', label: 'Run' },
                  { key: 'source', label: 'from' },
                ]}
              />
              <Header sorting={sorting} parts={[{ key: 'state', label: 'State' }]} />
              <Header
                sorting={sorting}
                class="number"
                parts={[
                  { key: 'met', label: 'Met' },
                  { key: 'distance', label: isFitted ? 'misfit' : 'worst miss' },
                ]}
              />
              {axes.value.map(({ key }) => (
                <Header
                  key={key}
                  sorting={sorting}
                  class="number run-value"
                  parts={[{ key, label: nameOf(head, key), unit: unitOf(head, key) }]}
                />
              ))}
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
    </>
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

interface HeaderProps {
  readonly class?: string;
  /** Stacked column titles; each sorts the table. */
  readonly parts: readonly { readonly key: SortKey; readonly label: string; readonly unit?: string | undefined }[];
  readonly sorting: Signal<Sorting>;
}

const ASCENDING = { order: 'ascending', arrow: ' ▲' } as const;
const DESCENDING = { order: 'descending', arrow: ' ▼' } as const;

function Header({ class: className, parts, sorting }: HeaderProps) {
  const { key: current, isDescending } = sorting.value;
  const { order, arrow } = isDescending ? DESCENDING : ASCENDING;
  const isCurrent = parts.some(({ key }) => key === current);
  return (
    <th scope="col" class={className} aria-sort={isCurrent ? order : undefined}>
      {parts.map(({ key, label, unit }) => (
        <button
          key={key}
          type="button"
          class="quiet sort"
          title={label}
          onClick={() => (sorting.value = nextSorting(sorting.value, key))}
        >
          <span class="sort-label">{label}</span>
          <span aria-hidden="true">{key === current ? arrow : ''}</span>
          {unit && <small>{unit}</small>}
        </button>
      ))}
    </th>
  );
}

/** The newest and the most come first. */
function nextSorting({ key: current, isDescending }: Sorting, key: SortKey): Sorting {
  return { key, isDescending: current === key ? !isDescending : key === 'iteration' || key === 'met' };
}
