/** Where files of notes are kept, unless in the database. */
import type { ObjectStore } from '../application/notes/note-files.ts';
import type { Config } from '../config.ts';
import { makeS3Store } from '../files/s3-store.ts';

/** The config has a key beside an endpoint. */
export function makeFiles({ files: { s3 } }: Config): ObjectStore | undefined {
  const { endpoint, accessKey = '', secretKey = '', ...bucket } = s3;
  return endpoint === undefined ? undefined : makeS3Store({ ...bucket, endpoint, accessKey, secretKey });
}
