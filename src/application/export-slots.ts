import { DomainError } from '../domain/errors.ts';
import { Tally } from '../domain/tally.ts';

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
  readonly #running = new Tally<number>();
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
    const own = this.#running.of(accountId);
    const { total } = this.#running;
    if (own >= this.#limits.perAccount) {
      throw refusal('ACCOUNT_BUSY', `${own} exports of this account are under way already`);
    }
    if (total >= this.#limits.total) throw refusal('OVERLOADED', `${total} exports are under way in this process`);
    this.#running.add(accountId);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#running.remove(accountId);
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
