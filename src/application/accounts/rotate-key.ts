/** Creating and replacing keys on the caller's transaction. */
import * as keys from '../../db/accounts/api-keys.ts';
import type { Trx } from '../../db/connection/transaction.ts';
import { formatApiKey, hashSecret, isUsable, type KeyRecord, makeApiKey } from '../../domain/accounts/api-key.ts';
import { DomainError } from '../../domain/errors.ts';

export interface RotatedKey {
  readonly successor: KeyRecord;
  /** The text of the successor; returned here and never again. */
  readonly text: string;
  /** The old key with its new end. */
  readonly predecessor: KeyRecord;
}

/** Longer than any roll-out; beyond that a second key is what is wanted. */
export const MAXIMUM_OVERLAP_SECONDS = 30 * 86_400;

/** Stores a new key with a fresh text. */
export async function storeNewKey(
  trx: Trx,
  wanted: Omit<keys.NewKey, 'keyId' | 'secretHash'>,
): Promise<{ readonly id: number; readonly text: string }> {
  // Ends: one of 62^8 ids is hardly ever taken.
  for (;;) {
    const key = makeApiKey();
    const id = await keys.insertKey(trx, { ...wanted, keyId: key.keyId, secretHash: hashSecret(key.secret) });
    if (id !== undefined) return { id, text: formatApiKey(key) };
  }
}

/** `now` is the database's. The account is locked. Throws KEY_ENDED and KEY_ROTATED. */
export async function rotateStoredKey(
  trx: Trx,
  { accountId, ...old }: KeyRecord & { readonly accountId: number },
  { overlapSeconds, now }: { readonly overlapSeconds: number; readonly now: Date },
): Promise<RotatedKey> {
  if (old.successorId !== null) throw rotated(old, (await keys.findAccountKey(trx, accountId, old.successorId))!);
  if (!isUsable(old, now)) throw ended(old, 'There is nothing to rotate');
  const { label, scopes, expiresAt, personId, isBound, createdBy } = old;
  const { id, text } = await storeNewKey(trx, { accountId, label, scopes, expiresAt, personId, isBound, createdBy });
  const overlapEnd = new Date(now.getTime() + 1_000 * overlapSeconds);
  const isEndingSooner = expiresAt !== null && expiresAt < overlapEnd;
  const predecessor = { ...old, expiresAt: isEndingSooner ? expiresAt : overlapEnd, successorId: id };
  await keys.updateKey(trx, predecessor);
  return { successor: (await keys.findAccountKey(trx, accountId, id))!, text, predecessor };
}

/** `consequence` completes "It is revoked." */
export function ended(key: KeyRecord, consequence: string): DomainError {
  const state = key.revokedAt === null ? 'has expired' : 'is revoked';
  return new DomainError('KEY_ENDED', `The key ${nameOf(key)} ${state}. ${consequence}; create a new one.`);
}

/** Its own end has become that of the overlap: a second successor could not inherit it. */
function rotated(old: KeyRecord, successor: KeyRecord): DomainError {
  const message = `The key ${nameOf(old)} was already rotated; its successor is key ${nameOf(successor)}. If the text of the successor is lost, rotate the successor.`;
  return new DomainError('KEY_ROTATED', message);
}

/** By the id of its path, and by what the holder of a key and a command know it by. */
function nameOf({ id, keyId }: KeyRecord): string {
  return `${id} (${keyId})`;
}
