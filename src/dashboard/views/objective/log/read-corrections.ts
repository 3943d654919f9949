/** The corrections of a trial, read again whenever its data has changed. */
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Correction } from '../../../../../clients/typescript/src/index.ts';
import { service } from '../../../shell/service.ts';
import type { Run } from '../history.ts';

const PAGE_SIZE = 200;

export interface Corrections {
  /** Oldest first; undefined until they are read. */
  readonly found: ReadonlySignal<readonly Correction[] | undefined>;
  /** Why they could not be read. */
  readonly failure: ReadonlySignal<unknown>;
}

export function useCorrections(run: Run): Corrections {
  const corrections = useMemo(() => openCorrections(run), [run]);
  useEffect(() => corrections.start(), [corrections]);
  return corrections;
}

function openCorrections(run: Run): Corrections & { start(): () => void } {
  const found = signal<readonly Correction[] | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  const revision = computed(() => run.head.value.revision);
  const read = async (abort: AbortSignal) => {
    const { modelId, projectId, trialId } = run.head.peek();
    const path = { model_id: modelId, project_id: projectId, trial_id: trialId };
    try {
      const all: Correction[] = [];
      for await (const one of service.pages('listCorrections', { path, query: { limit: PAGE_SIZE }, signal: abort })) {
        all.push(one);
      }
      if (abort.aborted) return;
      found.value = all;
      failure.value = undefined;
    } catch (error) {
      if (!abort.aborted) failure.value = error;
    }
  };
  const start = () =>
    effect(() => {
      // Reading it subscribes to it.
      void revision.value;
      const ended = new AbortController();
      void read(ended.signal);
      return () => ended.abort();
    });
  return { found, failure, start };
}
