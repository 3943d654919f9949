/** One call of an http evaluator: the answer with its body, or why there is none. */
import { describeFault, type OutgoingPost, type PostOptions, post } from './post.ts';
import { TargetRefused } from './target-guard.ts';

export type EvaluatorAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** UTF-8 text; null: longer than 1 MiB. */
      readonly body: string | null;
      /** The Retry-After header, in seconds. */
      readonly retryAfterSeconds: number | null;
    }
  /** No connection was made: the evaluator has not seen the request. */
  | { readonly kind: 'away'; readonly reason: string }
  /** The connection broke: it may have seen it. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** The address is not allowed. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'out-of-time' };

/** Rejects only with the signal's reason, when the signal fires. */
export type CallEvaluator = (
  outgoing: OutgoingPost,
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<EvaluatorAnswer>;

const ANSWER_LIMIT_BYTES = 1024 * 1024;

type Answered = Extract<EvaluatorAnswer, { kind: 'answered' }>;

export function makeCallEvaluator(options: PostOptions): CallEvaluator {
  return async (outgoing, timeoutMs, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    let isConnected = false;
    try {
      return await post<Answered>(
        outgoing,
        options,
        AbortSignal.any([signal, timeout]),
        (response, resolve, reject) => {
          const answer = (body: string | null) =>
            resolve({
              kind: 'answered',
              status: response.statusCode!,
              body,
              retryAfterSeconds: readSeconds(response.headers['retry-after']),
            });
          const chunks: Buffer[] = [];
          let received = 0;
          response.on('data', (chunk: Buffer) => {
            received += chunk.length;
            if (received <= ANSWER_LIMIT_BYTES) chunks.push(chunk);
            else {
              answer(null);
              response.destroy();
            }
          });
          response.on('end', () => answer(Buffer.concat(chunks).toString('utf8')));
          response.on('error', reject);
        },
        () => {
          isConnected = true;
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) return { kind: 'out-of-time' };
      const reason = describeFault(error);
      if (error instanceof TargetRefused) return { kind: 'refused', reason };
      return { kind: isConnected ? 'broken' : 'away', reason };
    }
  };
}

/** The header may also be a date, which is not supported. */
function readSeconds(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,9}$/.test(header.trim()) ? Number(header) : null;
}
