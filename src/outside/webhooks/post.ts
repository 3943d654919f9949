/** A signed POST to a checked address, without following redirects. */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { signatureHeaders } from './sign.ts';
import { findTargets, type GuardOptions, TargetRefused } from './target-guard.ts';

export interface OutgoingPost {
  readonly url: string;
  readonly secrets: readonly Uint8Array[];
  readonly id: string;
  /** JSON in UTF-8. */
  readonly body: Uint8Array;
}

export interface PostOptions extends GuardOptions {
  readonly userAgent: string;
  /** Milliseconds since 1970, for the signature's timestamp. */
  readonly now: () => number;
}

/** Reads an answer and calls one of the two. */
export type ReadAnswer<T> = (
  response: IncomingMessage,
  resolve: (answer: T) => void,
  reject: (error: Error) => void,
) => void;

/** Shows whether a connection that is silent for hours is alive. */
const KEEP_ALIVE_MS = 30_000;

/** The receiver answered 101, although no other protocol was requested. */
class ProtocolSwitched extends Error {}

/**
 * Rejects with TargetRefused, with Node's error, or with the signal's reason. `onConnected` is called once there is a connection, on
 * which the request may have arrived.
 */
export async function post<T>(
  outgoing: OutgoingPost,
  options: PostOptions,
  signal: AbortSignal,
  readAnswer: ReadAnswer<T>,
  onConnected: () => void = () => undefined,
): Promise<T> {
  const url = new URL(outgoing.url);
  const addresses = await untilAborted(findTargets(url, options), signal);
  const { body } = outgoing;
  const timestampSeconds = Math.floor(options.now() / 1_000);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const isSecure = url.protocol === 'https:';
  const send = isSecure ? requestHttps : requestHttp;
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
  request.setSocketKeepAlive(true, KEEP_ALIVE_MS);
  request.on('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', onConnected));
  request.on('error', reject);
  request.on('upgrade', (_response, socket) => {
    // Node would close the connection without an event.
    socket.destroy();
    reject(new ProtocolSwitched());
  });
  request.on('response', (response) => readAnswer(response, resolve, reject));
  request.end(body);
  return promise;
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
export function describeFault(error: unknown): string {
  if (error instanceof TargetRefused) return error.message;
  if (error instanceof ProtocolSwitched) return 'the receiver answered 101; switching protocols is not supported';
  if (error instanceof AggregateError && error.errors.length > 0) return describeFault(error.errors[0]);
  if (error instanceof Error && 'code' in error) return `the connection failed: ${String(error.code)}`;
  return 'the connection failed';
}
