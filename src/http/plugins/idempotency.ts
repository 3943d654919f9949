/**
 * Idempotency-Key on POST (draft-ietf-httpapi-idempotency-key-header). The same request under the same key gets the same
 * answer for 24 hours: status, Location and body. Another body under it is 422, a first request still running 409.
 */
import type { FastifyRequest } from 'fastify';
import { findEarlier, type KeyedRequest, runOnce } from '../../application/idempotent.ts';
import { expandKey, seal, unseal } from '../../application/seal.ts';
import { DomainError, makeViolation, type Violation } from '../../domain/errors.ts';
import { NO_BODY_DIGEST } from '../body/bodies.ts';
import type { Answer, Call, Operation } from '../operation.ts';

const HEADER = 'Idempotency-Key';
/** Says that an answer is a repetition. */
export const REPLAY_HEADERS = { 'idempotent-replayed': 'true' } as const;
const MAXIMUM_KEY_LENGTH = 255;
/** A string of RFC 9651, printable ASCII in quotes; most clients send the bare characters. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const PRINTABLE = /^[\x20-\x7e]+$/;

type AnyCall = Call<Readonly<Record<string, number>>, unknown>;

/** The request's key, if it is a POST with one; `digest` is its body's. `violations` when the key is malformed. */
export function readKeyedRequest(
  request: FastifyRequest,
  accountId: number,
  digest: Buffer | undefined,
): { readonly keyed: KeyedRequest | undefined; readonly violations: readonly Violation[] } {
  const { key, violations } = readKey(request, 1);
  if (key === undefined) return { keyed: undefined, violations };
  const fingerprint = digest ?? NO_BODY_DIGEST;
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

interface StoredAnswer extends Answer {
  readonly kind: 'answer';
  /** The body of an answer that holds a secret. */
  readonly sealed?: string;
}

/**
 * Runs the operation. Under a key everything it writes joins the transaction of the key; what it has to do outside of a
 * transaction is done before.
 */
export async function answerOnce(operation: Operation, call: AnyCall): Promise<Answer> {
  const { keyed, deps } = call;
  if (keyed === undefined || operation.keepsKeyItself) return operation.handle(call, await operation.prepare?.(call));
  const earlier = operation.prepare && (await findEarlier<StoredAnswer>(deps.db, keyed));
  if (earlier !== undefined) return toReplay(call, earlier);
  const prepared = await operation.prepare?.(call);
  const { outcome, isReplay } = await runOnce<StoredAnswer>(deps.db, keyed, async (trx) => {
    const answer = await operation.handle({ ...call, deps: { ...deps, db: trx } }, prepared);
    return operation.holdsSecret ? toSealed(call, answer) : { ...answer, kind: 'answer' };
  });
  return isReplay ? toReplay(call, outcome) : toAnswer(call, outcome);
}

function toReplay(call: AnyCall, stored: StoredAnswer): Answer {
  const answer = toAnswer(call, stored);
  return { ...answer, headers: { ...answer.headers, ...REPLAY_HEADERS } };
}

/** Of the asking key only a hash is stored, so that neither the database nor a backup of it opens the seal. */
function sealingKey({ principal }: AnyCall): Buffer {
  return expandKey(principal.secret, 'backsolve: answers under an Idempotency-Key');
}

function toSealed(call: AnyCall, { body, ...open }: Answer): StoredAnswer {
  return { ...open, kind: 'answer', sealed: seal(sealingKey(call), JSON.stringify(body)) };
}

function toAnswer(call: AnyCall, { sealed, ...answer }: StoredAnswer): Answer {
  if (sealed === undefined) return answer;
  const text = unseal(sealingKey(call), sealed);
  if (text !== undefined) return { ...answer, body: JSON.parse(text) };
  const message =
    'The answer under this Idempotency-Key holds a secret and is given again only to the API key that asked first; use a new Idempotency-Key for a new request.';
  throw new DomainError('IDEMPOTENCY_KEY_REUSED', message);
}
