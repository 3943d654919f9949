/** Polls while the tab is visible. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { BacksolveError } from '../../../clients/typescript/src/index.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Retrying does not help with these. */
const FINAL_STATUSES: readonly number[] = [400, 401, 403, 404, 410];

export interface Live<T> {
  /** undefined until the first answer; kept while the service is unreachable. */
  readonly value: ReadonlySignal<T | undefined>;
  /** The error that prevents the first answer, or further ones. */
  readonly failure: ReadonlySignal<unknown>;
  /** Reads immediately instead of after the pause. */
  refresh(): void;
  stop(): void;
}

export interface LiveOptions<T> {
  /** Resolves to the newest value; may wait for a change first, unless `isUrgent`. */
  read(signal: AbortSignal, known: T | undefined, isUrgent: boolean): Promise<T>;
  /** The pause between two reads. */
  readonly pauseMs: number;
}

export function keepReading<T>({ read, pauseMs }: LiveOptions<T>): Live<T> {
  const value = signal<T | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  const ended = new AbortController();
  let current = new AbortController();
  let wake = (): void => undefined;
  let isUrgent = false;
  const until = (work: (resolve: () => void) => void) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      work(resolve);
    });
  const onVisibilityChange = () => {
    // A hidden tab holds no connection.
    if (document.hidden) current.abort();
    wake();
  };
  document.addEventListener('visibilitychange', onVisibilityChange);

  const run = async () => {
    let failures = 0;
    while (!ended.signal.aborted) {
      if (document.hidden) {
        await until(() => undefined);
        continue;
      }
      current = new AbortController();
      const wasUrgent = isUrgent;
      isUrgent = false;
      let pause = pauseMs;
      try {
        value.value = await read(AbortSignal.any([ended.signal, current.signal]), value.value, wasUrgent);
        failure.value = undefined;
        failures = 0;
      } catch (error) {
        if (ended.signal.aborted) return;
        if (current.signal.aborted) continue;
        failure.value = error;
        if (error instanceof BacksolveError && FINAL_STATUSES.includes(error.status)) return;
        pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++);
      }
      if (pause > 0 && !isUrgent) await until((resolve) => setTimeout(resolve, pause));
    }
  };
  void run();

  return {
    value,
    failure,
    refresh: () => {
      isUrgent = true;
      current.abort();
      wake();
    },
    stop: () => {
      document.removeEventListener('visibilitychange', onVisibilityChange);
      ended.abort();
      wake();
    },
  };
}
