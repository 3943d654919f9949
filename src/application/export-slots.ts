import { DomainError } from '../domain/errors.ts';

export interface ExportLimits {
  /** Exports that one process runs at a time. */
  readonly total: number;
  readonly perAccount: number;
}

/** An export takes as long as its client takes to read it. */
const RETRY_AFTER_SECONDS = 30;

/** Counts the exports that a process runs: each takes some megabytes and keeps the database busy. */
export class ExportSlots {
  readonly #limits: ExportLimits;
  readonly #running = new Map<number, number>();
  readonly #leaving = new AbortController();

  constructor(limits: ExportLimits) {
    this.#limits = limits;
  }

  /** Fires when the process shuts down: an export may outlast the grace period. */
  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  /**
   * Takes a slot until the returned function is called. Throws ACCOUNT_BUSY when the account has no slot left, OVERLOADED when
   * the process has none.
   */
  enter(accountId: number): () => void {
    const own = this.#running.get(accountId) ?? 0;
    const total = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= this.#limits.perAccount) {
      throw refusal('ACCOUNT_BUSY', `${own} exports of this account are already running`);
    }
    if (total >= this.#limits.total) throw refusal('OVERLOADED', `${total} exports are running in this process`);
    this.#running.set(accountId, own + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const count = this.#running.get(accountId)! - 1;
      if (count === 0) this.#running.delete(accountId);
      else this.#running.set(accountId, count);
    };
  }

  /** Aborts all exports; one that has not sent anything yet is refused with OVERLOADED. */
  close(): void {
    this.#leaving.abort(new DomainError('OVERLOADED', 'This process is shutting down; try again.'));
  }
}

function refusal(code: 'ACCOUNT_BUSY' | 'OVERLOADED', reason: string): DomainError {
  return new DomainError(code, `${reason}; try again when one has ended.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
