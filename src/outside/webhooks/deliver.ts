/**
 * One attempt to send one event: signed, within a time limit, to a checked address, without following redirects. Only the status
 * of the answer counts; its body is discarded and cut off at a small limit.
 */
import type { IncomingMessage } from 'node:http';
import type { ReceiverKind } from '../../domain/webhooks/event.ts';
import { describeFault, type OutgoingPost, type PostOptions, post } from './post.ts';

interface OutgoingEvent extends OutgoingPost {
  readonly kind: ReceiverKind;
}

export type Attempt =
  /** Only 2xx means that the receiver accepted the event; the reason, if there is one, is shown to the owner. */
  | { readonly kind: 'answered'; readonly status: number; readonly reason?: string }
  /** The reason is shown to the owner of the webhook. */
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Rejects only with the signal's reason, when the signal fires. */
export type SendEvent = (outgoing: OutgoingEvent, signal: AbortSignal) => Promise<Attempt>;

export interface SenderOptions extends PostOptions {
  /** For the whole attempt: DNS lookup, connection, and the headers of the answer. */
  readonly timeoutMs: number;
}

/** Longer answers are cut off; their status has already been read. */
const ANSWER_LIMIT_BYTES = 16 * 1024;

/** For webhooks. */
export function makeSender(options: SenderOptions): (outgoing: OutgoingPost, signal: AbortSignal) => Promise<Attempt> {
  return async (outgoing, signal) => {
    const timeout = AbortSignal.timeout(options.timeoutMs);
    try {
      const status = await post<number>(outgoing, options, AbortSignal.any([signal, timeout]), (response, resolve) =>
        drain(response, () => resolve(response.statusCode!)),
      );
      return { kind: 'answered', status };
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) return { kind: 'unanswered', reason: `no answer within ${options.timeoutMs} ms` };
      return { kind: 'unanswered', reason: describeFault(error) };
    }
  };
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
