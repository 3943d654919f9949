/** Restores what backup.ts writes into an empty database, all rows or none. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  BackupError,
  type BackupFooter,
  type BackupHeader,
  END_OF_ROWS,
  FORMAT,
  listTables,
  type TableHeader,
  target,
  withSession,
} from './backup.ts';
import { listMigrations, migrate } from './migrate.ts';
import { type Db, sqlState } from './transaction.ts';

/**
 * Reads a backup from `source`. The schema is first migrated to the state of the backup and, once the rows are in, to that of
 * this release, by means of `db`, a handle on the database at `url`. Throws BackupError when the database has rows, when the
 * backup is damaged or of a newer release; the tables are empty then, and restoring may be tried again.
 */
export async function restoreBackup(db: Db, url: string, source: Readable): Promise<BackupFooter> {
  const lines = new LineReader(source.pipe(createGunzip({ chunkSize: CHUNK_BYTES })));
  source.once('error', (error) => lines.fail(error));
  const header = await readHeader(lines);
  const footer = await withSession(url, async (client) => {
    await refuseRows(client);
    await migrate(db, { upTo: await findLastMigration(client, header) });
    await client.query('begin');
    const restored = await restoreRows(client, lines, header);
    await client.query('commit');
    await client.query('analyze');
    return restored;
  });
  await migrate(db);
  return footer;
}

async function readHeader(lines: LineReader): Promise<BackupHeader> {
  const header = await lines.readJson<BackupHeader>();
  if (header.format === FORMAT) return header;
  throw new BackupError(`That file is not a backup in the format ${FORMAT}, which this release reads.`);
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
async function findLastMigration(client: pg.Client, { migrations }: BackupHeader): Promise<string | undefined> {
  const known = await listMigrations();
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
  const known = (await listTables(client)).map(({ table }) => pg.escapeIdentifier(table));
  await client.query(`lock table ${known.join(', ')} in access exclusive mode`);
  // A service may have written between the first look and the lock.
  await refuseRows(client);
  // The rows of the backup are counted already: with triggers they would be counted again.
  for (const table of known) await client.query(`alter table ${table} disable trigger user`);
  const counted: Record<string, number> = {};
  for (let i = 0; i < tables; i++) {
    const header = await lines.readJson<TableHeader>();
    const copy = client.query(copyFrom(`copy ${target(header)} from stdin`));
    await pipeline(lines.readRows(), copy).catch((cause: Error) => {
      // Rows that do not fit the table (22) or each other (23).
      const isDamaged = /^2[23]/.test(sqlState(cause) ?? '');
      throw isDamaged ? new BackupError(`The backup is damaged: ${cause.message}`, { cause }) : cause;
    });
    counted[header.table] = copy.rowCount;
  }
  const footer = await lines.readJson<BackupFooter>();
  for (const [table, rows] of Object.entries(footer.rows)) {
    if (counted[table] !== rows) {
      throw new BackupError(`The backup is damaged: ${table} should have ${rows} rows, has ${counted[table] ?? 0}.`);
    }
  }
  for (const [name, value] of Object.entries(footer.sequences)) {
    if (value !== null) await client.query('select setval($1::regclass, $2)', [pg.escapeIdentifier(name), value]);
  }
  for (const table of known) await client.query(`alter table ${table} enable trigger user`);
  return footer;
}

/** Rows of output cases may take megabytes; each chunk copies what is there of an unfinished row. */
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
/** Rows are handed on in pieces of this size. */
const PIECE_BYTES = 64 * 1024;

/** Lines of a stream of bytes. Splits at \n only, as COPY does; a row may hold any other line separator. */
class LineReader {
  readonly #stream: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#stream = stream;
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Makes the next read reject. */
  fail(error: Error): void {
    this.#stream.destroy(error);
  }

  async readJson<T>(): Promise<T> {
    const line = await this.#readLine();
    try {
      return JSON.parse(line.toString('utf8')) as T;
    } catch (cause) {
      throw new BackupError('The file is not a backup, or it is damaged.', { cause });
    }
  }

  /** The rows of a table, newlines included, without the line that ends them. */
  async *readRows(): AsyncGenerator<Buffer> {
    let piece: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const line = await this.#readLine();
      if (line.length === END_OF_ROWS.length && line.toString('latin1') === END_OF_ROWS) break;
      piece.push(line, Buffer.of(NEWLINE));
      bytes += line.length + 1;
      if (bytes < PIECE_BYTES) continue;
      yield Buffer.concat(piece);
      piece = [];
      bytes = 0;
    }
    if (piece.length > 0) yield Buffer.concat(piece);
  }

  /** The next line without its newline. Throws BackupError at the end of the stream. */
  async #readLine(): Promise<Buffer> {
    let from = 0;
    for (;;) {
      const end = this.#rest.indexOf(NEWLINE, from);
      if (end >= 0) {
        const line = this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      from = this.#rest.length;
      this.#rest = Buffer.concat([this.#rest, await this.#readChunk()]);
    }
  }

  async #readChunk(): Promise<Buffer> {
    const next = await this.#chunks.next().catch((cause: NodeJS.ErrnoException) => {
      // zlib's codes; anything else comes from the file system.
      const isDamaged = cause.code?.startsWith('Z_') === true;
      throw isDamaged ? new BackupError('The file is not a backup, or it is damaged.', { cause }) : cause;
    });
    if (next.done === true) throw new BackupError('The backup is incomplete: it ends before its last line.');
    return next.value;
  }
}
