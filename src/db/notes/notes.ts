/** Notes on objectives and their runs, and the files in them. */
import { sql } from 'kysely';
import { MAXIMUM_NOTES, type Note } from '../../domain/notes/note.ts';
import { type Extent, type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { deleteStored, noteChanged } from '../accounts/account-usage.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { isWithinExtent } from '../extent.ts';
import { rowsOfPage } from '../pages.ts';

const COLUMNS = sql`n.id, n.objective_id as "objectiveId", n.inverse_id as "inverseId", n.iteration, n.text,
  case when n.file_name is not null then json_build_object('name', n.file_name, 'type', n.file_type, 'bytes', n.file_bytes,
    'hasThumbnail', n.thumbnail is not null) end as file,
  n.written_by as "writtenBy", n.created_at as "createdAt", n.edited_by as "editedBy", n.edited_at as "editedAt",
  n.disabled_at as "disabledAt"`;

/** Location of the bytes of a file: in the note, or in a store of objects under a key. */
export type FileLocation = { readonly content: Uint8Array } | { readonly storageKey: string };

export interface NewNoteFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly thumbnail: Uint8Array | null;
  readonly location: FileLocation;
}

export interface NewNoteRow {
  readonly objectiveId: number;
  readonly inverse: { readonly id: number; readonly iteration: number } | null;
  readonly text: string;
  readonly writtenBy: string;
  readonly file: NewNoteFile | null;
}

export async function insertNote(trx: Trx, accountId: number, note: NewNoteRow): Promise<Note> {
  const { objectiveId, inverse, text, writtenBy, file } = note;
  const { content = null, storageKey = null } = (file?.location ?? {}) as { content?: Uint8Array; storageKey?: string };
  const { rows } = await sql<Note>`
    insert into notes as n (account_id, objective_id, inverse_id, iteration, text, written_by, file_name, file_type, file_bytes,
      content, storage_key, thumbnail)
    values (${accountId}, ${objectiveId}, ${inverse?.id ?? null}, ${inverse?.iteration ?? null}, ${text}, ${writtenBy},
      ${file?.name ?? null}, ${file?.type ?? null}, ${file?.bytes ?? null},
      ${content && Buffer.from(content)}, ${storageKey}, ${file?.thumbnail ? Buffer.from(file.thumbnail) : null})
    returning ${COLUMNS}`.execute(trx);
  return rows[0]!;
}

/** Whether the objective has as many as it may. Served by notes_objective. */
export async function hasMostNotes(trx: Trx, objectiveId: number): Promise<boolean> {
  const { rows } = await sql`
    select from notes where objective_id = ${objectiveId} offset ${sql.lit(MAXIMUM_NOTES - 1)} limit 1`.execute(trx);
  return rows.length === 1;
}

/** Deleted ones included. Primary key. */
export async function findNote(
  db: Db | Trx,
  accountId: number,
  objectiveId: number,
  id: number,
): Promise<Note | undefined> {
  const { rows } = await sql<Note>`
    select ${COLUMNS} from notes n
    where n.account_id = ${accountId} and n.objective_id = ${objectiveId} and n.id = ${id}`.execute(db);
  return rows[0];
}

export interface NoteFilter {
  /** null: all of the objective. */
  readonly inverseId: number | null;
  /** Default: those that are not deleted. */
  readonly extent?: Extent;
}

/** Served by notes_objective or notes_of_runs. */
export async function listNotes(
  db: Db,
  accountId: number,
  objectiveId: number,
  { inverseId, extent = 'active' }: NoteFilter,
  page: PageRequest,
): Promise<Page<Note>> {
  const { condition, order } = rowsOfPage('n.id', page);
  const { rows } = await sql<Note>`
    select ${COLUMNS} from notes n
    where n.account_id = ${accountId} and n.objective_id = ${objectiveId}
      and (${inverseId}::bigint is null or n.inverse_id = ${inverseId}::bigint)
      and ${isWithinExtent(extent, 'n.disabled_at')} and ${condition}
    order by ${order} limit ${page.limit + 1}`.execute(db);
  return toPage(rows, page);
}

/**
 * Time at which a note on the objective was last written, changed or deleted; another instant after a restoration.
 * Served by notes_objective.
 */
