/**
 * Forward-only migrations, all of a call in one transaction under an advisory lock: several processes may start at once, one of
 * them migrates. The lock belongs to the transaction, not to the session as Kysely's own does, which through a pooler could
 * stay with whoever gets the session next.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type Db, sqlState, type Trx } from './transaction.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);

export interface MigrationOutcome {
  /** Names of the migrations applied by this call, in order. */
  readonly applied: readonly string[];
}

/**
 * Serialization failure, deadlock, lock not granted within lock_timeout: what happens to whoever wants whole tables while
 * requests are served. Everything was rolled back, and is tried again.
 */
const TRANSIENT_STATES = new Set(['40001', '40P01', '55P03']);
const MAXIMUM_RUNS = 20;
/** Requests that queued up behind the lock get their turn. */
const PAUSE_MS = 500;

export interface MigrateOptions {
  /** Told before another try. */
  readonly onRetry?: (error: Error) => void;
  /** Name of the last migration to apply; the newest unless given. */
  readonly upTo?: string | undefined;
}

/** Brings the schema up to date. */
export async function migrate(db: Db, { onRetry, upTo }: MigrateOptions = {}): Promise<MigrationOutcome> {
  for (let run = 1; ; run++) {
    try {
      return await db.transaction().execute((trx) => migrateLocked(trx, upTo));
    } catch (error) {
      if (run === MAXIMUM_RUNS || !TRANSIENT_STATES.has(sqlState(error) ?? '')) throw error;
      onRetry?.(error as Error);
      await delay(PAUSE_MS);
    }
  }
}

/** Kysely's number: also migrators of the versions before, which lock through it, wait for this one. */
const LOCK_ID = '3853314791062309107';

async function migrateLocked(trx: Trx, upTo: string | undefined): Promise<MigrationOutcome> {
  // An index over a large table takes as long as it takes, and so does whoever migrates already.
  const { rows } = await sql<{ lockTimeout: string }>`
    select current_setting('lock_timeout') as "lockTimeout",
      set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(trx);
  await sql`select pg_advisory_xact_lock(${LOCK_ID}::bigint)`.execute(trx);
  // From here on others wait behind.
  await sql`select set_config('lock_timeout', ${rows[0]!.lockTimeout}, true)`.execute(trx);
  const migrator = new Migrator({ db: trx, provider: { getMigrations } });
  const { error, results } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error !== undefined) throw error;
  return { applied: (results ?? []).map((result) => result.migrationName) };
}

/** Answers whether the database has every migration of this version, with one statement; the list of them is read once. */
export function makeMigrationCheck(db: Db): () => Promise<boolean> {
  let names: readonly string[] | undefined;
  return async () => {
    names ??= await listMigrations();
    return (await countApplied(db, names)) === names.length;
  };
}

const UNDEFINED_TABLE = '42P01';

/** How many of the migrations the database has; none when it has never been migrated. */
async function countApplied(db: Db, names: readonly string[]): Promise<number> {
  try {
    const { rows } = await sql<{ applied: number }>`
      select count(*)::int as applied from kysely_migration where name = any(${names}::text[])`.execute(db);
    return rows[0]!.applied;
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/** Names in the order in which they are applied. */
export async function listMigrations(): Promise<readonly string[]> {
  const files = (await readdir(FOLDER)).filter((file) => /^\d{4}-[a-z0-9-]+\.ts$/.test(file));
  return files.map((file) => file.replace(/\.ts$/, '')).sort();
}

async function getMigrations(): Promise<Record<string, Migration>> {
  const migrations: Record<string, Migration> = {};
  for (const name of await listMigrations()) {
    const module = (await import(new URL(`${name}.ts`, FOLDER).href)) as { sql: string };
    migrations[name] = {
      up: async (db) => {
        await sql.raw(module.sql).execute(db);
      },
    };
  }
  return migrations;
}
