/**
 * Migrations. Numbered ones are applied once, in order, forward only. Repeatable ones (migrations/repeatable) hold the only text
 * of something that is replaced as a whole, such as a function; they follow the numbered ones and are applied whenever their
 * revision is newer than the database's, or their text differs at the same revision. A release never puts back its own text
 * over a newer revision.
 *
 * All migrations of a call run in one transaction under an advisory lock: several processes may start simultaneously, one of them
 * migrates, and a killed one leaves nothing half done. The lock belongs to the transaction, not to the session as Kysely's own
 * does: behind a pooler, the lock of a session could stay with its next user.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type Db, sqlState, type Trx } from './connection/transaction.ts';
import { checkHistory, FOLDED, findMigrations, listMigrations, MIGRATIONS_FOLDER } from './history.ts';

export interface MigrationOutcome {
  /** Names of the migrations applied by this call, in order. */
  readonly applied: readonly string[];
}

/**
 * Serialization failure, deadlock, lock not granted within lock_timeout: they happen to a statement that needs whole tables while
 * requests are served. Everything was rolled back and is tried again.
 */
const TRANSIENT_STATES = new Set(['40001', '40P01', '55P03']);
const MAXIMUM_RUNS = 20;
/** Time for the requests that queued up behind the lock. */
const PAUSE_MS = 500;

export interface MigrateOptions {
  /** Called before another try. */
  readonly onRetry?: (error: Error) => void;
  /** Folder of the migrations, with the folder `repeatable`; default: those of this release. */
  readonly folder?: URL;
  /** Name of the last migration to apply; default: the newest. Repeatable migrations then wait for the newest. */
  readonly upTo?: string | undefined;
}

/** Brings the schema up to date. Throws EarlierSchemaError or LaterSchemaError. */
export async function migrate(
  db: Db,
  { onRetry, folder = MIGRATIONS_FOLDER, upTo }: MigrateOptions = {},
): Promise<MigrationOutcome> {
  const repeatable = upTo === undefined ? await readRepeatable(folder) : [];
  for (let run = 1; ; run++) {
    try {
      return await db.transaction().execute((trx) => migrateLocked(trx, folder, repeatable, upTo));
    } catch (error) {
      if (run === MAXIMUM_RUNS || !TRANSIENT_STATES.has(sqlState(error) ?? '')) throw error;
      onRetry?.(error as Error);
      await delay(PAUSE_MS);
    }
  }
}

/** Kysely's number: migrators of earlier versions lock through Kysely, and each waits for the other. */
const LOCK_ID = '3853314791062309107';

async function migrateLocked(
  trx: Trx,
  folder: URL,
  repeatable: readonly RepeatableMigration[],
  upTo: string | undefined,
): Promise<MigrationOutcome> {
  // An index over a large table may take long, and so may another migrator.
  const { rows } = await sql<{ lockTimeout: string }>`
    select current_setting('lock_timeout') as "lockTimeout",
      set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(trx);
  await sql`select pg_advisory_xact_lock(${LOCK_ID}::bigint)`.execute(trx);
  // From here on requests queue up behind every lock that is waited for.
  await sql`select set_config('lock_timeout', ${rows[0]!.lockTimeout}, true)`.execute(trx);
  await checkHistory(trx, await listMigrations(folder));
  const migrator = new Migrator({ db: trx, provider: { getMigrations: () => getMigrations(folder) } });
  const { error, results } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error !== undefined) throw error;
  const applied = (results ?? []).map(({ migrationName }) => migrationName).filter((name) => !FOLDED.includes(name));
  for (const one of repeatable) if (await applyIfChanged(trx, one)) applied.push(one.name);
  return { applied };
}

/** A file of migrations/repeatable. */
interface RepeatableMigration {
  readonly name: string;
  readonly revision: number;
  readonly checksum: string;
  readonly text: string;
}

const REVISION = /^-- revision (\d+)\b/;

/** In the order of their names. Throws when a file does not begin with its revision. */
async function readRepeatable(migrations: URL): Promise<readonly RepeatableMigration[]> {
  const folder = new URL('repeatable/', migrations);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8');
      const revision = REVISION.exec(text)?.[1];
      if (revision === undefined)
        throw new Error(`migrations/repeatable/${file} must begin with "-- revision <number>"`);
      const checksum = createHash('sha256').update(text).digest('hex');
      return { name: `repeatable/${file.replace(/\.sql$/, '')}`, revision: Number(revision), checksum, text };
    }),
  );
}

/** False: the database has this text already, or a newer revision. */
async function applyIfChanged(trx: Trx, { name, revision, checksum, text }: RepeatableMigration): Promise<boolean> {
  const { rows } = await sql`
    insert into repeatable_migrations as known (name, revision, checksum)
    values (${name}, ${revision}, ${checksum})
    on conflict (name) do update
      set revision = excluded.revision, checksum = excluded.checksum, applied_at = now()
      where known.revision < excluded.revision
        or (known.revision = excluded.revision and known.checksum <> excluded.checksum)
    returning name`.execute(trx);
  if (rows.length === 0) return false;
  await sql.raw(text).execute(trx);
  return true;
}

/** Returns whether the database has every migration of this release, with one statement. The files are read once. */
export function makeMigrationCheck(db: Db): () => Promise<boolean> {
  let expected: readonly [readonly string[], readonly RepeatableMigration[]] | undefined;
  return async () => {
    expected ??= await Promise.all([listMigrations(), readRepeatable(MIGRATIONS_FOLDER)]);
    const [names, repeatable] = expected;
    return (await countApplied(db, names, repeatable)) === names.length + repeatable.length;
  };
}

/** Whether migrations of an earlier release are in the database, and some of this one are not. */
export async function isBehind(db: Db): Promise<boolean> {
  const applied = await countApplied(db, await listMigrations(), []);
  return applied > 0 && !(await makeMigrationCheck(db)());
}

const UNDEFINED_TABLE = '42P01';

/** Number of the migrations that the database has; none when it has never been migrated. */
async function countApplied(
  db: Db,
  names: readonly string[],
  repeatable: readonly RepeatableMigration[],
): Promise<number> {
  try {
    const { rows } = await sql<{ applied: number }>`
      select (select count(*) from kysely_migration where name = any(${names}::text[]))::int + (
        select count(*) from repeatable_migrations known
        join unnest(${repeatable.map(({ name }) => name)}::text[], ${repeatable.map(({ revision }) => revision)}::int[],
          ${repeatable.map(({ checksum }) => checksum)}::text[]) as expected (name, revision, checksum)
          on known.name = expected.name and (known.revision > expected.revision
            or (known.revision = expected.revision and known.checksum = expected.checksum)))::int as applied`.execute(
      db,
    );
    return rows[0]!.applied;
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/** Those of the folder, and the folded ones, which change nothing. */
async function getMigrations(folder: URL): Promise<Record<string, Migration>> {
  const migrations: Record<string, Migration> = Object.fromEntries(
    FOLDED.map((name) => [name, { up: async () => {} }]),
  );
  for (const [name, file] of await findMigrations(folder)) {
    const module = (await import(new URL(file, folder).href)) as { sql: string };
    migrations[name] = {
      up: async (db) => {
        await sql.raw(module.sql).execute(db);
      },
    };
  }
  return migrations;
}
