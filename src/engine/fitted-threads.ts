import type { SuggestRequest } from '../optimizer/interface/problem.ts';

/** A thread of the pool. */
export interface Thread {
  readonly id: number;
  /** Number of tasks it is running. */
  readonly currentUsage: number;
}

/**
 * Remembers which thread still holds the models of which suggestion, so that the explanation need not fit them again. Only a
 * hint: every thread gives the same answer.
 */
export class FittedThreads {
  /** The suggestion that each thread computed last, until it is explained. */
  readonly #holding = new Map<number, SuggestRequest>();

  remember(threadId: number, request: SuggestRequest): void {
    this.#holding.set(threadId, request);
  }

  /**
   * The idle thread that holds the models of this request; else one that holds no models awaiting an explanation; else any
   * idle thread. null when all are busy.
   */
  choose<T extends Thread>(request: object | null, threads: readonly T[]): T | null {
    this.#forgetEnded(threads);
    const idle = threads.filter((thread) => thread.currentUsage === 0);
    const holder = idle.find(({ id }) => this.#holding.get(id) === request);
    const chosen = holder ?? idle.find(({ id }) => !this.#holding.has(id)) ?? idle[0] ?? null;
    if (chosen) this.#holding.delete(chosen.id);
    return chosen;
  }

  /** Forgets the threads that are no longer in the pool. */
  #forgetEnded(threads: readonly Thread[]): void {
    for (const id of this.#holding.keys()) if (!threads.some((thread) => thread.id === id)) this.#holding.delete(id);
  }
}
