import { type RawBuilder, sql } from 'kysely';
import type { Extent } from '../domain/page.ts';
import type { Db } from './connection/transaction.ts';

/** For the condition of a list; `column` holds the instant of the deletion. */
export function isWithinExtent(extent: Extent, column = 'disabled_at'): RawBuilder<boolean> {
  if (extent === 'all') return sql<boolean>`true`;
  const isActive = sql<boolean>`${sql.ref(column)} is null`;
  return extent === 'active' ? isActive : sql<boolean>`(${isActive} or ${sql.ref(column)} >= ${extent})`;
}

/** Now, by the clock that dates deletions. */
export async function readClock(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return rows[0]!.now;
}
