/** Reads what people record about an objective: its notes, and the corrections of its trial. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Correction, Note } from '../../../../../clients/typescript/src/index.ts';
import { service } from '../../../shell/service.ts';
import type { Run } from '../state/history.ts';

const query = { limit: 200 };

export interface Records<Item> {
  /** Oldest first; undefined until they are read. */
  readonly found: ReadonlySignal<readonly Item[] | undefined>;
  /** Error that kept them from being read. */
  readonly failure: ReadonlySignal<unknown>;
  refresh(): void;
}

/** Read again whenever the data of the trial has changed. */
export function useCorrections({ head }: Run): Records<Correction> {
  const { modelId, projectId, trialId, revision } = head.value;
  const path = { model_id: modelId, project_id: projectId, trial_id: trialId };
  return useRecords((abort) => service.pages('listCorrections', { path, query, signal: abort }), trialId, revision);
}

/**
 * @param inverse  only those on this run
 * @param version  another one has them read again
 */
export function useNotes(objectiveId: number, inverse: number | undefined, version: unknown): Records<Note> {
  const path = { objective_id: objectiveId };
  return useRecords(
    (abort) => service.pages('listNotes', { path, query: { ...query, inverse }, signal: abort }),
    `${objectiveId} ${inverse}`,
    version,
  );
}

/** @param name  of what is read */
function useRecords<Item>(
  pages: (abort: AbortSignal) => AsyncIterable<Item>,
  name: unknown,
  version: unknown,
): Records<Item> {
  const records = useMemo(() => openRecords(pages), [name]);
  useEffect(() => {
    records.refresh();
    return records.stop;
  }, [records, version]);
  return records;
}

function openRecords<Item>(pages: (abort: AbortSignal) => AsyncIterable<Item>): Records<Item> & { stop(): void } {
  const found = signal<readonly Item[] | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  let last = new AbortController();
  const read = async (abort: AbortSignal) => {
    try {
      const all: Item[] = [];
      for await (const one of pages(abort)) all.push(one);
      if (abort.aborted) return;
      found.value = all;
      failure.value = undefined;
    } catch (error) {
      if (!abort.aborted) failure.value = error;
    }
  };
  const stop = () => last.abort();
  const refresh = () => {
    stop();
    last = new AbortController();
    void read(last.signal);
  };
  return { found, failure, refresh, stop };
}
