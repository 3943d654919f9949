/** Databases from before the migrations were written as one first schema, and the way of their rows into it. */
import { sql } from 'kysely';
import type { Trx } from '../connection/transaction.ts';
import { BackupError, type BackupHeader } from './backup.ts';

const FIRST_MIGRATION = '0001-create-tables';
const LAST_MIGRATION = '0033-bind-sessions-to-the-page';
/** With this migration the schema has all that the earlier one had. */
const SAME_SCHEMA = '0006-count-storage';
/** Tables that are counted again after a restoration. */
const DROPPED: ReadonlySet<string> = new Set(['account_usage', 'account_usage_slot_seq']);
const NONE: ReadonlySet<string> = new Set();
/** Columns that are gone, by table. */
const DROPPED_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map([['objectives', ['is_parallel']]]);

class EarlierSchemaError extends Error {
  constructor() {
    super(
      'This database has the schema of a version before 0.1.0, which no migration brings up to date. Save it with `npx backsolve ' +
        'backup FILE` and read the file into a new database with `npx backsolve restore FILE`, with DATA_DIR set to a new folder or ' +
        'DATABASE_URL to an empty database; the old one is left as it is.',
    );
    this.name = 'EarlierSchemaError';
  }
}

/** Throws EarlierSchemaError. */
export async function refuseEarlierSchema(trx: Trx): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists`.execute(trx);
  if (!rows[0]!.exists) return;
  const found = await sql`select from kysely_migration where name = ${FIRST_MIGRATION}`.execute(trx);
  if (found.rows.length > 0) throw new EarlierSchemaError();
}

export interface Restorable {
  readonly header: BackupHeader;
  /** Tables and sequences to be left out. */
  readonly dropped: ReadonlySet<string>;
  /** Columns to be left out, by table. */
  readonly droppedColumns: ReadonlyMap<string, readonly string[]>;
}

/** The header with the migrations of this release that its rows fit; `known`: all of them. Throws BackupError. */
export function translateEarlier(header: BackupHeader, known: readonly string[]): Restorable {
  if (!header.migrations.includes(FIRST_MIGRATION)) return { header, dropped: NONE, droppedColumns: new Map() };
  if (header.migrations.at(-1) !== LAST_MIGRATION) {
    throw new BackupError(
      'The backup was made before version 0.1.0 and is not of its last schema. Restore it with the version that made it, migrate ' +
        `that database with the last version before 0.1.0 (migration ${LAST_MIGRATION}), and back it up again.`,
    );
  }
  const migrations = known.filter((name) => name <= SAME_SCHEMA);
  return { header: { ...header, migrations }, dropped: DROPPED, droppedColumns: DROPPED_COLUMNS };
}
