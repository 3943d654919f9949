/**
 * Handles and transactions. Lock order everywhere: objective row first, then its inverses and its job; model before
 * project before trial, and the trial before its objectives. A transaction awaits SQL and nothing else.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../schema.ts';

export type Db = Kysely<Database>;
export type Trx = Transaction<Database>;

/** Serialization failure and deadlock: the transaction was rolled back whole and may be run again. */
const RETRYABLE = new Set(['40001', '40P01']);
/** The unique constraint that only a transaction which ran at the same time can break: run again, it sees the other's row. */
const KEYS_PRIMARY = 'idempotency_keys_primary';
const MAXIMUM_RUNS = 4;

/** Counts as a serialization failure, though a statement's own check found it. */
export class ConflictError extends Error {
  readonly code = '40001';
}

/** Work that open transactions have put off until they are committed. */
const putOff = new WeakMap<Trx, ((db: Db) => Promise<void>)[]>();

/** Does the work immediately, or after the commit where `db` is a transaction of inTransaction, which then resolves after it. */
export async function afterCommit(db: Db | Trx, work: (db: Db) => Promise<void>): Promise<void> {
  if (!db.isTransaction) return work(db);
  putOff.set(db as Trx, [...(putOff.get(db as Trx) ?? []), work]);
}

/** Runs `work` in one transaction, again (up to 4 times) after a conflict; joins the transaction when `db` is one. */
export async function inTransaction<T>(db: Db | Trx, work: (trx: Trx) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Trx);
  const { result, later } = await runAgain(db, work);
  for (const one of later) await one(db);
  return result;
}

async function runAgain<T>(db: Db, work: (trx: Trx) => Promise<T>) {
  for (let run = 1; ; run++) {
    try {
      return await db.transaction().execute(async (trx) => ({ result: await work(trx), later: putOff.get(trx) ?? [] }));
    } catch (caught) {
      const error = violatedUnique(caught) === KEYS_PRIMARY ? new ConflictError('the key was used meanwhile') : caught;
      if (run === MAXIMUM_RUNS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
      await delay(10 * run * run);
    }
  }
}

/**
 * Selected from by a statement whose loss in a crash of the server costs nothing but a repetition: its transaction does not wait until
 * its log is on disk. Everything that commits later with a wait takes it along, so the order of commits is kept.
 */
export const WITHOUT_FLUSH = sql`set_config('synchronous_commit', 'off', true)`;

/** The SQLSTATE of a database error, or undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** Name of the violated constraint when `error` is a unique violation. */
export function violatedUnique(error: unknown): string | undefined {
  if (sqlState(error) !== '23505') return undefined;
  return 'constraint' in (error as Error) ? String((error as Error & { constraint: unknown }).constraint) : undefined;
}

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ECONNABORTED',
]);
const CONNECTION_MESSAGES =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Cannot use a pool after|is not queryable|the database system is/i;
/**
 * Session ended because it idled (this process hung), server read-only (it is a standby now), still a conflict after all runs,
 * an I/O error of its disk, which a standby may not have.
 */
const AWAY_STATES = new Set(['25P03', '25P04', '25006', '58030', ...RETRYABLE]);
/** Connection lost, server leaving or out of memory or connections; not of disk space, which disk-space.ts names. */
const AWAY_CLASSES = /^(08|57P|53(?!100))/;
/** Statement cancelled for its time, lock not granted in time. */
const OUT_OF_TIME_STATES = new Set(['57014', '55P03']);

/**
 * Transient errors: the database is `away` (refused, cut, shutting down, starting, out of resources), or it answers but ran
 * `out-of-time`, this once or for this statement. Undefined: the statement or the program is wrong.
 */
export type DatabaseTrouble = 'away' | 'out-of-time';

export function databaseTrouble(error: unknown): DatabaseTrouble | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AggregateError && error.errors.length > 0) {
    const troubles = error.errors.map(databaseTrouble);
    return troubles.includes(undefined) ? undefined : troubles[0];
  }
  if (isSilence(error)) return 'out-of-time';
  if (isPlanOutdated(error)) return 'away';
  const state = sqlState(error);
  if (state !== undefined && !CONNECTION_CODES.has(state)) {
    if (OUT_OF_TIME_STATES.has(state)) return 'out-of-time';
    return AWAY_STATES.has(state) || AWAY_CLASSES.test(state) ? 'away' : undefined;
  }
  const code = 'code' in error ? String(error.code) : '';
  return CONNECTION_CODES.has(code) || CONNECTION_MESSAGES.test(error.message) ? 'away' : undefined;
}

/** Whether a retry may succeed: the database is away or ran out of time. */
export function isDatabaseAway(error: unknown): boolean {
  return databaseTrouble(error) !== undefined;
}

/** Whether a statement was sent and nothing came back within query_timeout: it still runs, or the connection is half open. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Whether the server refused to write: it has become a standby. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006';
}

/** Whether a prepared statement returns other types than when it was prepared: a migration changed a column behind it. */
export function isPlanOutdated(error: unknown): boolean {
  return sqlState(error) === '0A000' && (error as Error).message.includes('cached plan must not change result type');
}
