/**
 * Idempotency-Key on POST (draft-ietf-httpapi-idempotency-key-header). For 24 hours the same request with the same key gets
 * the same answer: status, Location and body. A different body gets 422; while the first request is running, a repeat gets
 * 409. Bodies that are large, or whose record never changes again, are not stored but read again.
 */
import type { FastifyRequest } from 'fastify';
import { expandKey, seal, unseal } from '../../application/accounts/seal.ts';
import { findEarlier, type IdempotentRequest, runOnce } from '../../application/idempotent.ts';
import { DomainError, makeViolation, type Violation } from '../../domain/errors.ts';
import type { Answer, Call, Operation } from '../operation/operation.ts';
import { NO_BODY_DIGEST } from '../receive/bodies.ts';
import { isJsonLongerThan } from '../wire/json-length.ts';

const HEADER = 'Idempotency-Key';
/** Marks an answer as a repeat. */
export const REPLAY_HEADERS = { 'idempotent-replayed': 'true' } as const;
const MAXIMUM_KEY_LENGTH = 255;
/** A quoted string of printable ASCII (RFC 9651); most clients send it without quotes. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const PRINTABLE = /^[\x20-\x7e]+$/;

type AnyCall = Call<Readonly<Record<string, number>>, unknown>;

/** The idempotent request, if it is a POST with a key; `digest` is that of its body. `violations` if the key is malformed. */
export function readIdempotentRequest(
  request: FastifyRequest,
  accountId: number,
  digest: Buffer | undefined,
): { readonly idempotency: IdempotentRequest | undefined; readonly violations: readonly Violation[] } {
  const { key, violations } = readKey(request, 1);
  if (key === undefined) return { idempotency: undefined, violations };
  const fingerprint = digest ?? NO_BODY_DIGEST;
  return {
    idempotency: { accountId, method: request.method, path: routedPath(request), key, fingerprint },
    violations: [],
  };
}

/** The key of a POST, if it has one; `violations` if it is malformed or shorter than `minimumLength`. */
export function readKey(
  request: FastifyRequest,
  minimumLength: number,
): { readonly key: string | undefined; readonly violations: readonly Violation[] } {
  const sent = request.headers['idempotency-key'];
  if (sent === undefined || request.method !== 'POST') return { key: undefined, violations: [] };
  const key = unquote(String(sent));
  if (key.length >= minimumLength && key.length <= MAXIMUM_KEY_LENGTH && PRINTABLE.test(key)) {
    return { key, violations: [] };
  }
  const message = `must have ${minimumLength} to ${MAXIMUM_KEY_LENGTH} printable ASCII characters.`;
  return { key: undefined, violations: [makeViolation([HEADER], message)] };
}

function unquote(sent: string): string {
  const text = QUOTED.exec(sent.trim())?.[1];
  return text === undefined ? sent.trim() : text.replace(/\\(.)/g, '$1');
}

/** The path as the router understood it: every spelling of a route with the same ids is the same path. */
function routedPath(request: FastifyRequest): string {
  const params = request.params as Readonly<Record<string, string>>;
  return request.routeOptions.url!.replace(/:(\w+)/g, (_, name: string) => params[name]!);
}

/** The stored part of an answer: all of it, with a sealed body if that contains a secret, or the record to read again. */
type StoredAnswer =
  | (Answer & { readonly kind: 'answer' })
  | (Omit<Answer, 'body'> & { readonly kind: 'sealed'; readonly sealed: string })
  | (Omit<Answer, 'body'> & { readonly kind: 'reference'; readonly id: number });

/** A longer body is not stored if it can be read again. */
const LONGEST_STORED_BODY = 65_536;

/**
 * Runs the operation. With a key, all its writes join the transaction of the key; work that must not run inside a
 * transaction is done before.
 */
export async function answerOnce(operation: Operation, call: AnyCall): Promise<Answer> {
  const { idempotency, deps } = call;
  if (idempotency === undefined || operation.handlesIdempotency) {
    return readLong(operation, call, await operation.handle(call, await operation.prepare?.(call)));
  }
  const earlier = operation.prepare && (await findEarlier<StoredAnswer>(deps.db, idempotency));
  if (earlier !== undefined) return toReplay(operation, call, earlier);
  const prepared = await operation.prepare?.(call);
  let fresh: Answer | undefined;
  const { outcome, isReplay } = await runOnce<StoredAnswer>(deps.db, idempotency, async (trx) => {
    fresh = await operation.handle({ ...call, deps: { ...deps, db: trx } }, prepared);
    return toStored(operation, call, fresh);
  });
  return isReplay || fresh === undefined ? toReplay(operation, call, outcome) : readLong(operation, call, fresh);
}

async function readLong({ replay }: Operation, call: AnyCall, answer: Answer): Promise<Answer> {
  if (replay?.isLong !== true) return answer;
  return { ...answer, body: await replay.read(call, idOf(answer)), isWritten: true };
}

function idOf({ body }: Answer): number {
  return (body as { readonly id: number }).id;
}

function toStored({ replay, holdsSecret }: Operation, call: AnyCall, answer: Answer): StoredAnswer {
  const { body, ...rest } = answer;
  if (holdsSecret) return { ...rest, kind: 'sealed', sealed: seal(sealingKey(call), JSON.stringify(body)) };
  const isReadAgain =
    replay !== undefined && (replay.isFinal || replay.isLong || isJsonLongerThan(body, LONGEST_STORED_BODY));
  return isReadAgain ? { ...rest, kind: 'reference', id: idOf(answer) } : { ...answer, kind: 'answer' };
}

/** Throws NOT_FOUND if the record to read again has been purged. */
async function toReplay(operation: Operation, call: AnyCall, stored: StoredAnswer): Promise<Answer> {
  const { status, headers } = stored;
  const replayed = { status, headers: { ...headers, ...REPLAY_HEADERS } };
  switch (stored.kind) {
    case 'answer':
      return { ...replayed, body: stored.body };
    case 'sealed':
      return { ...replayed, body: unsealBody(call, stored.sealed) };
    case 'reference':
      return { ...replayed, body: await operation.replay!.read(call, stored.id), isWritten: true };
  }
}

/** Only a hash of the API key is stored, so that neither the database nor a backup of it can open the seal. */
function sealingKey({ principal }: AnyCall): Buffer {
  return expandKey(principal.secret, 'backsolve: answers under an Idempotency-Key');
}

/** Throws IDEMPOTENCY_KEY_REUSED unless the API key is that of the first request. */
function unsealBody(call: AnyCall, sealed: string): unknown {
  const text = unseal(sealingKey(call), sealed);
  if (text !== undefined) return JSON.parse(text);
  const message =
    'The answer to this Idempotency-Key contains a secret and is repeated only to the API key that first received it; use a new Idempotency-Key for a new request.';
  throw new DomainError('IDEMPOTENCY_KEY_REUSED', message);
}
