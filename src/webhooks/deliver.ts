/**
 * One attempt to send one event: signed, within a time limit, to a judged address, following no redirect. The answer's
 * status is all that counts; its body is neither kept nor read beyond a small cap.
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
  /** The receiver answered with this status; only 2xx means that it took the event. */
  | { readonly kind: 'answered'; readonly status: number }
  /** No answer; the reason is shown to the owner of the webhook. */
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Never rejects, save with the signal's reason when that fires. */
export type SendEvent = (outgoing: OutgoingEvent, signal: AbortSignal) => Promise<Attempt>;

export interface SenderOptions extends GuardOptions {
  /** For the whole attempt: look-up, connection, and the answer's headers. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Milliseconds since 1970, for the signature's timestamp. */
  readonly now: () => number;
}

/** A longer answer is cut off: its status is known by then. */
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
    // A connection of its own: a kept one could lead to an address judged for another moment.
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

/** Lets the receiver finish a short answer, and cuts a long or broken one off. */
function drain(response: IncomingMessage, done: () => void): void {
  let received = 0;
  response.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > ANSWER_LIMIT_BYTES) response.destroy();
  });
  // Also after an abort: the status had arrived before it.
  response.on('error', () => undefined);
  response.on('close', done);
}

/** A look-up that knows the judged addresses and nothing else. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    if (all === true) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
}

/** The system's look-up cannot be called off, so that its answer is left alone instead. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}

/** What happened, without addresses or inner texts: node's code, or the refusal in words. */
function describe(error: unknown): string {
  if (error instanceof TargetRefused) return error.message;
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (error instanceof Error && 'code' in error) return `the connection failed: ${String(error.code)}`;
  return 'the connection failed';
}
