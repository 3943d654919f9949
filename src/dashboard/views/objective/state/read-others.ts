/** Reads the other runs of the trial, and again whenever its data have changed. */
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { TrialRun } from '../../../../../clients/typescript/src/index.ts';
import { emptyColumns } from '../../../../presentation/columns.ts';
import { type Others, toOthers } from '../../../../presentation/others.ts';
import { service } from '../../../shell/service.ts';
import type { Run } from './history.ts';

/** More would make the table slow; the saved files have all. */
export const MOST_OTHERS = 10_000;
/** The most that the service takes. */
const PAGE_SIZE = 200;

export interface OthersSource {
  /** Empty until they are read. */
  readonly others: ReadonlySignal<Others>;
  readonly isRead: ReadonlySignal<boolean>;
  readonly isCut: ReadonlySignal<boolean>;
  /** Error that kept them from being read. */
  readonly failure: ReadonlySignal<unknown>;
  readAgain(): void;
}

export function useOthers(run: Run): OthersSource {
  const source = useMemo(() => openOthers(run), [run]);
  useEffect(() => source.start(), [source]);
  return source;
}

/** Asks the service page by page; `most` of them at most. */
export async function readOthers({ objectiveId }: Run, most: number, signal?: AbortSignal): Promise<TrialRun[]> {
  const path = { objective_id: objectiveId };
  const query = { limit: PAGE_SIZE, without: objectiveId };
  const found: TrialRun[] = [];
  for await (const one of service.pages('listTrialRuns', { path, query, signal })) {
    found.push(one);
    if (found.length >= most) break;
  }
  return found;
}

function openOthers(run: Run): OthersSource & { start(): () => void } {
  const { minimums, objectives } = run.head.peek();
  const [inputCount, outputCount] = [minimums.length, objectives.length];
  const others = signal<Others>({ columns: emptyColumns(inputCount, outputCount), sources: [] });
  const isRead = signal(false);
  const isCut = signal(false);
  const failure = signal<unknown>(undefined);
  const asked = signal(0);
  const revision = computed(() => run.head.value.revision);
  const read = async (abort: AbortSignal) => {
    try {
      const found = await readOthers(run, MOST_OTHERS + 1, abort);
      if (abort.aborted) return;
      isCut.value = found.length > MOST_OTHERS;
      others.value = toOthers(found.slice(0, MOST_OTHERS), inputCount, outputCount);
      isRead.value = true;
      failure.value = undefined;
    } catch (error) {
      if (!abort.aborted) failure.value = error;
    }
  };
  const start = () =>
    effect(() => {
      // Reading either signal subscribes to it.
      void [revision.value, asked.value];
      const ended = new AbortController();
      void read(ended.signal);
      return () => ended.abort();
    });
  return { others, isRead, isCut, failure, readAgain: () => (asked.value += 1), start };
}
