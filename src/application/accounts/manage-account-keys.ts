/**
 * An account's management of its own keys. Each change locks the account, so that no two changes can together remove its last
 * admin key.
 */
import { lockAccount } from '../../db/accounts/accounts.ts';
import * as keys from '../../db/accounts/api-keys.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { findMemberCalled } from '../../db/people/members.ts';
import { allows, isUsable, type KeyRecord, type Scope } from '../../domain/accounts/api-key.ts';
import { DomainError, makeViolation, notFound, refuseViolations } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { MAXIMUM_OWN_KEYS } from '../../domain/people/people.ts';
import { type Principal, requirePerson } from './authenticate.ts';
import { ended, type RotatedKey, rotateStoredKey, storeNewKey } from './rotate-key.ts';

/** Usable keys that an account may have at a time. Each is a row, and a client with the right to create keys may do so quickly. */
export const MAXIMUM_KEYS = 1_000;
/** Long enough to repeat a rotation whose answer was lost, with the old key and its Idempotency-Key. */
const MINIMUM_OWN_OVERLAP_SECONDS = 60;

export interface NewAccountKey {
  readonly label: string | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

export interface MadeKey {
  readonly key: KeyRecord;
  /** The text of the key; returned here and never again. */
  readonly text: string;
}

/** Throws FORBIDDEN for a scope that the asking key lacks, VALIDATION_FAILED for an end that is past, LIMIT_REACHED. */
export async function createAccountKey(db: Db, principal: Principal, wanted: NewAccountKey): Promise<MadeKey> {
  return createKeyOf(db, principal, { ...wanted, personId: null, isBound: true });
}

/** A key of the person who asks: it ends with the membership and has no more rights than its role. Throws as createAccountKey does. */
export async function createOwnKey(db: Db, principal: Principal, wanted: NewAccountKey): Promise<MadeKey> {
  return createKeyOf(db, principal, { ...wanted, personId: requirePerson(principal), isBound: principal.isBound });
}

async function createKeyOf(
  db: Db,
  principal: Principal,
  wanted: NewAccountKey & { readonly personId: number | null; readonly isBound: boolean },
): Promise<MadeKey> {
  refuseMissingScopes(principal, wanted.scopes);
  const { accountId } = principal;
  return inTransaction(db, async (trx) => {
    const now = await lockAccount(trx, accountId);
    if (wanted.expiresAt !== null) refusePast(wanted.expiresAt, now);
    if (wanted.personId === null) await refuseNameOfMember(trx, accountId, wanted.label);
    const { id, text } = await storeNewKey(trx, { accountId, ...wanted, createdBy: makerOf(principal) });
    await refuseTooMany(trx, accountId, now);
    if (wanted.personId !== null) await refuseTooManyOwn(trx, accountId, wanted.personId, now);
    return { key: await getAccountKey(trx, accountId, id), text };
  });
}

export async function getAccountKey(db: Db | Trx, accountId: number, id: number): Promise<KeyRecord> {
  const key = await keys.findAccountKey(db, accountId, id);
  if (key === undefined) throw notFound('key', id);
  return key;
}

export function listAccountKeys(db: Db, accountId: number, page: PageRequest): Promise<Page<KeyRecord>> {
  return keys.listAccountKeys(db, accountId, page);
}

/** Those of the person who asks. Throws FORBIDDEN without a person. */
export async function listOwnKeys(db: Db, principal: Principal, page: PageRequest): Promise<Page<KeyRecord>> {
  return keys.listAccountKeys(db, principal.accountId, page, requirePerson(principal));
}

export interface KeyChange {
  readonly label?: string | null;
  /** In the future; null: never. An expired key works again once its end is moved. */
  readonly expiresAt?: Date | null;
}

/** Throws NOT_FOUND, KEY_ENDED for a revoked key, VALIDATION_FAILED for an end that is past, LAST_ADMIN_KEY, LIMIT_REACHED. */
export async function updateAccountKey(
  db: Db,
  accountId: number,
  id: number,
  { label, expiresAt }: KeyChange,
): Promise<KeyRecord> {
  return inTransaction(db, async (trx) => {
    const now = await lockAccount(trx, accountId);
    const key = await getAccountKey(trx, accountId, id);
    if (key.revokedAt !== null) throw ended(key, 'It cannot be changed');
    if (label !== undefined && label !== key.label && key.personId === null)
      await refuseNameOfMember(trx, accountId, label);
    if (expiresAt != null) {
      refusePast(expiresAt, now);
      const isSooner = key.expiresAt === null || expiresAt < key.expiresAt;
      if (isSooner && isUsable(key, now)) await refuseLastAdmin(trx, accountId, key, expiresAt);
    }
    const changed = {
      ...key,
      label: label === undefined ? key.label : label,
      expiresAt: expiresAt === undefined ? key.expiresAt : expiresAt,
    };
    await keys.updateKey(trx, changed);
    if (!isUsable(key, now) && isUsable(changed, now)) await refuseTooMany(trx, accountId, now);
    return changed;
  });
}

/**
 * A successor with the same label, scopes and end; the old key works until the overlap is over. Throws NOT_FOUND, KEY_ENDED,
 * KEY_ROTATED, FORBIDDEN when the old key has a scope that the asking one lacks, LIMIT_REACHED, and VALIDATION_FAILED when a
 * key rotates itself without time for a repetition.
 */
export async function rotateAccountKey(
  db: Db,
  principal: Principal,
  id: number,
  overlapSeconds: number,
): Promise<RotatedKey> {
  const { accountId } = principal;
  return inTransaction(db, async (trx) => {
    const now = await lockAccount(trx, accountId);
    const key = await getAccountKey(trx, accountId, id);
    refuseMissingScopes(principal, key.scopes);
    if (key.personId !== null && key.personId !== principal.personId) {
      throw new DomainError('FORBIDDEN', `Only ${key.personName} may rotate this key, because it acts in that name.`);
    }
    if (key.keyId === principal.keyId && overlapSeconds < MINIMUM_OWN_OVERLAP_SECONDS) {
      const message = `must be at least ${MINIMUM_OWN_OVERLAP_SECONDS} when a key rotates itself: the request must be repeatable if its answer is lost.`;
      refuseViolations([makeViolation(['overlapSeconds'], message)]);
    }
    const rotated = await rotateStoredKey(trx, { ...key, accountId }, { overlapSeconds, now });
    await refuseTooMany(trx, accountId, now);
    return rotated;
  });
}

/** Ends a key immediately and for good. Idempotent. Throws NOT_FOUND, LAST_ADMIN_KEY. */
export async function revokeAccountKey(db: Db, accountId: number, id: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    const now = await lockAccount(trx, accountId);
    const key = await getAccountKey(trx, accountId, id);
    if (isUsable(key, now)) await refuseLastAdmin(trx, accountId, key, now);
    await keys.revokeKey(trx, key.keyId);
  });
}

