/** Notes of people on objectives and their runs: a text, a file, or both. */
import type { StorageUsage } from '../accounts/storage.ts';

interface NoteFile {
  readonly name: string;
  /** By its content. */
  readonly type: string;
  readonly bytes: number;
  readonly hasThumbnail: boolean;
}

export interface Note {
  readonly id: number;
  readonly objectiveId: number;
  /** null: on the objective as a whole. */
  readonly inverseId: number | null;
  /** Iteration of the inverse. */
  readonly iteration: number | null;
  /** May be empty beside a file. */
  readonly text: string;
  readonly file: NoteFile | null;
  readonly writtenBy: string;
  readonly createdAt: Date;
  /** Author of the last change of the text; null: none. */
  readonly editedBy: string | null;
  readonly editedAt: Date | null;
  readonly disabledAt: Date | null;
}

/** Characters of a note. */
export const LONGEST_NOTE = 2_000;
/** Notes of one objective and its runs, deleted ones included until they are purged. */
export const MAXIMUM_NOTES = 2_000;
/** Characters of the name of a file. */
export const LONGEST_FILE_NAME = 200;
/** The smallest picture in which a photo is told apart takes a third of it. */
export const LARGEST_THUMBNAIL = 64 * 1024;

const ROW_BYTES = 256;

/** Size of a note in the account's storage: migrations/repeatable/stored-records.sql. */
export function noteSize({ text, fileBytes }: { readonly text: string; readonly fileBytes: number }): StorageUsage {
  return { bytes: ROW_BYTES + Buffer.byteLength(text) + fileBytes, rows: 1 };
}

/** Control characters, those that change the direction or the lines of a text, and those that no one sees. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
/** Characters that file systems refuse or read as more than a name. */
const UNSAFE = /[<>:"|?*]/g;

/** The name of a file without its folders, as every file system accepts it and as it looks to people. */
export function cleanFileName(sent: string): string {
  const last = sent.split(/[/\\]/).findLast((part) => part.trim() !== '') ?? '';
  const name = last
    .replace(UNSEEN, '')
    .replace(UNSAFE, '-')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  if (name === '') return 'file';
  const characters = [...name];
  if (characters.length <= LONGEST_FILE_NAME) return name;
  const ending = /\.[\p{L}\p{N}]{1,10}$/u.exec(name)?.[0] ?? '';
  return characters.slice(0, LONGEST_FILE_NAME - [...ending].length).join('') + ending;
}
