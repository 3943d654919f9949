/** The history of an objective: read once, then kept up to date by asking for what may have changed since. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { History } from '../../../../../clients/typescript/src/index.ts';
import {
  type Columns,
  emptyColumns,
  type Head,
  headOf,
  insertRows,
  replaceRows,
  rowFrom,
  rowOf,
} from '../../../../presentation/columns.ts';
import { keepReading } from '../../../shell/live.ts';
import { service } from '../../../shell/service.ts';
import { askForChange } from '../../../shell/waiting.ts';

/** The data of the view's parts, always present and up to date. */
export interface Run {
  readonly objectiveId: number;
  readonly head: ReadonlySignal<Head>;
  readonly columns: ReadonlySignal<Columns>;
  /** Reads the consequences of a change immediately. */
  refresh(): void;
  /** Reads everything again, after a late output has changed a run that is otherwise final. */
  readAgain(): void;
  /** Adds the row of a run that a thinned history left out. Resolves to its row; -1 if there is no such run. */
  find(iteration: number): Promise<number>;
}

interface Known {
  readonly head: Head;
  readonly columns: Columns;
  readonly etag: string | undefined;
}

const PAUSE_MS = 50;

export interface RunSource {
  /** undefined until the first answer. */
  readonly run: ReadonlySignal<Run | undefined>;
  /** Error because of which there is no history, or none newer. */
  readonly failure: ReadonlySignal<unknown>;
}

/** Keeps the history of an objective up to date while the component is shown. */
export function useRun(objectiveId: number): RunSource {
  const source = useMemo(() => openRun(objectiveId), [objectiveId]);
  useEffect(() => source.stop, [source]);
  return source;
}

function openRun(objectiveId: number): RunSource & { stop(): void } {
  let isOutdated = false;
  const live = keepReading<Known>({
    read: async (abort, known, isUrgent) => {
      const newest = await readNewest(objectiveId, abort, isOutdated ? undefined : known, isUrgent);
      isOutdated = false;
      return newest;
    },
    pauseMs: PAUSE_MS,
  });
  /** Runs that a thinned history left out. */
  const found = signal<readonly History[]>([]);
  const isKnown = computed(() => live.value.value !== undefined);
  const head = computed(() => live.value.value!.head);
  const columns = computed(() => {
    const { head, columns } = live.value.value!;
    return found.value.filter(({ revision }) => revision === head.revision).reduce(insertRows, columns);
  });
  const run: Run = {
    objectiveId,
    head,
    columns,
    refresh: live.refresh,
    readAgain: () => {
      isOutdated = true;
      live.refresh();
    },
    find: async (iteration) => {
      const row = rowOf(columns.value, iteration);
      if (row >= 0 || head.value.every === 1) return row;
      const path = { objective_id: objectiveId };
      // A step this large leaves this run and a few others that are already here.
      const query = { after: iteration - 1, every: 1_000_000 };
      const { body } = await service.call('getHistory', { path, query });
      found.value = [...found.value, body];
      return rowOf(columns.value, iteration);
    },
  };
  return { run: computed(() => (isKnown.value ? run : undefined)), failure: live.failure, stop: live.stop };
}

async function readNewest(
  objectiveId: number,
  abort: AbortSignal,
  known: Known | undefined,
  isUrgent: boolean,
): Promise<Known> {
  if (known === undefined) return await readAll(objectiveId, abort);
  const after = firstOpen(known) - 1;
  const ask = (prefer: string | undefined) =>
    service.call('getHistory', {
      path: { objective_id: objectiveId },
      query: { after, completed: known.head.completedCount, knownInsight: known.head.insightVersion },
      ifNoneMatch: known.etag,
      prefer,
      signal: abort,
    });
  const answer = await askForChange(ask, { signal: abort, isUrgent });
  if (answer.status === 304) return known;
  const { body, headers } = answer;
  // Earlier runs were corrected, judged again or noted on, or got an output after they had been given up.
  const isChanged = body.revision !== known.head.revision || body.notesChangedAt !== known.head.notesChangedAt;
  if (isChanged || body.lateIterations.length > 0) return await readAll(objectiveId, abort);
  const columns = replaceRows(known.columns, rowFrom(known.columns, after + 1), body);
  // A part of the history is thinned less than the whole.
  const { insight, diagnosis, standing, advice } = body.isInsightKnown ? known.head : body;
  const head = { ...headOf(body), every: known.head.every, insight, diagnosis, standing, advice };
  return { head, columns, etag: headers.get('etag') ?? undefined };
}

async function readAll(objectiveId: number, abort: AbortSignal): Promise<Known> {
  const path = { objective_id: objectiveId };
  const { body, headers } = await service.call('getHistory', { path, signal: abort });
  const empty = emptyColumns(body.minimums.length, body.objectives.length);
  return { head: headOf(body), columns: replaceRows(empty, 0, body), etag: headers.get('etag') ?? undefined };
}

/** The first run that may still change: the oldest open one, or else the last. */
function firstOpen({ head, columns }: Known): number {
  return Math.min(columns.iterations.at(-1) ?? 1, ...head.openIterations);
}
