/**
 * Idempotency-Key on POST (draft-ietf-httpapi-idempotency-key-header). The same request under the same key gets the same
 * answer for 24 hours: status, Location and body. Another body under it is 422, a first request still running 409. A body that
 * is large, or of a record that never changes again, is not stored but read again.
 */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { findEarlier, type KeyedRequest, runOnce } from '../../application/idempotent.ts';
import { makeViolation, type Violation } from '../../domain/errors.ts';
import type { Answer, Call, Operation } from '../operation.ts';
import { isJsonLongerThan } from '../wire/json-length.ts';

const HEADER = 'Idempotency-Key';
/** Says that an answer is a repetition. */
export const REPLAY_HEADERS = { 'idempotent-replayed': 'true' } as const;
const MAXIMUM_KEY_LENGTH = 255;
/** A string of RFC 9651, printable ASCII in quotes; most clients send the bare characters. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const PRINTABLE = /^[\x20-\x7e]+$/;

type AnyCall = Call<Readonly<Record<string, number>>, unknown>;

/** The request's key, if it is a POST with one; `violations` when it is malformed. */
export function readKeyedRequest(
  request: FastifyRequest,
  accountId: number,
): { readonly keyed: KeyedRequest | undefined; readonly violations: readonly Violation[] } {
  const { key, violations } = readKey(request, 1);
  if (key === undefined) return { keyed: undefined, violations };
  const fingerprint = hash('sha256', JSON.stringify(request.body ?? {}), 'buffer');
  return { keyed: { accountId, method: request.method, path: routedPath(request), key, fingerprint }, violations: [] };
}

/** The key of a POST, if it has one; `violations` when it is malformed or shorter than `minimumLength`. */
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

/** The path as the router understood it: however it was spelled, one route with the same ids is one path. */
function routedPath(request: FastifyRequest): string {
  const params = request.params as Readonly<Record<string, string>>;
  return request.routeOptions.url!.replace(/:(\w+)/g, (_, name: string) => params[name]!);
}

/** What is stored of an answer: all of it, or which record to read again. */
type StoredAnswer =
  | (Answer & { readonly kind: 'answer' })
  | (Omit<Answer, 'body'> & { readonly kind: 'reference'; readonly id: number });

/** A longer body is not stored, if it can be read again. */
const LONGEST_STORED_BODY = 65_536;

/**
 * Runs the operation. Under a key everything it writes joins the transaction of the key; what it has to do outside of a
 * transaction is done before.
 */
export async function answerOnce(operation: Operation, call: AnyCall): Promise<Answer> {
  const { keyed, deps } = call;
  if (keyed === undefined || operation.keepsKeyItself) return operation.handle(call, await operation.prepare?.(call));
  const earlier = operation.prepare && (await findEarlier<StoredAnswer>(deps.db, keyed));
  if (earlier !== undefined) return toReplay(operation, call, earlier);
  const prepared = await operation.prepare?.(call);
  let fresh: Answer | undefined;
  const { outcome, isReplay } = await runOnce<StoredAnswer>(deps.db, keyed, async (trx) => {
    fresh = await operation.handle({ ...call, deps: { ...deps, db: trx } }, prepared);
    return toStored(operation, fresh);
  });
  return isReplay || fresh === undefined ? toReplay(operation, call, outcome) : fresh;
}

function toStored({ replay }: Operation, answer: Answer): StoredAnswer {
  const isReadAgain = replay !== undefined && (replay.isFinal || isJsonLongerThan(answer.body, LONGEST_STORED_BODY));
  if (!isReadAgain) return { ...answer, kind: 'answer' };
  const { body, ...rest } = answer;
  return { ...rest, kind: 'reference', id: (body as { readonly id: number }).id };
}

/** Throws NOT_FOUND when the record that is to be read again has been purged. */
async function toReplay(operation: Operation, call: AnyCall, stored: StoredAnswer): Promise<Answer> {
  const { status } = stored;
  const body = stored.kind === 'answer' ? stored.body : await operation.replay!.read(call, stored.id);
  return { status, body, headers: { ...stored.headers, ...REPLAY_HEADERS } };
}
