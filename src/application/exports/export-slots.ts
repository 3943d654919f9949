import { DomainError } from '../../domain/errors.ts';
import { Tally } from '../../domain/tally.ts';

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
  readonly #running = new Tally<number>();
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
    const own = this.#running.of(accountId);
    const { total } = this.#running;
    if (own >= this.#limits.perAccount) {
      throw refusal('ACCOUNT_BUSY', `${own} exports of this account are already running`);
    }
    if (total >= this.#limits.total) throw refusal('OVERLOADED', `${total} exports are running in this process`);
    this.#running.add(accountId);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#running.remove(accountId);
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
