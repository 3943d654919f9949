/** Time limits that a connection asked for and did not get. */
import { sql } from 'kysely';
import { IDLE_IN_TRANSACTION_LIMIT_MS } from './client.ts';
import type { Db } from './transaction.ts';

export interface LostLimit {
  /** As PostgreSQL calls it. */
  readonly name: string;
  /** 0: no limit. */
  readonly wantedMs: number;
  readonly foundMs: number;
}

/** Limits that `connect` requested but that differ on its connections, because a pooler in between ignores them. */
export async function findLostLimits(
  db: Db,
  wanted: { readonly statementTimeoutMs: number; readonly lockTimeoutMs: number },
): Promise<readonly LostLimit[]> {
  const wantedMs = new Map([
    ['statement_timeout', wanted.statementTimeoutMs],
    ['lock_timeout', wanted.lockTimeoutMs],
    ['idle_in_transaction_session_timeout', IDLE_IN_TRANSACTION_LIMIT_MS],
  ]);
  const { rows } = await sql<{ name: string; foundMs: number }>`
    select name, setting::int as "foundMs" from pg_settings where name = any(${[...wantedMs.keys()]}::text[])
    order by name`.execute(db);
  return rows
    .map(({ name, foundMs }) => ({ name, wantedMs: wantedMs.get(name)!, foundMs }))
    .filter((limit) => limit.foundMs !== limit.wantedMs);
}
