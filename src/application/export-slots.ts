import { DomainError } from '../domain/errors.ts';

export interface ExportLimits {
  /** Exports of one process at a time. */
  readonly total: number;
  readonly perAccount: number;
}

/** An export takes as long as its client takes to read it. */
const RETRY_AFTER_SECONDS = 30;

/** Counts the exports under way in a process: each holds some megabytes and keeps the database busy. */
export class ExportSlots {
  readonly #limits: ExportLimits;
  readonly #running = new Map<number, number>();
  readonly #leaving = new AbortController();

  constructor(limits: ExportLimits) {
    this.#limits = limits;
  }

  /** Fires when the process is leaving: an export may take longer than it has. */
  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  /**
   * Takes a slot until the returned function is called. Throws ACCOUNT_BUSY when the account has its own in use, OVERLOADED
   * when all are.
   */
  enter(accountId: number): () => void {
    const own = this.#running.get(accountId) ?? 0;
    const total = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= this.#limits.perAccount) {
      throw refusal('ACCOUNT_BUSY', `${own} exports of this account are under way already`);
    }
    if (total >= this.#limits.total) throw refusal('OVERLOADED', `${total} exports are under way in this process`);
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

  /** Exports under way are cut; one that has not sent anything yet is refused with OVERLOADED. */
  close(): void {
    this.#leaving.abort(new DomainError('OVERLOADED', 'This process is leaving; try again.'));
  }
}

function refusal(code: 'ACCOUNT_BUSY' | 'OVERLOADED', reason: string): DomainError {
  return new DomainError(code, `${reason}; try again when one has ended.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