/** As revokeAccountKey, for a key of the person who asks; another one counts as missing. */
export async function revokeOwnKey(db: Db, principal: Principal, id: number): Promise<void> {
  const { accountId, personId } = principal;
  const key = await getAccountKey(db, accountId, id);
  if (personId === null || key.personId !== personId) throw notFound('key', id);
  await revokeAccountKey(db, accountId, id);
}

/** A key cannot grant a scope that it lacks. */
function refuseMissingScopes(principal: Principal, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !allows(principal.scopes, scope));
  if (missing.length === 0) return;
  const message = `A key cannot grant a scope it lacks (${missing.join(' and ')}). Use a key that has it.`;
  throw new DomainError('FORBIDDEN', message);
}

/** Records name what a key of the account did by its label. */
async function refuseNameOfMember(trx: Trx, accountId: number, label: string | null): Promise<void> {
  if (label === null || (await findMemberCalled(trx, accountId, label)) === undefined) return;
  const message = 'is the name of a member, or looks like it; say what the key is for, or make a key of your own.';
  refuseViolations([makeViolation(['label'], message)]);
}

function refusePast(expiresAt: Date, now: Date): void {
  if (expiresAt > now) return;
  const message = `must be in the future; the time of the service is ${now.toISOString()}. To end a key immediately, revoke it.`;
  refuseViolations([makeViolation(['expiresAt'], message)]);
}

/** After every change that makes a key usable; what is refused is rolled back. */
async function refuseTooMany(trx: Trx, accountId: number, now: Date): Promise<void> {
  if ((await keys.countUsableKeys(trx, accountId, now)) <= MAXIMUM_KEYS) return;
  throw new DomainError('LIMIT_REACHED', `The account already has ${MAXIMUM_KEYS} usable keys; revoke one first.`);
}

/** One person does not take the keys of all. */
async function refuseTooManyOwn(trx: Trx, accountId: number, personId: number, now: Date): Promise<void> {
  if ((await keys.countUsableKeys(trx, accountId, now, personId)) <= MAXIMUM_OWN_KEYS) return;
  throw new DomainError(
    'LIMIT_REACHED',
    `You already have ${MAXIMUM_OWN_KEYS} usable keys in this account; revoke one first.`,
  );
}

/** Names whoever can answer questions about a key. */
function makerOf({ actor, lender }: Principal): string {
  return lender === null ? actor : `${actor}, by a sign-in link of ${lender.name}`;
}

/** Without an admin key only the operator could ever create another key. Keys of people do not count. */
async function refuseLastAdmin(trx: Trx, accountId: number, key: KeyRecord, end: Date): Promise<void> {
  if (key.personId !== null || !key.scopes.includes('admin')) return;
  if (await keys.hasOtherAdminKey(trx, accountId, key.id, end)) return;
  const message = `After ${end.toISOString()} no key with the scope admin would be left (rotated keys do not count). Create another one first.`;
  throw new DomainError('LAST_ADMIN_KEY', message);
}
