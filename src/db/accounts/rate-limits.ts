/** Requests per account or address, counted for all processes in one row each by rate-limiter-flexible. */
import { CompiledQuery, sql } from 'kysely';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Db } from '../connection/transaction.ts';

export interface Grant {
  /** Number of the wanted requests that may be made. */
  readonly granted: number;
  /** Left in the window for the next caller. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Windows in memory are shorter, because their number is unbounded: unauthenticated clients are counted by address. */
const INSURED_SECONDS = 60;

/**
 * Takes requests out of the window that all processes share; a window begins with the first request in it. While the
 * database is away every process counts on its own.
 */
export function makeSharedWindow(
  db: Db,
  { limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number },
): (key: string, wanted: number) => Promise<Grant> {
  const client = {
    query: ({ text, values }: { readonly text: string; readonly values: readonly unknown[] }) =>
      db.executeQuery(CompiledQuery.raw(text, [...values])),
  };
  const window = { points: limit, duration: windowSeconds };
  const limiter = new RateLimiterPostgres({
    ...window,
    storeClient: client,
    storeType: 'client',
    tableName: 'rate_limits',
    keyPrefix: '',
    tableCreated: true,
    // purgeRateLimits does that.
    clearExpiredByTimeout: false,
    insuranceLimiter: new RateLimiterMemory({ ...window, duration: Math.min(windowSeconds, INSURED_SECONDS) }),
  });
  return async (key, wanted) => {
    const count = await limiter.consume(key, wanted).catch(toCount);
    const before = count.consumedPoints - wanted;
    return {
      granted: Math.min(wanted, Math.max(0, limit - before)),
      remaining: Math.max(0, limit - count.consumedPoints),
      resetMs: count.msBeforeNext,
    };
  };
}

/** Removes windows that ended an hour ago; returns how many. The table is small, it is read as a whole. */
export async function purgeRateLimits(db: Db): Promise<{ readonly purged: number }> {
  const { numAffectedRows } = await sql`
    delete from rate_limits where expire < (extract(epoch from now()) - 3600) * 1000`.execute(db);
  return { purged: Number(numAffectedRows ?? 0n) };
}

/** The library rejects with the count when the limit is exceeded. */
function toCount(refusal: unknown): RateLimiterRes {
  if (refusal instanceof RateLimiterRes) return refusal;
  throw refusal;
}
