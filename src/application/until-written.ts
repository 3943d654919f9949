/** Keeps results that the database cannot take at the moment. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from '../db/connection/transaction.ts';
import { isDiskFull } from '../domain/errors.ts';

/** Pause between two tries while the database is away, which seldom lasts. */
const AWAY_RETRY_MS = 250;
/** While its disk is full. Longer, because every try uses some of the log's reserve. */
const DISK_FULL_RETRY_MS = 2_000;

/**
 * Repeats a write until the database takes it, through restarts and a full disk. The write is fenced by a token that stays
 * valid, even past its expiry, until another worker claims the work. Rejects when the signal fires during a pause, and with
 * any other error of the write.
 */
export async function untilWritten<T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      const retryMs = retryAfter(error);
      if (retryMs === undefined) throw error;
      await delay(retryMs, undefined, { signal });
    }
  }
}

/** The pause before the next try, in milliseconds; undefined if another one would fail too. */
function retryAfter(error: unknown): number | undefined {
  if (isDatabaseAway(error)) return AWAY_RETRY_MS;
  return isDiskFull(error) ? DISK_FULL_RETRY_MS : undefined;
}
