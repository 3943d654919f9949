/** Notes on objectives and their runs. A note changes no result and no search; whoever follows the objective is told. */
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import * as removals from '../../db/notes/file-removals.ts';
import * as notes from '../../db/notes/notes.ts';
import { findInverse } from '../../db/search/inverses.ts';
import { markObjective } from '../../db/search/objective-marks.ts';
import { findObjective, lockObjective, type ObjectiveWithParents } from '../../db/search/objectives.ts';
import { DomainError, makeViolation, notFound, refuseViolations, validationFailed } from '../../domain/errors.ts';
import { MAXIMUM_NOTES, type Note, noteSize } from '../../domain/notes/note.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { type AccountLimits, refuseOverQuota } from '../accounts/account-limits.ts';
import { isUnder, missingInPath, type ObjectivePath, parentsOf, refuseDisabled } from '../paths.ts';
import { type ObjectStore, readStored } from './note-files.ts';

export type { NewNoteFile } from '../../db/notes/notes.ts';

export interface NotePath extends ObjectivePath {
  readonly noteId: number;
}

/** The account that writes, its actor, and its limits. */
export interface NoteContext {
  readonly accountId: number;
  /** As whom the note names whoever writes. */
  readonly actor: string;
  /** Default: none. */
  readonly limits?: AccountLimits | undefined;
}

export interface NewNote {
  /** null: on the objective as a whole. */
  readonly inverseId: number | null;
  readonly text: string;
  /** Stored by storeFile. */
  readonly file: notes.NewNoteFile | null;
}

/** Before the file of a note is stored. Throws NOT_FOUND, QUOTA_EXCEEDED. */
export async function refuseUpload(
  db: Db,
  { accountId, limits }: NoteContext,
  path: ObjectivePath,
  fileBytes: number,
): Promise<void> {
  refuseDisabled(await getAt(db, accountId, path), 'objective');
  await refuseOverQuota(db, accountId, limits, noteSize({ text: '', fileBytes }));
}

/** One transaction, or part of one. Throws NOT_FOUND, VALIDATION_FAILED, LIMIT_REACHED, QUOTA_EXCEEDED, FILES_UNAVAILABLE. */
export async function addNote(
  db: Db | Trx,
  { accountId, actor, limits }: NoteContext,
  path: ObjectivePath,
  { inverseId, text, file }: NewNote,
): Promise<Note> {
  return inTransaction(db, async (trx) => {
    const objective = await lockAt(trx, accountId, path);
    const inverse = inverseId === null ? null : await getInverse(trx, accountId, objective.id, inverseId);
    if (await notes.hasMostNotes(trx, objective.id)) {
      const message = `The objective ${objective.id} has ${MAXIMUM_NOTES} notes, the most that it may have; deleted ones count until they are purged.`;
      throw new DomainError('LIMIT_REACHED', message);
    }
    const fileBytes = file === null ? 0 : file.bytes + (file.thumbnail?.length ?? 0);
    await refuseOverQuota(trx, accountId, limits, noteSize({ text, fileBytes }));
    if (file !== null && 'storageKey' in file.location && !(await removals.keepFile(trx, file.location.storageKey))) {
      throw new DomainError('FILES_UNAVAILABLE', 'Storing the file took too long; send it again.');
    }
    const note = await notes.insertNote(trx, accountId, {
      objectiveId: objective.id,
      inverse,
      text,
      writtenBy: actor,
      file,
    });
    await markObjective(trx, objective.id, {});
    return note;
  });
}

async function getInverse(trx: Trx, accountId: number, objectiveId: number, id: number) {
  const inverse = await findInverse(trx, accountId, id);
  if (inverse?.objectiveId === objectiveId) return { id, iteration: inverse.iteration };
  const message = `the objective ${objectiveId} has no run with the id ${id}.`;
  throw validationFailed([makeViolation(['inverseId'], message)]);
}

export interface NotePatch {
  readonly text: string;
  /** The text that is replaced, if the change is only meant for that; undefined: any. */
  readonly replaces?: string | undefined;
}

/** Throws NOT_FOUND, VALIDATION_FAILED, NOTE_CHANGED. */
export async function changeNote(
  db: Db | Trx,
  { accountId, actor }: NoteContext,
  path: NotePath,
  { text, replaces }: NotePatch,
): Promise<Note> {
  return inTransaction(db, async (trx) => {
    const note = await lockNoteAt(trx, accountId, path);
    if (note.disabledAt !== null) throw notFound('note', note.id);
    if (text === note.text) return note;
    if (replaces !== undefined && replaces !== note.text) {
      const message = `The note ${note.id} was changed by ${note.editedBy ?? note.writtenBy}; read it again.`;
      throw new DomainError('NOTE_CHANGED', message);
    }
    if (text === '' && note.file === null) {
      const message = 'must not be empty, because the note has no file; delete the note instead.';
      refuseViolations([makeViolation(['text'], message)]);
    }
    const changed = await notes.storeText(trx, accountId, note.id, { text, editedBy: actor });
    await markObjective(trx, note.objectiveId, {});
    return changed;
  });
}

