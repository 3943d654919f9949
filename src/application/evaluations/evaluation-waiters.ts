/**
 * Requests that wait for an evaluation to claim. Those with the same scope form one line, served in the order of arrival: a
 * notification, or a poll for all lines of the process at once, lets the first of them claim, then the next, until nothing is left.
 * A request that finds others waiting joins them without a statement, so that the cost to the database does not grow with the
 * number of idle evaluators.
 */
import { CLAIMABLE_CHANNEL } from '../../db/batches/batch-evaluations.ts';
import { ANYTHING, type Listener } from '../../db/connection/listen.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { type EvaluationScope, findClaimable } from '../../db/evaluations/evaluations.ts';
import type { ClaimedEvaluation } from '../../domain/evaluations/evaluation.ts';

export interface EvaluationWaitersOptions {
  readonly db: Db;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** Pause between two polls while there are waiters. */
  readonly pollIntervalMs: number;
}

type Claimed = readonly ClaimedEvaluation[];
/** Claims for one request, after the batch that was served last. Empty: there is nothing. */
export type ClaimAttempt = (afterBatchId: number) => Promise<Claimed>;

interface Waiter {
  readonly attempt: ClaimAttempt;
  readonly resolve: (claimed: Claimed) => void;
  readonly reject: (error: unknown) => void;
  /** While it claims, what it claims decides what becomes of it. */
  isClaiming: boolean;
  /** Its time is over, or its client has gone. */
  isLeaving: boolean;
}

interface Line {
  readonly scope: EvaluationScope;
  readonly waiters: Set<Waiter>;
  isServed: boolean;
  /** Whether another hint arrived while this request was being served. */
  isDue: boolean;
}

/** Accounts whose last served batch is remembered; of another one the claim begins with its first batch. */
const REMEMBERED_ACCOUNTS = 10_000;
const NOTHING: Claimed = [];

/** One per process: one subscription, one poll, however many wait. */
export class EvaluationWaiters {
  readonly #options: EvaluationWaitersOptions;
  readonly #lines = new Map<string, Line>();
  readonly #lastBatch = new Map<number, number>();
  readonly #unsubscribe: () => void;
  #poll: NodeJS.Timeout | undefined;
  #isPolling = false;
  /** Notifications so far: one that arrives between an attempt and the wait is not missed. */
  #heard = 0;
  #isClosed = false;

  constructor(options: EvaluationWaitersOptions) {
    this.#options = options;
    this.#unsubscribe = options.listener.subscribe(CLAIMABLE_CHANNEL, (payload) => this.#hear(payload));
  }

