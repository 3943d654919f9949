/**
 * Computations of the engine that clients ask for and wait for. An answer is kept by everything it was computed from, so that it
 * is never outdated, and equal requests of an account share one computation. An account computes one at a time and its other
 * requests wait in line, which serves the accounts round robin; what runs and waits in this process is bounded. A computation
 * ends early when all who wait for it have given up.
 */
import { DomainError } from '../domain/errors.ts';
import { Tally } from '../domain/tally.ts';

export interface ComputationLimits {
  /** Computations that run at a time. */
  readonly running: number;
  /** Computations that wait, of all accounts and of one. */
  readonly waiting: number;
  readonly waitingPerAccount: number;
  /** Answers that are kept. */
  readonly kept: number;
}

export interface Question {
  readonly accountId: number;
  /** Equal for questions of the account that have the same answer. */
  readonly key: string;
}

/** Answer of the engine. */
export type Computed<R> = { readonly ok: true; readonly result: R } | { readonly ok: false; readonly fault: string };

interface Computation {
  readonly accountId: number;
  readonly result: Promise<unknown>;
  readonly begin: () => void;
  readonly giveUp: AbortController;
  /** Number of requests that wait for the result. */
  askers: number;
}

const RETRY_AFTER_SECONDS = 2;
/** A forgotten account is served a little earlier. */
const REMEMBERED_ACCOUNTS = 10_000;

/** One per process. */
export class Computations {
  readonly #limits: ComputationLimits;
  /** Results, least recently used first. */
  readonly #kept = new Map<string, unknown>();
  readonly #open = new Map<string, Computation>();
  /** In the order in which they came. */
  readonly #line: Computation[] = [];
  /** Number of the last computation that each account began; the oldest first. */
  readonly #served = new Map<number, number>();
  #servedCount = 0;
  readonly #waiting = new Tally<number>();
  readonly #running = new Tally<number>();

  constructor(limits: ComputationLimits) {
    this.#limits = limits;
  }

  /**
   * Throws OVERLOADED past a limit and when the computation took too long, the reason of the signal when it fires, and an Error
   * for a fault.
   */
  async get<R>(
    question: Question,
    signal: AbortSignal,
    compute: (signal: AbortSignal) => Promise<Computed<R>>,
  ): Promise<R> {
    signal.throwIfAborted();
    const key = `${question.accountId} ${question.key}`;
    if (this.#kept.has(key)) return this.#keep(key, this.#kept.get(key)) as R;
    const computation = this.#open.get(key) ?? this.#enter(key, question.accountId, compute);
    computation.askers++;
    const { promise: gone, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return (await Promise.race([computation.result, gone])) as R;
    } finally {
      signal.removeEventListener('abort', leave);
      computation.askers--;
      if (computation.askers === 0) this.#giveUp(key, computation);
    }
  }

  /** Adds a computation to the line. */
  #enter<R>(key: string, accountId: number, compute: (signal: AbortSignal) => Promise<Computed<R>>): Computation {
    this.#refuseBeyond(accountId);
    const giveUp = new AbortController();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const run = async (): Promise<R> => {
      await begun;
      try {
        const answer = await compute(giveUp.signal);
        if (!answer.ok) throw new Error(`the engine failed: ${answer.fault}`);
        this.#keep(key, answer.result);
        return answer.result;
      } catch (error) {
        throw isAborted(error) ? tooLong() : error;
      } finally {
        if (this.#open.get(key) === computation) this.#open.delete(key);
        this.#running.remove(accountId);
        this.#beginNext();
      }
    };
    const result = run();
    // Those who wait for it hear of a failure; there may be none left.
    result.catch(() => undefined);
    const computation: Computation = { accountId, result, begin, giveUp, askers: 0 };
    this.#open.set(key, computation);
    this.#line.push(computation);
    this.#waiting.add(accountId);
    this.#beginNext();
    return computation;
  }

  /** A computation that can start immediately never waits. */
  #refuseBeyond(accountId: number): void {
    const { running, waiting, waitingPerAccount } = this.#limits;
    if (this.#running.total < running && this.#running.of(accountId) === 0) return;
    const isFull = this.#waiting.total >= waiting;
    if (!isFull && this.#waiting.of(accountId) < waitingPerAccount) return;
    const whose = isFull ? 'Too many' : `This account waits for ${waitingPerAccount}`;
    throw new DomainError('OVERLOADED', `${whose} computations; try again when some have finished.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  #beginNext(): void {
    while (this.#running.total < this.#limits.running) {
      const next = this.#next();
      if (next === undefined) return;
      const { accountId, begin } = next;
      this.#line.splice(this.#line.indexOf(next), 1);
      this.#noteServed(accountId);
      this.#waiting.remove(accountId);
      this.#running.add(accountId);
      begin();
    }
  }

  /** The first computation of the idle account that has waited longest since its last one began. */
  #next(): Computation | undefined {
    const ready = this.#line.filter(({ accountId }) => this.#running.of(accountId) === 0);
    const servedAt = ({ accountId }: Computation) => this.#served.get(accountId) ?? 0;
    return ready.reduce<Computation | undefined>(
      (first, one) => (first === undefined || servedAt(one) < servedAt(first) ? one : first),
      undefined,
    );
  }

  #noteServed(accountId: number): void {
    this.#served.delete(accountId);
    this.#served.set(accountId, ++this.#servedCount);
    if (this.#served.size > REMEMBERED_ACCOUNTS) this.#served.delete(this.#served.keys().next().value!);
  }

  /** Nobody waits for it any more. */
  #giveUp(key: string, computation: Computation): void {
    if (this.#open.get(key) !== computation) return;
    this.#open.delete(key);
    const position = this.#line.indexOf(computation);
    if (position < 0) {
      computation.giveUp.abort();
      return;
    }
    this.#line.splice(position, 1);
    this.#waiting.remove(computation.accountId);
  }

  #keep<R>(key: string, result: R): R {
    this.#kept.delete(key);
    this.#kept.set(key, result);
    if (this.#kept.size > this.#limits.kept) this.#kept.delete(this.#kept.keys().next().value!);
    return result;
  }
}

/** Whether the engine gave up at its time limit, or because it was told to. */
function isAborted(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}

function tooLong(): DomainError {
  const message =
    'The computation took too long. Ask again later; if that fails too, ask the operator of the service to raise the time limit of computations.';
  return new DomainError('OVERLOADED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
