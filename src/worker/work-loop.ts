/**
 * The loop behind suggestions and deliveries: it claims items while there are free slots, works on them, and shuts down within
 * a grace period. Notifications, a poll and finished items wake it; the poll alone would be enough. One claim runs at a time,
 * and another follows if the loop is woken during it. `claim` decides how many items run at a time.
 */
import type { Listener } from '../db/connection/listen.ts';

/** The part of a pino logger that workers use. */
export interface WorkerLog {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

export interface Claimed<Item> {
  /** Leased to this worker, and worked on from now on. */
  readonly items: readonly Item[];
  /** Time of the next claim, apart from notifications and polls: immediately, when an item is finished, or never. */
  readonly again: 'at-once' | 'when-finished' | 'when-woken';
}

/** The work of a loop. */
export interface Work<Item> {
  /** Claims no more than the free slots, given the items in hand. */
  claim(inHand: readonly Item[]): Promise<Claimed<Item>>;
  /** Works on one item. Never rejects. `leaving` fires when the grace period of a shutdown is over. */
  perform(item: Item, leaving: AbortSignal): Promise<void>;
}

export interface WorkLoopSettings {
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly channel: string;
  readonly pollIntervalMs: number;
  /** Called before every claim: while true, nothing is claimed. The next poll calls it again. */
  readonly isPaused?: (() => boolean) | undefined;
  readonly onClaimError: (error: unknown) => void;
}

/** The reason of `leaving`. */
export const SHUTDOWN = 'shutdown';

export class WorkLoop<Item> {
  readonly #settings: WorkLoopSettings;
  readonly #work: Work<Item>;
  readonly #inHand = new Map<Item, Promise<void>>();
  readonly #leaving = new AbortController();
  #unsubscribe: (() => void) | undefined;
  #poll: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  /** Whether a finished item is a reason to claim; until a claim has said otherwise, it is. */
  #claimsWhenFinished = true;
  #stopping: Promise<void> | undefined;

  constructor(work: Work<Item>, settings: WorkLoopSettings) {
    this.#work = work;
    this.#settings = settings;
  }

  get runningCount(): number {
    return this.#inHand.size;
  }

  start(): void {
    if (this.#unsubscribe !== undefined || this.#stopping !== undefined) return;
    const { listener, channel, pollIntervalMs } = this.#settings;
    this.#unsubscribe = listener.subscribe(channel, () => this.wake());
    this.#poll = setInterval(() => this.wake(), pollIntervalMs);
    this.wake();
  }

  /** There may be something to claim, or a free slot. */
  wake(): void {
    if (this.#stopping !== undefined) return;
    this.#isWoken = true;
    this.#claiming ??= this.#claimWhileWoken().finally(() => {
      this.#claiming = undefined;
      // Woken between the end of the loop and here.
      if (this.#isWoken) this.wake();
    });
  }

  /** Claims nothing more and lets items finish within the grace period; then aborts those still in hand. */
  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#shutDown(graceMs);
    return this.#stopping;
  }

  async #shutDown(graceMs: number): Promise<void> {
    const grace = setTimeout(() => this.#leaving.abort(SHUTDOWN), graceMs);
    this.#unsubscribe?.();
    clearInterval(this.#poll);
    // A claim under way counts towards the grace period, and so do the items it brings.
    await this.#claiming;
    await Promise.all(this.#inHand.values());
    clearTimeout(grace);
  }

  async #claimWhileWoken(): Promise<void> {
    while (this.#isWoken && this.#stopping === undefined) {
      this.#isWoken = false;
      if (this.#settings.isPaused?.() === true) continue;
      this.#claimsWhenFinished = true;
      try {
        const { items, again } = await this.#work.claim([...this.#inHand.keys()]);
        this.#claimsWhenFinished = again !== 'when-woken';
        for (const item of items) this.#begin(item);
        if (again === 'at-once') this.#isWoken = true;
      } catch (error) {
        this.#settings.onClaimError(error);
      }
    }
  }

  #begin(item: Item): void {
    const finished = this.#work.perform(item, this.#leaving.signal).finally(() => {
      this.#inHand.delete(item);
      if (this.#claimsWhenFinished) this.wake();
    });
    this.#inHand.set(item, finished);
  }
}
