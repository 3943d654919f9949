import { create as contentDisposition } from 'content-disposition';
import {
  addNote,
  changeNote,
  getNote,
  listNotes,
  type NewNoteFile,
  type NoteContext,
  type NotePath,
  readFile,
  readThumbnail,
  refuseUpload,
  setNoteDeleted,
} from '../../../application/notes/keep-notes.ts';
import { storeFile } from '../../../application/notes/note-files.ts';
import type { ObjectivePath } from '../../../application/paths.ts';
import { makeViolation, refuseViolations, validationFailed } from '../../../domain/errors.ts';
import { cleanFileName, MAXIMUM_NOTES } from '../../../domain/notes/note.ts';
import { readThumbnail as readPicture } from '../../../domain/notes/thumbnail.ts';
import { kindOfFile } from '../../../outside/files/kind-of-file.ts';
import { created, noContent, ok, pageOf } from '../../answer/answers.ts';
import { type Call, defineOperation, type Operation } from '../../operation/operation.ts';
import { bytesSchema, MEDIA_TYPES } from '../../wire/formats.ts';
import { notePath } from '../../wire/native-paths.ts';
import { newNote, notePatch, noteSchema, presentNote } from './notes.wire.ts';

const tag = 'Notes';
const objective = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}';
const note = `${objective}/notes/{note_id}` as const;

/** Whatever a file is, no browser shows or runs it here. */
const SAFE = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
};

const FILES_AWAY = { 503: 'The service, or the storage of files, does not answer at the moment (files-unavailable).' };

function contextOf({
  deps,
  accountId,
  principal,
}: Pick<Call<unknown, unknown>, 'deps' | 'accountId' | 'principal'>): NoteContext {
  return { accountId, actor: principal.actor, limits: deps.settings.account };
}

type UploadCall = Call<ObjectivePath, unknown>;

interface SentFile {
  readonly name: string;
  readonly content: string;
  readonly thumbnail?: string | null | undefined;
}

/** Reads what was sent by its content, and stores the bytes. Throws NOT_FOUND, VALIDATION_FAILED, QUOTA_EXCEEDED, FILES_UNAVAILABLE. */
async function takeFile(call: UploadCall, sent: SentFile): Promise<NewNoteFile> {
  const { deps, accountId, ids } = call;
  const content = Buffer.from(sent.content, 'base64');
  const most = deps.settings.fileBytes ?? 0;
  if (content.length > most) {
    const message = `has ${content.length} bytes; ${most === 0 ? 'no files are taken here' : `at most ${most} are taken here`}.`;
    throw validationFailed([makeViolation(['file', 'content'], message)]);
  }
  await refuseUpload(deps.db, contextOf(call), ids, content.length);
  const picture = sent.thumbnail ? readPicture(Buffer.from(sent.thumbnail, 'base64')) : null;
  if (typeof picture === 'string') throw validationFailed([makeViolation(['file', 'thumbnail'], picture)]);
  return {
    name: cleanFileName(sent.name),
    type: await kindOfFile(content),
    bytes: content.length,
    thumbnail: picture,
    location: await storeFile(deps.db, deps.files, accountId, content),
  };
}

export const noteOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: `${objective}/notes`,
    operationId: 'listNotes',
    tag,
    summary: 'List the notes on an objective and its runs',
    isList: true,
    hasOrder: true,
    numbers: {
      inverse: {
        description: 'Only those on this run, by its id.',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: null,
      },
    },
    answers: pageOf.spec('The notes, oldest first, without deleted ones.', noteSchema),
    handle: async (call) => {
      const { deps, accountId, ids, numbers, page } = call;
      return pageOf.answer(
        call,
        await listNotes(deps.db, accountId, ids, numbers['inverse'] ?? null, page),
        presentNote,
      );
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${objective}/notes`,
    operationId: 'createNote',
    tag,
    summary: 'Write a note on an objective or one of its runs, with a file or without',
    description: `A note changes no result, and no suggestion learns from it. It may be written at any time, also on an open run or an objective that has ended. The newest text on a run is its \`note\` in histories. An objective has at most ${MAXIMUM_NOTES} notes.`,
    body: newNote,
    answers: created.spec('The note.', noteSchema),
    refusals: FILES_AWAY,
    prepare: async (call) => {
      const { text, file } = call.body;
      if (text === '' && !file) {
        refuseViolations([makeViolation(['text'], 'is required unless there is a file: send what is noted.')]);
      }
      return file ? takeFile(call, file) : null;
    },
    handle: async (call, file) => {
      const { deps, ids, body } = call;
      const added = await addNote(deps.db, contextOf(call), ids, {
        text: body.text,
        inverseId: body.inverseId ?? null,
        file,
      });
      return created.answer(notePath(ids, ids.objectiveId, added.id), presentNote(added));
    },
  }),
  defineOperation({
    method: 'GET',
    path: note,
    operationId: 'getNote',
    tag,
    summary: 'Read a note, also a deleted one until it is purged',
    answers: ok.spec('The note.', noteSchema),
    handle: async ({ deps, accountId, ids }) => ok.answer(presentNote(await getNote(deps.db, accountId, ids))),
  }),
  defineOperation({
    method: 'PATCH',
    path: note,
    operationId: 'updateNote',
    tag,
    summary: 'Change the text of a note',
    description: 'The file stays: delete the note to remove it.',
    body: notePatch,
    answers: ok.spec('The note.', noteSchema),
    refusals: { 409: 'Somebody has changed the text (note-changed).' },
    handle: async (call) =>
      ok.answer(presentNote(await changeNote(call.deps.db, contextOf(call), call.ids, call.body))),
  }),
  defineOperation({
    method: 'DELETE',
    path: note,
    operationId: 'deleteNote',
    tag,
    summary: 'Delete a note with its file',
    description: 'It can be restored until it is purged, as other deleted records are.',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await setNoteDeleted(deps.db, accountId, ids, true);
      return noContent.answer;
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${note}/restore`,
    operationId: 'restoreNote',
    tag,
    summary: 'Take the deletion of a note back',
    answers: ok.spec('The note.', noteSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentNote(await setNoteDeleted(deps.db, accountId, ids, false))),
  }),
  defineOperation({
    method: 'GET',
    path: `${note}/file`,
    operationId: 'getNoteFile',
    tag,
    summary: 'Save the file of a note',
    description: 'Always an attachment of bytes, so that no browser shows or runs it; the note says what it is.',
    answers: {
      200: {
        description: 'The file, byte for byte as it was uploaded.',
        mediaType: MEDIA_TYPES.bytes,
        schema: bytesSchema,
        headers: { 'Content-Disposition': 'attachment, with the name of the file.' },
      },
    },
    refusals: FILES_AWAY,
    handle: async ({ deps, accountId, ids }) => {
      const { name, content } = await readFile(deps.db, deps.files, accountId, ids as NotePath);
      return {
        status: 200,
        headers: { ...SAFE, 'content-type': MEDIA_TYPES.bytes, 'content-disposition': contentDisposition(name) },
        body: Buffer.from(content),
      };
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${note}/thumbnail`,
    operationId: 'getNoteThumbnail',
    tag,
    summary: 'Read the thumbnail of the file of a note',
    answers: { 200: { description: 'A small picture.', mediaType: MEDIA_TYPES.jpeg, schema: bytesSchema } },
    handle: async ({ deps, accountId, ids }) => ({
      status: 200,
      headers: { ...SAFE, 'content-type': MEDIA_TYPES.jpeg },
      body: Buffer.from(await readThumbnail(deps.db, accountId, ids)),
    }),
  }),
];