  /** Number of waiting requests. */
  get waiting(): number {
    let count = 0;
    for (const { waiters } of this.#lines.values()) count += waiters.size;
    return count;
  }

  /** Whether requests with this scope wait already: one that comes now would find nothing. */
  isAwaited(scope: EvaluationScope): boolean {
    return this.#lines.has(keyOf(scope));
  }

  /** Claims immediately. `heard` belongs to `wait`. */
  async attempt(
    { accountId }: EvaluationScope,
    attempt: ClaimAttempt,
  ): Promise<{ readonly claimed: Claimed; readonly heard: number }> {
    const heard = this.#heard;
    const claimed = await attempt(this.#lastBatch.get(accountId) ?? 0);
    this.#remember(accountId, claimed);
    return { claimed, heard };
  }

  /**
   * Resolves to what the request claims as soon as there is something; to nothing after `timeoutMs`, when `signal` fires or
   * when this is closed. Throws what its attempt throws. Leaves nothing behind.
   *
   * @param heard  of the request's own attempt, if it made one
   */
  wait(
    scope: EvaluationScope,
    attempt: ClaimAttempt,
    { timeoutMs, signal, heard }: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly heard?: number },
  ): Promise<Claimed> {
    if (this.#isClosed || signal.aborted) return Promise.resolve(NOTHING);
    const { promise, resolve, reject } = Promise.withResolvers<Claimed>();
    const waiter: Waiter = { attempt, resolve, reject, isClaiming: false, isLeaving: false };
    const line = this.#join(scope, waiter);
    const leave = () => {
      waiter.isLeaving = true;
      if (!waiter.isClaiming) resolve(NOTHING);
    };
    const timer = setTimeout(leave, timeoutMs);
    signal.addEventListener('abort', leave, { once: true });
    this.#poll ??= setInterval(() => void this.#readAll(), this.#options.pollIntervalMs);
    if (heard !== undefined && heard !== this.#heard) void this.#serve(line);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      line.waiters.delete(waiter);
      this.#leave(line);
    });
  }

  /** Ends all waits, with nothing, and every later one immediately. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const { waiters } of this.#lines.values()) {
      for (const waiter of waiters) if (!waiter.isClaiming) waiter.resolve(NOTHING);
    }
  }

  #join(scope: EvaluationScope, waiter: Waiter): Line {
    const key = keyOf(scope);
    const line = this.#lines.get(key) ?? { scope, waiters: new Set(), isServed: false, isDue: false };
    this.#lines.set(key, line);
    line.waiters.add(waiter);
    return line;
  }

  #leave(line: Line): void {
    const key = keyOf(line.scope);
    if (line.waiters.size === 0 && this.#lines.get(key) === line) this.#lines.delete(key);
    if (this.#lines.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #remember(accountId: number, claimed: Claimed): void {
    const last = claimed.at(-1);
    if (last === undefined) return;
    this.#lastBatch.delete(accountId);
    this.#lastBatch.set(accountId, last.batchId);
    if (this.#lastBatch.size > REMEMBERED_ACCOUNTS) this.#lastBatch.delete(this.#lastBatch.keys().next().value!);
  }

  #hear(payload: string): void {
    this.#heard += 1;
    if (payload === ANYTHING) {
      void this.#readAll();
      return;
    }
    const accountId = Number(payload);
    for (const line of this.#lines.values()) if (line.scope.accountId === accountId) void this.#serve(line);
  }

  /** Never rejects. A poll that fails is repeated by the next one. */
  async #readAll(): Promise<void> {
    const lines = [...this.#lines.values()].filter(({ waiters }) => waiters.size > 0);
    if (lines.length === 0 || this.#isPolling) return;
    this.#isPolling = true;
    try {
      const scopes = lines.map(({ scope }) => scope);
      for (const position of await findClaimable(this.#options.db, scopes)) void this.#serve(lines[position]!);
    } catch {
      // The database is away: the waiters go on waiting for it, as long as they may.
    } finally {
      this.#isPolling = false;
    }
  }

  /** Lets the waiters of a line claim, one after the other, until one finds nothing. Never rejects. */
  async #serve(line: Line): Promise<void> {
    line.isDue = true;
    if (line.isServed) return;
    line.isServed = true;
    while (line.isDue) {
      line.isDue = false;
      for (const waiter of line.waiters) if (!(await this.#serveOne(line, waiter))) break;
    }
    line.isServed = false;
  }

  /** Whether there may be something for the next one. */
  async #serveOne(line: Line, waiter: Waiter): Promise<boolean> {
    if (waiter.isLeaving) return true;
    waiter.isClaiming = true;
    try {
      const { claimed } = await this.attempt(line.scope, waiter.attempt);
      waiter.isClaiming = false;
      if (claimed.length === 0 && !waiter.isLeaving && !this.#isClosed) return false;
      line.waiters.delete(waiter);
      waiter.resolve(claimed);
      return claimed.length > 0;
    } catch (error) {
      line.waiters.delete(waiter);
      waiter.reject(error);
      return true;
    }
  }
}

function keyOf({ accountId, projectId, batchId, sources }: EvaluationScope): string {
  return `${accountId} ${projectId ?? 0} ${batchId ?? 0} ${JSON.stringify(sources)}`;
}
