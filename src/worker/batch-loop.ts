/**
 * Drives batches: advances a batch when something happens to it, and polls every open one, because notifications may
 * get lost. Any number of workers may do so.
 */
import {
  type AdvanceDeps,
  advanceBatch,
  BATCHES_CHANNEL,
  isDatabaseAway,
  listOpenBatchIds,
  takeDueBatches,
} from '../application/batches/advance-batch.ts';
import { ANYTHING, type Listener } from '../db/connection/listen.ts';
import { isDiskFull } from '../domain/errors.ts';
import { type Claimed, type Work, type WorkerLog, WorkLoop } from './work-loop.ts';

export interface BatchLoopDeps extends AdvanceDeps {
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly log: WorkerLog;
  readonly pollIntervalMs: number;
  /** While true, no batch is advanced. */
  readonly isPaused?: (() => boolean) | undefined;
}

/** Batches advanced at a time: each takes a connection. */
const CONCURRENCY = 4;
/** Open batches are polled at this interval even without notifications. */
const SWEEP_SECONDS = 5;
/** Batches of one sweep. */
const SWEEP_LIMIT = 200;
/** Pause before retrying a batch that another worker holds: that worker may have read it before the change. */
const BUSY_MS = 100;

interface Due {
  readonly batchId: number;
}

export interface BatchLoop {
  start(): void;
  stop(graceMs: number): Promise<void>;
  readonly runningCount: number;
  /** Advances every open batch until none has anything to do; returns the number of actions. Rejects when the database is unavailable. */
  advanceAll(): Promise<number>;
}

export function makeBatchLoop(deps: BatchLoopDeps): BatchLoop {
  const work = new BatchWork(deps);
  const loop = new WorkLoop(work, {
    listener: deps.listener,
    channel: BATCHES_CHANNEL,
    pollIntervalMs: deps.pollIntervalMs,
    isPaused: deps.isPaused,
    onClaimError: (error) => deps.log.warn({ err: error }, 'batches.sweep-failed'),
  });
  let unsubscribe: (() => void) | undefined;
  return {
    start: () => {
      // Before the loop, which claims when it is woken.
      unsubscribe ??= deps.listener.subscribe(BATCHES_CHANNEL, (payload) => work.hear(payload));
      work.onDue = () => loop.wake();
      loop.start();
    },
    stop: async (graceMs) => {
      unsubscribe?.();
      work.leave();
      await loop.stop(graceMs);
    },
    get runningCount() {
      return loop.runningCount;
    },
    advanceAll: () => work.advanceAll(),
  };
}

class BatchWork implements Work<Due> {
  readonly #deps: BatchLoopDeps;
  /** Batches to advance, in the order of their notifications. */
  readonly #due = new Set<number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #nextSweep = 0;
  onDue: () => void = () => undefined;

  constructor(deps: BatchLoopDeps) {
    this.#deps = deps;
  }

  hear(payload: string): void {
    if (payload === ANYTHING) this.#nextSweep = 0;
    else this.#due.add(Number(payload));
  }

  leave(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  async claim(inHand: readonly Due[]): Promise<Claimed<Due>> {
    const now = performance.now();
    if (now >= this.#nextSweep) {
      this.#nextSweep = now + 1_000 * SWEEP_SECONDS;
      for (const id of await takeDueBatches(this.#deps.db, SWEEP_LIMIT, SWEEP_SECONDS)) this.#due.add(id);
    }
    const busy = new Set(inHand.map(({ batchId }) => batchId));
    // A notification for a batch in hand is handled when the batch is free.
    const ready = [...this.#due].filter((id) => !busy.has(id)).slice(0, CONCURRENCY - inHand.length);
    for (const id of ready) this.#due.delete(id);
    return { items: ready.map((batchId) => ({ batchId })), again: 'when-finished' };
  }

  /** Never rejects. The next sweep does the rest. */
  async perform({ batchId }: Due): Promise<void> {
    const { log } = this.#deps;
    try {
      const { kind, done } = await advanceBatch(this.#deps, batchId);
      if (done > 0) log.info({ batchId, done }, 'batch.advanced');
      if (kind === 'going-on') this.#due.add(batchId);
      if (kind === 'busy') this.#tryAgain(batchId);
    } catch (error) {
      const facts = { batchId, err: error };
      if (isDiskFull(error)) log.warn(facts, 'batch.disk-full');
      else if (isDatabaseAway(error)) log.warn(facts, 'batch.not-advanced');
      else log.error(facts, 'batch.not-advanced');
    }
  }

  async advanceAll(): Promise<number> {
    let done = 0;
    let after = 0;
    for (;;) {
      const ids = await listOpenBatchIds(this.#deps.db, after, SWEEP_LIMIT);
      for (const id of ids) done += (await advanceBatch(this.#deps, id)).done;
      if (ids.length < SWEEP_LIMIT) return done;
      after = ids.at(-1)!;
    }
  }

  #tryAgain(batchId: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#due.add(batchId);
      this.onDue();
    }, BUSY_MS);
    this.#timers.add(timer);
  }
}
