import { recordKeyUse } from '../db/api-keys.ts';
import type { Db } from '../db/transaction.ts';

/** Collects the last use of each key, so that a request costs no write; `flush` stores all in one statement. */
export class KeyUse {
  #uses = new Map<string, Date>();

  note(keyId: string, at: Date): void {
    this.#uses.set(keyId, at);
  }

  /** Returns how many keys were written. On an error the collected instants are kept for the next pass. */
  async flush(db: Db): Promise<{ readonly written: number }> {
    const uses = this.#uses;
    this.#uses = new Map();
    try {
      await recordKeyUse(db, uses);
    } catch (error) {
      for (const [keyId, at] of uses) if (!this.#uses.has(keyId)) this.#uses.set(keyId, at);
      throw error;
    }
    return { written: uses.size };
  }
}
