/** Restores what backup.ts writes into an empty database, all rows or none. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Db, sqlState } from '../connection/transaction.ts';
import { EARLIER_BACKUP, isOfEarlierSchema, listMigrations } from '../history.ts';
import { migrate } from '../migrate.ts';
import {
  BackupError,
  type BackupFooter,
  type BackupHeader,
  FORMAT,
  listTables,
  type TableHeader,
  target,
  withSession,
} from './backup.ts';
import { LineReader } from './line-reader.ts';

/**
 * Reads a backup from `source`. The schema is first migrated to the state of the backup and, once the rows are in, to that of
 * this release, by means of `db`, a handle on the database at `url`. `folder` has the migrations; default: those of this
 * release. Throws BackupError when the database has rows, when the backup is damaged, of a newer release or of a version before 0.1.0;
 * the tables are empty then, and restoring may be tried again.
 */
export async function restoreBackup(db: Db, url: string, source: Readable, folder?: URL): Promise<BackupFooter> {
  const lines = new LineReader(source.pipe(createGunzip({ chunkSize: CHUNK_BYTES })));
  source.once('error', (error) => lines.fail(error));
  const header = await readHeader(lines);
  const footer = await withSession(url, async (client) => {
    await refuseRows(client);
    await migrate(db, { folder, upTo: await findLastMigration(client, header, await listMigrations(folder)) });
    await client.query('begin');
    const restored = await restoreRows(client, lines, header);
    await client.query('commit');
    await client.query('analyze');
    return restored;
  });
  await migrate(db, { folder });
  return footer;
}

async function readHeader(lines: LineReader): Promise<BackupHeader> {
  const header = (await lines.readJson()) as Partial<BackupHeader> | null;
  if (header?.format !== FORMAT) {
    throw new BackupError(`That file is not a backup in the format ${FORMAT}, which this release reads.`);
  }
  const { migrations, tables } = header;
  if (!isNames(migrations) || !Number.isSafeInteger(tables)) throw damaged('its first line is wrong.');
  return header as BackupHeader;
}

/** A database that holds rows, of any origin, is never touched. */
async function refuseRows(client: pg.Client): Promise<void> {
  for (const { table } of await listTables(client)) {
    const { rows } = await client.query(`select from ${pg.escapeIdentifier(table)} limit 1`);
    if (rows.length > 0) {
      throw new BackupError(
        `That database is not empty: the table ${table} has rows. Restore into a new one: ` +
          'set DATA_DIR to a new folder, or DATABASE_URL to an empty database.',
      );
    }
  }
}

/** The last migration of the backup, with which its rows fit the schema. */
async function findLastMigration(
  client: pg.Client,
  { migrations }: BackupHeader,
  known: readonly string[],
): Promise<string | undefined> {
  if (isOfEarlierSchema(migrations)) throw new BackupError(EARLIER_BACKUP);
  const newer = migrations.find((name) => !known.includes(name));
  if (newer !== undefined) {
    throw new BackupError(
      `The backup comes from a newer release (migration ${newer}). Restore it with that one or a later one.`,
    );
  }
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('kysely_migration') is not null as exists",
  );
  if (rows[0]!.exists) {
    const { rows: applied } = await client.query<{ name: string }>('select name from kysely_migration order by name');
    const ahead = applied.find(({ name }) => known.includes(name) && !migrations.includes(name));
    if (ahead !== undefined) {
      throw new BackupError(
        `That database is of a newer release than the backup (migration ${ahead.name}). Restore into a new, empty database.`,
      );
    }
  }
  return migrations.at(-1);
}

async function restoreRows(client: pg.Client, lines: LineReader, { tables }: BackupHeader): Promise<BackupFooter> {
  const schema = await listTables(client);
  const known = schema.map(({ table }) => pg.escapeIdentifier(table));
  await client.query(`lock table ${known.join(', ')} in access exclusive mode`);
  // A service may have written between the first look and the lock.
  await refuseRows(client);
  // The rows that triggers wrote are in the backup.
  for (const table of known) await client.query(`alter table ${table} disable trigger user`);
  const counted: Record<string, number> = {};
  for (let i = 0; i < tables; i++) {
    const header = readTable(await lines.readJson(), schema);
    const copy = client.query(copyFrom(`copy ${target(header)} from stdin`));
    await pipeline(lines.readRows(), copy).catch((cause: Error) => {
      // Rows that do not fit the table (22), each other (23) or the server (54).
      throw /^(2[23]|54)/.test(sqlState(cause) ?? '') ? damaged(cause.message, cause) : cause;
    });
    counted[header.table] = copy.rowCount;
  }
  const footer = await readFooter(client, lines);
  for (const [table, rows] of Object.entries(footer.rows)) {
    if (counted[table] !== rows) {
      throw damaged(`${table} should have ${rows} rows, has ${counted[table] ?? 0}.`);
    }
  }
  for (const [name, value] of Object.entries(footer.sequences)) {
    if (value !== null) await client.query('select setval($1::regclass, $2)', [pg.escapeIdentifier(name), value]);
  }
  for (const table of known) await client.query(`alter table ${table} enable trigger user`);
  return footer;
}

/** A table of this schema, with columns that it has. Throws BackupError. */
function readTable(line: unknown, schema: readonly TableHeader[]): TableHeader {
  const header = line as Partial<TableHeader> | null;
  const known = schema.find(({ table }) => table === header?.table);
  if (known === undefined) throw damaged(`it names a table that there is not: ${JSON.stringify(header?.table)}.`);
  const { columns } = header!;
  if (
    !isNames(columns) ||
    new Set(columns).size < columns.length ||
    !columns.every((one) => known.columns.includes(one))
  )
    throw damaged(`the columns of ${known.table} are wrong.`);
  return { table: known.table, columns };
}

/** Throws BackupError unless it has numbers for rows and for sequences that there are. */
async function readFooter(client: pg.Client, lines: LineReader): Promise<BackupFooter> {
  const footer = (await lines.readJson()) as Partial<BackupFooter> | null;
  const { rows: found } = await client.query<{ name: string }>(
    'select sequencename::text as name from pg_sequences where schemaname = current_schema()',
  );
  const names = new Set(found.map(({ name }) => name));
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  const areSequences = Object.entries(footer?.sequences ?? {}).every(
    ([name, value]) => names.has(name) && (value === null || (isCount(value) && value > 0)),
  );
  const hasAll = isObject(footer?.rows) && isObject(footer?.sequences);
  if (!hasAll || !areSequences || !Object.values(footer!.rows!).every(isCount))
    throw damaged('its last line is wrong.');
  return footer as BackupFooter;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(how: string, cause?: Error): BackupError {
  return new BackupError(`The backup is damaged: ${how}`, { cause });
}

const CHUNK_BYTES = 256 * 1024;
