/**
 * When to claim. Woken by a notification, by a poll, and by whoever has room for more; the poll alone would be enough. One
 * pass runs at a time, and another follows when it was woken meanwhile.
 */
import type { Listener } from '../db/listen.ts';

export interface ClaimLoopSettings {
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly channel: string;
  readonly pollIntervalMs: number;
  /** One pass: claims what there is room for and begins it, without waiting for its end. */
  readonly claim: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Asked before every pass: nothing is claimed while it is true. The next poll asks again. */
  readonly isPaused?: (() => boolean) | undefined;
}

export class ClaimLoop {
  readonly #settings: ClaimLoopSettings;
  #unsubscribe: (() => void) | undefined;
  #poll: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(settings: ClaimLoopSettings) {
    this.#settings = settings;
  }

  start(): void {
    if (this.#unsubscribe !== undefined || this.#isStopped) return;
    const { listener, channel, pollIntervalMs } = this.#settings;
    this.#unsubscribe = listener.subscribe(channel, () => this.wake());
    this.#poll = setInterval(() => this.wake(), pollIntervalMs);
    this.wake();
  }

  /** There may be something to claim, or room for more. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isWoken = true;
    this.#claiming ??= this.#claimWhileWoken().finally(() => {
      this.#claiming = undefined;
    });
  }

  /** No pass begins any more; resolves when the one under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe?.();
    clearInterval(this.#poll);
    await this.#claiming;
  }

  async #claimWhileWoken(): Promise<void> {
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      if (this.#settings.isPaused?.() === true) continue;
      try {
        await this.#settings.claim();
      } catch (error) {
        this.#settings.onError(error);
      }
    }
  }
}
