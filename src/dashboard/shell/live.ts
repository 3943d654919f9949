/** Reads something again and again while the tab is visible. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { BacksolveError } from '../../../clients/typescript/src/index.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** These do not pass by trying again. */
const FINAL_STATUSES: readonly number[] = [400, 401, 403, 404, 410];

export interface Live<T> {
  /** undefined until the first answer; stays while the service is away. */
  readonly value: ReadonlySignal<T | undefined>;
  /** Why there is no first answer, or none any more. */
  readonly failure: ReadonlySignal<unknown>;
  /** Reads at once instead of after the pause. */
  refresh(): void;
  stop(): void;
}

export interface LiveOptions<T> {
  /** Resolves to what is known after a read; may wait for a change first. `isUrgent`: somebody wants it now. */
  read(signal: AbortSignal, known: T | undefined, isUrgent: boolean): Promise<T>;
  /** Between two reads. */
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
    // A tab that nobody looks at holds no connection.
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
