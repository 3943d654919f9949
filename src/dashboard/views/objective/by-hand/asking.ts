/**
 * Asking for inputs, and waiting for them to the end: through answers that they are still being computed, through a service that
 * restarts, and through a reload of the page, because the request is remembered with its Idempotency-Key.
 */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import {
  BacksolveError,
  ConnectionError,
  makeIdempotencyKey,
  type SuggestedInverses,
} from '../../../../../clients/typescript/src/index.ts';
import { rowOf } from '../../../../presentation/columns.ts';
import { service } from '../../../shell/service.ts';
import type { Run } from '../state/history.ts';

const PAUSE_MS = 1_000;

interface Request {
  readonly key: string;
  /** Number of inputs to ask for; null: the next one of an objective that has one open at a time. */
  readonly count: number | null;
}

export interface Asking {
  readonly isBusy: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<unknown>;
  /** Reason why fewer inputs came than were asked for. */
  readonly notice: ReadonlySignal<string | undefined>;
  ask(count: number | null): void;
}

/** Resumes a request that an earlier visit left unanswered. */
export function useAsking(run: Run): Asking {
  const asking = useMemo(() => makeAsking(run), [run]);
  useEffect(() => asking.start(), [asking]);
  return asking;
}

function makeAsking(run: Run): Asking & { start(): () => void } {
  const isBusy = signal(false);
  const error = signal<unknown>(undefined);
  const notice = signal<string | undefined>(undefined);
  let ended = new AbortController();

  const work = async (request: Request) => {
    const { signal: abort } = ended;
    isBusy.value = true;
    error.value = undefined;
    notice.value = undefined;
    try {
      const { lastIteration, notice: said } = await requestInputs(run.objectiveId, request, abort);
      run.refresh();
      if (lastIteration !== undefined) await untilShown(run, lastIteration, abort);
      if (abort.aborted) return;
      notice.value = said;
    } catch (failure) {
      // The request stays stored, so the next visit resumes it.
      if (abort.aborted) return;
      error.value = failure;
      run.refresh();
    }
    remember(run.objectiveId, undefined);
    isBusy.value = false;
  };

  return {
    isBusy,
    error,
    notice,
    ask: (count) => {
      if (isBusy.value) return;
      const request = { key: makeIdempotencyKey(), count };
      remember(run.objectiveId, request);
      void work(request);
    },
    start: () => {
      ended = new AbortController();
      const left = remembered(run.objectiveId);
      if (left !== undefined) void work(left);
      return () => ended.abort();
    },
  };
}

interface Answered {
  /** The newest of those that were opened. */
  readonly lastIteration: number | undefined;
  readonly notice: string | undefined;
}

async function requestInputs(objectiveId: number, request: Request, abort: AbortSignal): Promise<Answered> {
  const { key: idempotencyKey, count } = request;
  const path = { objective_id: objectiveId };
  for (;;) {
    try {
      if (count === null) {
        const { body } = await service.untilSuggested('suggestInverse', { path, idempotencyKey, signal: abort });
        return { lastIteration: body.iteration, notice: undefined };
      }
      const options = { path, body: { count }, idempotencyKey, signal: abort };
      const { body } = await service.untilSuggested('suggestInverses', options);
      return { lastIteration: body.inverses.at(-1)?.iteration, notice: sayOf(body, count) };
    } catch (failure) {
      if (abort.aborted || !isAway(failure)) throw failure;
      await pause(PAUSE_MS, abort);
    }
  }
}

/** Resolves once the history has the run, so that nothing else is offered in between. */
async function untilShown(run: Run, iteration: number, abort: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  await new Promise<void>((resolve) => {
    abort.addEventListener('abort', () => resolve(), { once: true });
    stop = effect(() => {
      if (rowOf(run.columns.value, iteration) >= 0) resolve();
    });
  });
  stop();
}

/** Whether the same request may be answered later. */
function isAway(failure: unknown): boolean {
  if (failure instanceof ConnectionError) return true;
  return failure instanceof BacksolveError && failure.status >= 502;
}

function sayOf({ inverses, heldBack, attemptsLeft }: SuggestedInverses, count: number): string | undefined {
  if (inverses.length >= count) return undefined;
  if (attemptsLeft === 0) return 'No further inputs: all runs of the objective have been suggested.';
  if (heldBack) return 'No further inputs for now: an open run is likely to meet all targets.';
  return 'No further inputs for now: load the output of an open run first.';
}

/** Storage of the tab, since asking again on another day, under a key that the service has forgotten, would open another input. */
function sessionStore(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

const nameOf = (objectiveId: number): string => `backsolve-asked-${objectiveId}`;

function remembered(objectiveId: number): Request | undefined {
  try {
    return (JSON.parse(sessionStore()?.getItem(nameOf(objectiveId)) ?? 'null') as Request | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(objectiveId: number, request: Request | undefined): void {
  try {
    if (request === undefined) sessionStore()?.removeItem(nameOf(objectiveId));
    else sessionStore()?.setItem(nameOf(objectiveId), JSON.stringify(request));
  } catch {
    // Without storage the request does not survive a reload; the service then shows what it has led to.
  }
}

function pause(ms: number, abort: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    abort.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
