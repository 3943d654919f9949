/** The names of all migrations, and which databases and backups go on with them. */
import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import { ROOT } from '../installation.ts';
import type { Trx } from './connection/transaction.ts';

/** Folder of the migrations of this release. */
export const MIGRATIONS_FOLDER = new URL('migrations/', ROOT);

/**
 * Migrations whose text has become part of the first schema. A database keeps their names, and a new one records them as well, so that
 * the databases of both have the same history: containers of the version before go on beside those of this one.
 */
export const FOLDED: readonly string[] = [
  '0007-note-runs',
  '0008-keep-advice',
  '0009-weigh-nearest-runs',
  '0010-label-objectives',
  '0011-keep-drafts',
  '0012-rank-nearest-by-value',
  '0013-keep-workbooks',
  '0014-keep-jacobians',
  '0016-name-sources',
  '0017-correct-jacobians',
  '0018-keep-notes',
  '0019-know-people',
  '0020-share-and-tell',
  '0021-bind-grants',
];

/** The last version that has the folded migrations each by itself. */
const UPGRADING_VERSION = 'commit b857ca84';

/** Files by name: TypeScript in a clone, JavaScript in a package. */
export async function findMigrations(folder: URL): Promise<ReadonlyMap<string, string>> {
  const found = (await readdir(folder)).map((file) => /^(\d{4}-[a-z0-9-]+)\.[jt]s$/.exec(file));
  return new Map(found.filter((match) => match !== null).map(([file, name]) => [name!, file]));
}

/** Names in the order in which they are applied. */
export async function listMigrations(folder = MIGRATIONS_FOLDER): Promise<readonly string[]> {
  return [...(await findMigrations(folder)).keys(), ...FOLDED].sort();
}

/** A later release has migrated the database. */
export class LaterSchemaError extends Error {
  override readonly name = 'LaterSchemaError';
  /** The newest one that this release does not know. */
  readonly migration: string;

  constructor(migration: string) {
    super(
      `A later release has migrated this database (${migration}); this one does not know that migration, and has changed nothing. Use ` +
        'the later release, or restore a backup that was made before.',
    );
    this.migration = migration;
  }
}

/** A version has migrated the database that had only some of the migrations which are now the first schema. */
class EarlierSchemaError extends Error {
  override readonly name = 'EarlierSchemaError';

  constructor() {
    super(
      `This database has the schema of a version before 0.1.0, which this one does not bring up to date; nothing was changed. Start ` +
        `${UPGRADING_VERSION} with it once, and then this version again.`,
    );
  }
}

/** True if it has migrations, but not all of those that are now the first schema. */
export function isOfEarlierSchema(migrations: readonly string[]): boolean {
  return migrations.length > 0 && !FOLDED.every((name) => migrations.includes(name));
}

/** Advice for a backup of such a database. */
export const EARLIER_BACKUP =
  'The backup is of a version before 0.1.0, whose schema this one does not bring up to date. Restore it with ' +
  `${UPGRADING_VERSION}, and back that database up again.`;

/** Throws EarlierSchemaError or LaterSchemaError unless the migrations of this release follow those that the database has. */
export async function checkHistory(trx: Trx, known: readonly string[]): Promise<void> {
  const { rows: tables } = await sql`select where to_regclass('kysely_migration') is not null`.execute(trx);
  if (tables.length === 0) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name desc`.execute(trx);
  const applied = rows.map(({ name }) => name);
  if (isOfEarlierSchema(applied)) throw new EarlierSchemaError();
  const later = applied.find((name) => !known.includes(name));
  if (later !== undefined) throw new LaterSchemaError(later);
}
