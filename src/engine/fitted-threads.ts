import type { SuggestRequest } from '../optimizer/problem.ts';

/** A thread of the pool. */
interface Thread {
  readonly id: number;
  /** Tasks in hand. */
  readonly currentUsage: number;
}

/**
 * Which thread still holds the models of which suggestion, so that its explanation need not fit them again. Only a hint:
 * any thread gives the same answer.
 */
export class FittedThreads {
  /** By thread: the suggestion it computed last, until that is explained. */
  readonly #holding = new Map<number, SuggestRequest>();

  remember(threadId: number, request: SuggestRequest): void {
    this.#holding.set(threadId, request);
  }

  /**
   * The idle thread that holds the models of this request; else one that holds none which are still to be used; else any.
   * null when all are busy.
   */
  choose<T extends Thread>(request: object | null, threads: readonly T[]): T | null {
    this.#forgetOthers(threads);
    const idle = threads.filter((thread) => thread.currentUsage === 0);
    const holder = idle.find(({ id }) => this.#holding.get(id) === request);
    const chosen = holder ?? idle.find(({ id }) => !this.#holding.has(id)) ?? idle[0] ?? null;
    if (chosen) this.#holding.delete(chosen.id);
    return chosen;
  }

  /** Threads that have ended. */
  #forgetOthers(threads: readonly Thread[]): void {
    for (const id of this.#holding.keys()) if (!threads.some((thread) => thread.id === id)) this.#holding.delete(id);
  }
}
