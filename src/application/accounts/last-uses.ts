import type { Db } from '../../db/connection/transaction.ts';

/** Collects the last use of each key or session, so that a request costs no write; `flush` stores all in one statement. */
export class LastUses<Id> {
  readonly #record: (db: Db, uses: ReadonlyMap<Id, Date>) => Promise<void>;
  #uses = new Map<Id, Date>();

  /** `record` stores them; instants only move forward. */
  constructor(record: (db: Db, uses: ReadonlyMap<Id, Date>) => Promise<void>) {
    this.#record = record;
  }

  note(id: Id, at: Date): void {
    this.#uses.set(id, at);
  }

  /** Returns how many were written. On an error the collected instants are kept for the next pass. */
  async flush(db: Db): Promise<{ readonly written: number }> {
    const uses = this.#uses;
    this.#uses = new Map();
    try {
      await this.#record(db, uses);
    } catch (error) {
      for (const [id, at] of uses) if (!this.#uses.has(id)) this.#uses.set(id, at);
      throw error;
    }
    return { written: uses.size };
  }
}
