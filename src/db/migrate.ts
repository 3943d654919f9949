/** Forward-only migrations under Kysely's advisory lock: several processes may start at once, one of them migrates. */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type Db, sqlState } from './transaction.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);

export interface MigrationOutcome {
  /** Names of the migrations applied by this call, in order. */
  readonly applied: readonly string[];
}

/**
 * Serialization failure, deadlock, lock not granted within lock_timeout: what happens to whoever wants whole tables while
 * requests are served. Everything was rolled back, and is tried again.
 */
const PASSING_STATES = new Set(['40001', '40P01', '55P03']);
const MAXIMUM_RUNS = 20;
/** Requests that queued up behind the lock get their turn. */
const PAUSE_MS = 500;

export interface MigrateOptions {
  /** Told before another try. */
  readonly onRetry?: (error: Error) => void;
}

/** Brings the schema up to date. Each migration runs in one transaction with all others of the call. */
export async function migrate(db: Db, { onRetry }: MigrateOptions = {}): Promise<MigrationOutcome> {
  for (let run = 1; ; run++) {
    const { error, results } = await new Migrator({ db, provider: { getMigrations } }).migrateToLatest();
    if (error === undefined) return { applied: (results ?? []).map((result) => result.migrationName) };
    if (run === MAXIMUM_RUNS || !PASSING_STATES.has(sqlState(error) ?? '')) throw error;
    onRetry?.(error as Error);
    await delay(PAUSE_MS);
  }
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
async function listMigrations(): Promise<readonly string[]> {
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
