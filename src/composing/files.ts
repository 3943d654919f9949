/** Chooses where files of notes are kept: on S3 storage if the settings name one, else in the database. */
import type { ObjectStore } from '../application/notes/note-files.ts';
import { makeS3Store } from '../outside/files/s3-store.ts';
import type { Config } from '../settings/config.ts';

export function makeFiles({ files: { s3 } }: Config): ObjectStore | undefined {
  return s3 && makeS3Store(s3);
}
