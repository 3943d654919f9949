import { z } from 'zod';
import { LARGEST_THUMBNAIL, LONGEST_FILE_NAME, LONGEST_NOTE, type Note } from '../../../domain/notes/note.ts';
import { bodyOf } from '../../body/spec.ts';
import { positiveInteger, textSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';

const base64 = (what: string) => z.base64(`must be ${what} in base64.`).min(1, `must be ${what} in base64, is empty.`);

/** Names of any file system are read. */
const SENT_NAME = 4_096;

const newFile = z
  .strictObject({
    name: textSchema({ minimum: 0, maximum: SENT_NAME }).describe(
      `Folders before it, control characters and what no file system takes are left out; at most ${LONGEST_FILE_NAME} characters are kept.`,
    ),
    content: base64('the file').describe('The file in base64.'),
    thumbnail: base64('the thumbnail')
      .nullish()
      .describe(
        `A small JPEG picture of the file in base64, at most ${LARGEST_THUMBNAIL} bytes and 512 pixels on either side. Everything but the picture itself is left out, such as EXIF.`,
      ),
  })
  .describe('A file of the note.');

const text = textSchema({ minimum: 0, maximum: LONGEST_NOTE });

export const newNote = bodyOf(
  z
    .strictObject({
      text: text.default('').describe('The text of the note; may be empty beside a file.'),
      inverseId: positiveInteger
        .nullish()
        .describe('The run of the objective that the note is on, also while it is open; default: the objective.'),
      file: newFile.nullish(),
    })
    .meta({
      id: 'NewNote',
      examples: [
        { text: 'the pump was replaced' },
        { text: 'crack at the weld', inverseId: 34, file: { name: 'weld.jpg', content: '/9j/4AAQSkZJRgABAQ==' } },
      ],
    }),
  { size: 'file' },
);

export const notePatch = bodyOf(
  z
    .strictObject({
      text: text.describe('The text from now on; may be empty beside a file.'),
      replaces: text
        .optional()
        .describe('The text that it replaces: refused with 409 if somebody has changed that since.'),
    })
    .meta({
      id: 'NotePatch',
      examples: [{ text: 'the pump was replaced on Monday', replaces: 'the pump was replaced' }],
    }),
);

export const noteSchema = z
  .object({
    id: z.int(),
    objectiveId: z.int(),
    inverseId: z.int().nullable().describe('null: on the objective as a whole.'),
    iteration: z.int().nullable().describe('The number of that run.'),
    text: z.string(),
    file: z
      .object({
        name: z.string(),
        mediaType: z.string().describe('The media type, by the content of the file.'),
        bytes: z.int(),
        hasThumbnail: z.boolean(),
      })
      .nullable(),
    writtenBy: z
      .string()
      .describe(
        'The person, else the label of the API key, or its key id; "sign-in link" for a page that was opened by one.',
      ),
    createdAt: timestamp,
    editedBy: z.string().nullable().describe('The last author of a change of the text; null: it was never changed.'),
    editedAt: timestamp.nullable(),
    deletedAt: timestamp.nullable().describe('null: it is not deleted.'),
  })
  .meta({ id: 'Note' });

export function presentNote(note: Note): z.infer<typeof noteSchema> {
  const { file } = note;
  return {
    id: note.id,
    objectiveId: note.objectiveId,
    inverseId: note.inverseId,
    iteration: note.iteration,
    text: note.text,
    file: file && { name: file.name, mediaType: file.type, bytes: file.bytes, hasThumbnail: file.hasThumbnail },
    writtenBy: note.writtenBy,
    createdAt: toTimestamp(note.createdAt),
    editedBy: note.editedBy,
    editedAt: toOptionalTimestamp(note.editedAt),
    deletedAt: toOptionalTimestamp(note.disabledAt),
  };
}
