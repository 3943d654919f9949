/** So many processes at a time; who finds none waits in order. */
import { DomainError } from '../domain/errors.ts';

/** More would wait for minutes. */
const MAXIMUM_WAITING = 100;

export class ProcessSlots {
  #free: number;
  readonly #makeRoom: () => void;
  #waiting: { resolve(release: () => void): void; reject(error: unknown): void }[] = [];

  /** @param makeRoom  ends a process that only waits for more work, if there is one */
  constructor(count: number, makeRoom: () => void) {
    this.#free = count;
    this.#makeRoom = makeRoom;
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves to what gives the slot back. Rejects with OVERLOADED or the signal's reason. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free === 0) this.#makeRoom();
    if (this.#free > 0) return this.#take();
    if (this.#waiting.length >= MAXIMUM_WAITING) {
      throw new DomainError('OVERLOADED', 'Too many workbooks wait to be calculated; retry in a moment.');
    }
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const one = { resolve, reject };
    this.#waiting.push(one);
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  close(): void {
    for (const { reject } of this.#waiting.splice(0))
      reject(new DomainError('OVERLOADED', 'The service is closing; retry.'));
  }

  #take(): () => void {
    this.#free -= 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += 1;
      if (this.#waiting.length > 0) this.#waiting.shift()!.resolve(this.#take());
    };
  }
}
