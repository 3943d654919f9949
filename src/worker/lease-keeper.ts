/**
 * Renews the leases of the jobs that this worker computes. A computation is aborted when another worker has taken over its job.
 * While the database is unreachable nothing is aborted: the fenced write decides.
 */
import type { LeasedJob } from '../domain/search/suggestion-job.ts';
import { renewIntervalMs } from '../domain/search/suggestion-job.ts';

type Held = Pick<LeasedJob, 'id' | 'leaseToken'>;

export interface LeaseKeeperDeps {
  readonly leaseMs: number;
  /** Returns the ids of the leases that are still held. */
  readonly renew: (held: readonly Held[]) => Promise<ReadonlySet<number>>;
  readonly onError: (error: unknown) => void;
}

/** Reason of an abort; a shutdown has another. */
export const LEASE_LOST = 'lease-lost';

export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  readonly #held = new Map<number, { readonly job: Held; readonly controller: AbortController }>();
  #timer: NodeJS.Timeout | undefined;
  #isRenewing = false;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps;
  }

  /**
   * Renews the lease from now on and aborts when it is lost. If this worker still computes the job under an older lease, because it
   * hung or renewals failed, that lease is lost.
   */
  hold(job: Held, controller: AbortController): void {
    this.#held.get(job.id)?.controller.abort(LEASE_LOST);
    this.#held.set(job.id, { job, controller });
    if (!this.#isRenewing) this.#timer ??= this.#schedule();
  }

  letGo(job: Held): void {
    if (this.#held.get(job.id)?.job.leaseToken === job.leaseToken) this.#held.delete(job.id);
    if (this.#held.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.#renewAll(), renewIntervalMs(this.#deps.leaseMs));
  }

  async #renewAll(): Promise<void> {
    this.#isRenewing = true;
    this.#timer = undefined;
    const asked = [...this.#held.values()];
    try {
      const kept = await this.#deps.renew(asked.map(({ job }) => job));
      for (const { job, controller } of asked) if (!kept.has(job.id)) controller.abort(LEASE_LOST);
    } catch (error) {
      this.#deps.onError(error);
    }
    this.#isRenewing = false;
    if (this.#held.size > 0) this.#timer = this.#schedule();
  }
}
