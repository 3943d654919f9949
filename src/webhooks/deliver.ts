/**
 * One attempt to send one event: signed, within a time limit, to a checked address, without following redirects. Only the status
 * of the answer counts; its body is discarded and cut off at a small limit.
 */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { signatureHeaders } from './sign.ts';
import { findTargets, type GuardOptions, TargetRefused } from './target-guard.ts';

export interface OutgoingEvent {
  readonly url: string;
  readonly secrets: readonly Uint8Array[];
  readonly id: string;
  /** JSON in UTF-8. */
  readonly body: Uint8Array;
}

export type Attempt =
  /** Only 2xx means that the receiver accepted the event. */
  | { readonly kind: 'answered'; readonly status: number }
  /** The reason is shown to the owner of the webhook. */
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Rejects only with the signal's reason, when the signal fires. */
export type SendEvent = (outgoing: OutgoingEvent, signal: AbortSignal) => Promise<Attempt>;

export interface SenderOptions extends GuardOptions {
  /** For the whole attempt: DNS lookup, connection, and the headers of the answer. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Milliseconds since 1970, for the signature's timestamp. */
  readonly now: () => number;
}

/** Longer answers are cut off; their status has already been read. */
const ANSWER_LIMIT_BYTES = 16 * 1024;

export function makeSender(options: SenderOptions): SendEvent {
  return async (outgoing, signal) => {
    const timeout = AbortSignal.timeout(options.timeoutMs);
    try {
      const status = await post(outgoing, options, AbortSignal.any([signal, timeout]));
      return { kind: 'answered', status };
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) return { kind: 'unanswered', reason: `no answer within ${options.timeoutMs} ms` };
      return { kind: 'unanswered', reason: describe(error) };
    }
  };
}

async function post(outgoing: OutgoingEvent, options: SenderOptions, signal: AbortSignal): Promise<number> {
  const url = new URL(outgoing.url);
  const addresses = await untilAborted(findTargets(url, options), signal);
  const { body } = outgoing;
  const timestampSeconds = Math.floor(options.now() / 1_000);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request: ClientRequest = send(url, {
    method: 'POST',
    // A new connection: a kept-alive one could lead to an address that was checked at another time.
    agent: false,
    lookup: answerWith(addresses),
    signal,
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      'user-agent': options.userAgent,
      ...signatureHeaders(outgoing.secrets, { id: outgoing.id, timestampSeconds, body }),
    },
  });
  request.on('error', reject);
  request.on('response', (response) => {
    drain(response, () => resolve(response.statusCode!));
  });
  request.end(body);
  return promise;
}

/** Reads a short answer to its end and cuts off a long one. */
function drain(response: IncomingMessage, done: () => void): void {
  let received = 0;
  response.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > ANSWER_LIMIT_BYTES) response.destroy();
  });
  // Even after an error the status counts: it arrived first.
  response.on('error', () => undefined);
  response.on('close', done);
}

/** A DNS lookup that returns the checked addresses and nothing else. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    if (all === true) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
}

/** The system's DNS lookup cannot be cancelled; its late answer is ignored. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}

/** The refusal, or Node's error code; no addresses and no internal messages. */
function describe(error: unknown): string {
  if (error instanceof TargetRefused) return error.message;
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (error instanceof Error && 'code' in error) return `the connection failed: ${String(error.code)}`;
  return 'the connection failed';
}
