/**
 * A backup is one gzipped file of lines, written by the server's COPY, so that every value comes back bit for bit:
 *
 *   {"format": ..., "migrations": [...], "tables": n}     first line
 *   {"table": ..., "columns": [...]}                      of each table, parents before the tables that refer to them,
 *   rows as COPY writes them, then \.                     all from one snapshot
 *   {"rows": {...}, "sequences": {...}}                   last line; a file without it is incomplete
 *
 * It holds the rows of one schema, not the schema, which restore.ts makes with the migrations named in the first line.
 * Unlogged tables are left out: their rows may get lost at any time.
 */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { hostClient } from '../connection/hosts.ts';

export const FORMAT = 'backsolve-backup-1';
/** The last line of COPY; a row cannot look like it, because COPY doubles backslashes. */
export const END_OF_ROWS = '\\.';

export interface BackupHeader {
  readonly format: typeof FORMAT;
  readonly createdAt: string;
  readonly migrations: readonly string[];
  readonly tables: number;
}

export interface TableHeader {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface BackupFooter {
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Last value by sequence; null for one that was never used. */
  readonly sequences: Readonly<Record<string, number | null>>;
}

/** A database that cannot be backed up or restored; the message says why and what to do, for a terminal. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
  }
}

/**
 * Writes a backup of the database at `url` to `destination` and ends that stream; the service may run meanwhile. Throws
 * BackupError, and whatever the database or the stream reports.
 */
export async function writeBackup(url: string, destination: Writable): Promise<BackupFooter> {
  return withSession(url, async (client) => {
    // Values in the forms that every server reads alike, whatever the role or the database has set.
    await client.query(
      "begin isolation level repeatable read read only; set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; " +
        "set local bytea_output = 'hex'; set local extra_float_digits = 1",
    );
    const footer = { rows: {}, sequences: {} };
    await pipeline(linesOfBackup(client, footer), createGzip(), destination);
    await client.query('commit');
    return footer;
  });
}

interface Footer {
  readonly rows: Record<string, number>;
  sequences: Record<string, number | null>;
}

async function* linesOfBackup(client: pg.Client, footer: Footer): AsyncGenerator<Buffer> {
  const tables = await listTables(client);
  if (tables.length === 0) throw new BackupError('That database is empty: there is nothing to back up.');
  // No migration may change a table before its rows are read.
  await client.query(
    `lock table ${tables.map(({ table }) => pg.escapeIdentifier(table)).join(', ')} in access share mode`,
  );
  const { rows: applied } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  const migrations = applied.map(({ name }) => name).filter((name) => /^\d{4}-/.test(name));
  const createdAt = new Date().toISOString();
  yield toLine({ format: FORMAT, createdAt, migrations, tables: tables.length } satisfies BackupHeader);
  for (const { table, columns } of inOrderOfReferences(tables, await listReferences(client))) {
    yield toLine({ table, columns } satisfies TableHeader);
    const copy = client.query(copyTo(`copy ${target({ table, columns })} to stdout`));
    // Ends early only when the whole backup does; the session is closed then.
    for await (const chunk of copy as AsyncIterable<Buffer>) yield chunk;
    footer.rows[table] = copy.rowCount;
    yield Buffer.from(`${END_OF_ROWS}\n`);
  }
  // After the rows: sequences run ahead of every snapshot, so that no number in the rows is above its sequence.
  footer.sequences = await readSequences(client);
  yield toLine(footer satisfies BackupFooter);
}

function toLine(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** The table with its columns, as COPY wants it. */
export function target({ table, columns }: TableHeader): string {
  return `${pg.escapeIdentifier(table)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`;
}

/** A session without time limits, apart from any pool. */
export async function withSession<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { Client, connectionString } = hostClient(url);
  const client = new Client({
    connectionString,
    application_name: 'backsolve-backup',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Identities and counts as numbers.
    types: { getTypeParser: (oid: number, format) => (oid === 20 ? Number : pg.types.getTypeParser(oid, format)) },
  });
  // Also reported by the statement under way; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(
      'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set jit = off',
    );
    const result = await work(client);
    await client.end();
    return result;
  } catch (error) {
    const closed = once(client.connection.stream, 'close');
    // Asked to end in the midst of a COPY, the session would first send the rest.
    client.connection.stream.destroy();
    await closed;
    throw error;
  }
}

/** The tables with the rows of the product and their columns: not those that record migrations, and no generated columns. */
export async function listTables(client: pg.Client): Promise<readonly TableHeader[]> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(`
    select c.relname::text as table, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and c.relname not like 'kysely\\_%' and c.relname <> 'repeatable_migrations'
    group by c.relname order by c.relname`);
  return rows;
}

interface Reference {
  readonly child: string;
  readonly parent: string;
}

async function listReferences(client: pg.Client): Promise<readonly Reference[]> {
  const { rows } = await client.query<{ child: string; parent: string }>(`
    select child.relname::text as child, parent.relname::text as parent
    from pg_constraint k join pg_class child on child.oid = k.conrelid join pg_class parent on parent.oid = k.confrelid
    where k.contype = 'f' and child.oid <> parent.oid and k.connamespace = current_schema()::regnamespace`);
  return rows;
}

/** Foreign keys are checked when the rows of a table are in, so that the tables it refers to must come first. */
function inOrderOfReferences(tables: readonly TableHeader[], references: readonly Reference[]): readonly TableHeader[] {
  const ordered: TableHeader[] = [];
  let rest = tables;
  while (rest.length > 0) {
    const isOpen = ({ child, parent }: Reference) => rest.some(({ table }) => table === parent) && child !== parent;
    const isReady = ({ table }: TableHeader) => !references.some((one) => one.child === table && isOpen(one));
    const ready = rest.filter(isReady);
    if (ready.length === 0) throw new Error(`tables refer to each other: ${rest.map(({ table }) => table).join(', ')}`);
    ordered.push(...ready);
    rest = rest.filter((one) => !ready.includes(one));
  }
  return ordered;
}

async function readSequences(client: pg.Client): Promise<Record<string, number | null>> {
  const { rows } = await client.query<{ name: string; isReadable: boolean; value: number | null }>(`
    select sequencename::text as name, last_value as value,
      has_sequence_privilege(format('%I.%I', schemaname, sequencename), 'select') as "isReadable"
    from pg_sequences where schemaname = current_schema() order by 1`);
  const hidden = rows.find(({ isReadable }) => !isReadable);
  if (hidden !== undefined) {
    throw new BackupError(
      `The role of DATABASE_URL may not read the sequence ${hidden.name}. Back up with the role that owns the schema.`,
    );
  }
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
