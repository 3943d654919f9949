/** The files of notes: in the database, or on a store of objects. */
import type { Db } from '../../db/connection/transaction.ts';
import * as removals from '../../db/notes/file-removals.ts';
import type { FileLocation } from '../../db/notes/notes.ts';
import { DomainError } from '../../domain/errors.ts';

/** Keeps bytes under keys. Its methods reject where it does not answer or refuses. */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** undefined: there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Also of a key under which there is nothing. */
  remove(key: string): Promise<void>;
}

/** Outside any transaction. What no note keeps afterwards is removed within hours. Throws FILES_UNAVAILABLE. */
export async function storeFile(
  db: Db,
  store: ObjectStore | undefined,
  accountId: number,
  content: Uint8Array,
): Promise<FileLocation> {
  if (store === undefined) return { content };
  const storageKey = `${accountId}/${crypto.randomUUID()}`;
  await removals.expectFile(db, storageKey);
  await orUnavailable(() => store.put(storageKey, content));
  return { storageKey };
}

/** undefined: the store has lost it, as after a backup of the database that is older than a purge. Throws FILES_UNAVAILABLE. */
export async function readStored(
  store: ObjectStore | undefined,
  location: FileLocation,
): Promise<Uint8Array | undefined> {
  if ('content' in location) return location.content;
  if (store !== undefined) return orUnavailable(() => store.get(location.storageKey));
  const message = 'The file is on a store of objects, and this process knows none: set FILES_S3_URL as before.';
  throw new DomainError('FILES_UNAVAILABLE', message);
}

async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const message = 'The storage of files does not answer at the moment. Nothing was changed; try again.';
    throw Object.assign(new DomainError('FILES_UNAVAILABLE', message), { cause: error });
  }
}

const REMOVED_TOGETHER = 20;

/**
 * One pass of the schedule: removes files from the store that no note needs. Several processes may do so together, because nothing is
 * stored again under a key. Rejects at the end if some could not be removed; they are tried again.
 */
export async function removeFiles(db: Db, store: ObjectStore): Promise<{ readonly removed: number }> {
  const failures: unknown[] = [];
  const keys = await removals.listDueFiles(db, REMOVED_TOGETHER);
  for (const key of keys) {
    try {
      await store.remove(key);
      await removals.forgetFile(db, key);
    } catch (error) {
      await removals.postponeFile(db, key);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be removed`);
  return { removed: keys.length };
}
