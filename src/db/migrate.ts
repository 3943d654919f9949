/** Forward-only migrations under Kysely's advisory lock: several processes may start at once, one of them migrates. */
import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Db } from './transaction.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);

export interface MigrationOutcome {
  /** Names of the migrations applied by this call, in order. */
  readonly applied: readonly string[];
}

/** Brings the schema up to date. Each migration runs in one transaction with all others of the call. */
export async function migrate(db: Db): Promise<MigrationOutcome> {
  const migrator = new Migrator({ db, provider: { getMigrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return { applied: (results ?? []).map((result) => result.migrationName) };
}

/** Names of migrations that the database still lacks. */
export async function pendingMigrations(db: Db): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations } });
  const all = await migrator.getMigrations();
  return all.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name);
}

async function getMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(FOLDER)).filter((file) => /^\d{4}-[a-z0-9-]+\.ts$/.test(file)).sort();
  const migrations: Record<string, Migration> = {};
  for (const file of files) {
    const module = (await import(new URL(file, FOLDER).href)) as { sql: string };
    migrations[file.replace(/\.ts$/, '')] = {
      up: async (db) => {
        await sql.raw(module.sql).execute(db);
      },
    };
  }
  return migrations;
}