/** Deletes the note, or takes its deletion back as long as it is not purged; doing so again changes nothing. Throws NOT_FOUND. */
export async function setNoteDeleted(
  db: Db | Trx,
  accountId: number,
  path: NotePath,
  isDeleted: boolean,
): Promise<Note> {
  return inTransaction(db, async (trx) => {
    const note = await lockNoteAt(trx, accountId, path);
    if ((note.disabledAt !== null) === isDeleted) return note;
    const changed = await notes.setDisabled(trx, accountId, note.id, isDeleted);
    await markObjective(trx, note.objectiveId, {});
    return changed;
  });
}

/**
 * Makes a text the newest note on a run, instead of the newest before it, which can be restored; an empty text removes that one. The
 * caller holds the lock of the objective.
 */
export async function replaceNewest(
  trx: Trx,
  accountId: number,
  { objectiveId, inverse, text, writtenBy }: Omit<notes.NewNoteRow, 'file'> & { inverse: { readonly id: number } },
): Promise<void> {
  const newest = await notes.findNewestText(trx, inverse.id);
  if (newest !== undefined && newest.file === null) await notes.setDisabled(trx, accountId, newest.id, true);
  if (text !== '') await notes.insertNote(trx, accountId, { objectiveId, inverse, text, writtenBy, file: null });
}

/** Without deleted ones. Throws NOT_FOUND. */
export async function listNotes(
  db: Db,
  accountId: number,
  path: ObjectivePath,
  inverseId: number | null,
  page: PageRequest,
): Promise<Page<Note>> {
  const objective = await getAt(db, accountId, path);
  return notes.listNotes(db, accountId, objective.id, { inverseId }, page);
}

/** Deleted ones included. Throws NOT_FOUND. */
export async function getNote(db: Db | Trx, accountId: number, path: NotePath): Promise<Note> {
  const objective = await getAt(db, accountId, path);
  const note = await notes.findNote(db, accountId, objective.id, path.noteId);
  if (note === undefined) throw notFound('note', path.noteId);
  return note;
}

/** Throws NOT_FOUND, FILES_UNAVAILABLE. */
export async function readFile(
  db: Db,
  store: ObjectStore | undefined,
  accountId: number,
  path: NotePath,
): Promise<{ readonly name: string; readonly content: Uint8Array }> {
  const { id, objectiveId } = await getNote(db, accountId, path);
  const file = await notes.findFile(db, accountId, objectiveId, id);
  if (file === undefined) throw new DomainError('NOT_FOUND', `The note ${id} has no file.`);
  const content = await readStored(store, file.location);
  if (content === undefined) throw new DomainError('NOT_FOUND', `The file of the note ${id} is lost.`);
  return { name: file.name, content };
}

/** Throws NOT_FOUND. */
export async function readThumbnail(db: Db, accountId: number, path: NotePath): Promise<Uint8Array> {
  const { id, objectiveId } = await getNote(db, accountId, path);
  const thumbnail = await notes.findThumbnail(db, accountId, objectiveId, id);
  if (thumbnail === undefined) throw new DomainError('NOT_FOUND', `The note ${id} has no thumbnail.`);
  return thumbnail;
}

/** One pass of the schedule. */
export async function purgeNotes(db: Db, keptDays: number): Promise<{ readonly purged: number }> {
  return { purged: await notes.removeDeletedNotes(db, keptDays) };
}

async function getAt(db: Db | Trx, accountId: number, path: ObjectivePath): Promise<ObjectiveWithParents> {
  const objective = await findObjective(db, accountId, path.objectiveId);
  if (objective !== undefined && isUnder(path, parentsOf(objective))) return objective;
  throw await missingInPath(db, accountId, path, { resource: 'objective', id: path.objectiveId });
}

/** Nothing is noted on a deleted objective. */
async function lockAt(trx: Trx, accountId: number, path: ObjectivePath): Promise<ObjectiveWithParents> {
  await getAt(trx, accountId, path);
  const objective = await lockObjective(trx, accountId, path.objectiveId);
  if (objective === undefined) throw notFound('objective', path.objectiveId);
  refuseDisabled(objective, 'objective');
  return objective;
}

async function lockNoteAt(trx: Trx, accountId: number, path: NotePath): Promise<Note> {
  const { id } = await lockAt(trx, accountId, path);
  const note = await notes.findNote(trx, accountId, id, path.noteId);
  if (note === undefined) throw notFound('note', path.noteId);
  return note;
}