export async function readNotesChange(db: Db, objectiveId: number): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(greatest(created_at, edited_at, disabled_at)) as at from notes where objective_id = ${objectiveId}`.execute(
    db,
  );
  return rows[0]!.at;
}

/** The newest on an inverse that has a text. Served by notes_of_runs. */
export async function findNewestText(trx: Trx, inverseId: number): Promise<Note | undefined> {
  const { rows } = await sql<Note>`
    select ${COLUMNS} from notes n
    where n.inverse_id = ${inverseId} and n.disabled_at is null and n.text <> '' order by n.id desc limit 1`.execute(
    trx,
  );
  return rows[0];
}

export async function storeText(
  trx: Trx,
  accountId: number,
  id: number,
  { text, editedBy }: { readonly text: string; readonly editedBy: string },
): Promise<Note> {
  const { rows } = await sql<Note>`
    update notes n set text = ${text}, edited_by = ${editedBy}, edited_at = now()
    where n.account_id = ${accountId} and n.id = ${id} returning ${COLUMNS}`.execute(trx);
  await noteChanged(trx, 'notes', id);
  return rows[0]!;
}

export async function setDisabled(trx: Trx, accountId: number, id: number, isDisabled: boolean): Promise<Note> {
  const { rows } = await sql<Note>`
    update notes n set disabled_at = case when ${isDisabled}::boolean then now() end,
      counts_from = case when ${isDisabled}::boolean then now() end
    where n.account_id = ${accountId} and n.id = ${id} returning ${COLUMNS}`.execute(trx);
  return rows[0]!;
}

export interface StoredFile {
  readonly name: string;
  readonly location: FileLocation;
}

/** Bytes of one read: some ten milliseconds of the event loop. The database reads no more of a file than that. */
const BYTES_PER_READ = 1_048_576;

/** Also of a deleted note, which can be restored; undefined if there is none, or no more. Primary key. */
export async function findFile(
  db: Db,
  accountId: number,
  objectiveId: number,
  id: number,
): Promise<StoredFile | undefined> {
  const ofNote = sql`from notes where account_id = ${accountId} and objective_id = ${objectiveId} and id = ${id}
    and file_name is not null`;
  const { rows } = await sql<{ name: string; bytes: number; storageKey: string | null }>`
    select file_name as name, file_bytes as bytes, storage_key as "storageKey" ${ofNote}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { name, bytes, storageKey } = row;
  if (storageKey !== null) return { name, location: { storageKey } };
  const pieces: Buffer[] = [];
  for (let read = 0; read < bytes; read += BYTES_PER_READ) {
    const piece = await sql<{ piece: Buffer }>`
      select substr(content, ${read + 1}::int, ${BYTES_PER_READ}::int) as piece ${ofNote}`.execute(db);
    if (piece.rows[0] === undefined) return undefined;
    pieces.push(piece.rows[0].piece);
  }
  return { name, location: { content: Buffer.concat(pieces) } };
}

/** Primary key. */
export async function findThumbnail(
  db: Db,
  accountId: number,
  objectiveId: number,
  id: number,
): Promise<Uint8Array | undefined> {
  const { rows } = await sql<{ thumbnail: Buffer }>`
    select thumbnail from notes
    where account_id = ${accountId} and objective_id = ${objectiveId} and id = ${id} and thumbnail is not null`.execute(
    db,
  );
  return rows[0]?.thumbnail;
}

/** Makes deleted notes of an account due at the next pass. */
export async function makeNotesDue(trx: Trx, accountId: number): Promise<void> {
  await sql`
    update notes set counts_from = '-infinity' where account_id = ${accountId} and counts_from is not null`.execute(
    trx,
  );
}

const PURGED_TOGETHER = 100;

/** Removes some that were deleted `keptDays` ago, and returns how many. Served by notes_due. */
export async function removeDeletedNotes(db: Db, keptDays: number): Promise<number> {
  const gone = await deleteStored(
    db,
    'notes',
    sql`delete from notes where id in (
      select id from notes where counts_from <= now() - make_interval(days => ${keptDays})
      order by counts_from limit ${PURGED_TOGETHER} for update skip locked)`,
  );
  return gone.length;
}
