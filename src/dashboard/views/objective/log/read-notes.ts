/** The notes on an objective and its runs, read again whenever they have changed. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Note } from '../../../../../clients/typescript/src/index.ts';
import { service } from '../../../shell/service.ts';

const PAGE_SIZE = 200;

export interface Notes {
  /** Oldest first; undefined until they are read. */
  readonly found: ReadonlySignal<readonly Note[] | undefined>;
  /** Why they could not be read. */
  readonly failure: ReadonlySignal<unknown>;
  refresh(): void;
}

/**
 * @param inverseId  only those on this run
 * @param version  another one has them read again
 */
export function useNotes(objectiveId: number, inverseId: number | undefined, version: unknown): Notes {
  const notes = useMemo(() => openNotes(objectiveId, inverseId), [objectiveId, inverseId]);
  useEffect(() => {
    notes.refresh();
    return notes.stop;
  }, [notes, version]);
  return notes;
}

function openNotes(objectiveId: number, inverseId: number | undefined): Notes & { stop(): void } {
  const found = signal<readonly Note[] | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  let last = new AbortController();
  const read = async ({ signal: abort }: AbortController) => {
    const path = { objective_id: objectiveId };
    const query = { limit: PAGE_SIZE, ...(inverseId !== undefined && { inverse: inverseId }) };
    try {
      const all: Note[] = [];
      for await (const one of service.pages('listNotesFlat', { path, query, signal: abort })) all.push(one);
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
    void read(last);
  };
  return { found, failure, refresh, stop };
}
