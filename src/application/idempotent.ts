/**
 * An idempotent request happens once. The key, the business rows and the outcome commit in one transaction: a crash before
 * the commit leaves nothing, one after it leaves everything, and a repetition gets the stored outcome. Transient failures
 * (overload, a failed computation) are never stored.
 */

import {
  findOutcome,
  type IdempotentRequest,
  purgeExpiredKeys,
  type StoredOutcome,
  storeOutcome,
  takeKey,
} from '../db/accounts/idempotency-keys.ts';
import { type Db, inTransaction, type Trx } from '../db/connection/transaction.ts';
import { DomainError, type ErrorCode, type ErrorFacts } from '../domain/errors.ts';

export type { IdempotentRequest };

interface Refusal {
  readonly kind: 'refusal';
  readonly code: ErrorCode;
  readonly message: string;
  readonly facts: ErrorFacts;
}

/**
 * Refusals that may be over a moment later, which transports answer with 429 or 5xx, or with another API key of the account;
 * and a full quota: the account can make room, and storing the refusal would add to what it keeps.
 */
export const TRANSIENT_REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'OVERLOADED',
  'ACCOUNT_BUSY',
  'DISK_FULL',
  'QUEUE_FULL',
  'QUOTA_EXCEEDED',
  'SUGGESTION_FAILED',
  'SUGGESTION_PENDING',
  'TOO_MANY_WRONG_KEYS',
  'FORBIDDEN',
  'MAIL_NOT_SET_UP',
  'TOO_MANY_RECIPIENTS',
  'WORKBOOKS_NOT_ALLOWED',
  'WORKBOOKS_UNAVAILABLE',
  'FILES_UNAVAILABLE',
]);

/** Either request takes milliseconds, so the second one has little to wait for. */
const RETRY_AFTER_SECONDS = 1;

export interface OnceOptions<Outcome> {
  /** Whether a stored outcome is no longer valid, so that the request runs again. */
  readonly isSpent?: (trx: Trx, outcome: Outcome) => Promise<boolean>;
}

export interface OnceOutcome<Outcome> {
  readonly outcome: Outcome;
  readonly isReplay: boolean;
}

/**
 * Runs `work` on the key's transaction unless the key has an outcome. `work` awaits SQL and nothing else; its outcome must
 * survive JSON. Throws what `work` throws, at first and again; IDEMPOTENCY_KEY_IN_USE while another request runs under the
 * key, IDEMPOTENCY_KEY_REUSED when it was used for another body.
 */
export async function runOnce<Outcome extends { readonly kind: string }>(
  db: Db,
  request: IdempotentRequest,
  work: (trx: Trx) => Promise<Outcome>,
  { isSpent = async () => false }: OnceOptions<Outcome> = {},
): Promise<OnceOutcome<Outcome>> {
  let refusal: Refusal | undefined;
  const run = async (trx: Trx): Promise<Outcome> => {
    refusal = undefined;
    return work(trx).catch((error: unknown) => {
      refusal = toStoredRefusal(error);
      throw error;
    });
  };
  try {
    return unlessRefusal(await runUnlessKnown(db, request, run, isSpent));
  } catch (error) {
    if (refusal === undefined) throw error;
    // The refused act is rolled back, so the refusal is stored on its own, unless another request was faster.
    const stored: Refusal = refusal;
    return unlessRefusal(await runUnlessKnown<Outcome>(db, request, async () => stored, isSpent));
  }
}

/** The stored outcome of the key, else the one of `work`, stored in the same transaction. */
async function runUnlessKnown<Outcome extends { readonly kind: string }>(
  db: Db,
  request: IdempotentRequest,
  work: (trx: Trx) => Promise<Outcome | Refusal>,
  isSpent: (trx: Trx, outcome: Outcome) => Promise<boolean>,
): Promise<OnceOutcome<Outcome | Refusal>> {
  return inTransaction(db, async (trx) => {
    const taken = await takeKey(trx, request);
    if (taken === undefined) refuseRunning();
    const known = readKnown<Outcome>(taken.known, request);
    const isKnown = known !== undefined && (isRefusal(known) || !(await isSpent(trx, known)));
    if (isKnown) return { outcome: known, isReplay: true };
    const fresh = await work(trx);
    await storeOutcome(trx, request, taken, fresh);
    return { outcome: fresh, isReplay: false };
  });
}

function unlessRefusal<Outcome extends { readonly kind: string }>({
  outcome,
  isReplay,
}: OnceOutcome<Outcome | Refusal>): OnceOutcome<Outcome> {
  if (isRefusal(outcome)) throw toError(outcome);
  return { outcome, isReplay };
}

/**
 * The stored outcome of a key, if it has one, read without a transaction, for requests that begin with a computation. Throws
 * the stored refusal, and IDEMPOTENCY_KEY_REUSED.
 */
export async function findEarlier<Outcome extends { readonly kind: string }>(
  db: Db,
  request: IdempotentRequest,
): Promise<Outcome | undefined> {
  const known = readKnown<Outcome>(await findOutcome(db, request), request);
  if (known !== undefined && isRefusal(known)) throw toError(known);
  return known;
}

/** Removes expired keys, one bounded pass. */
export async function purgeIdempotencyKeys(db: Db): Promise<{ readonly purged: number }> {
  return { purged: await purgeExpiredKeys(db) };
}

function readKnown<Outcome>(
  stored: StoredOutcome | undefined,
  request: IdempotentRequest,
): Outcome | Refusal | undefined {
  if (stored === undefined) return undefined;
  if (!stored.fingerprint.equals(request.fingerprint)) throw reusedKey();
  return stored.outcome as Outcome | Refusal;
}

export function reusedKey(): DomainError {
  const message = 'This Idempotency-Key was used for a request with another body; use a new key for a new request.';
  return new DomainError('IDEMPOTENCY_KEY_REUSED', message);
}

function isRefusal(outcome: { readonly kind: string }): outcome is Refusal {
  return outcome.kind === 'refusal';
}

function toError(refusal: Refusal): DomainError {
  return new DomainError(refusal.code, refusal.message, refusal.facts);
}

function toStoredRefusal(error: unknown): Refusal {
  if (!(error instanceof DomainError) || TRANSIENT_REFUSALS.has(error.code)) throw error;
  return { kind: 'refusal', code: error.code, message: error.message, facts: error.facts };
}

function refuseRunning(): never {
  const message = 'The first request under this Idempotency-Key is still running; repeat it in a moment.';
  throw new DomainError('IDEMPOTENCY_KEY_IN_USE', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
