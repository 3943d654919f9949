/** Decides when a request is sent again, and how long to wait before that. */

/** Statuses of a proxy or a service that is overloaded or restarting. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const LONGEST_DELAY_MS = 20_000;
/** The share by which a wait that the service asked for is lengthened at most, so that not all clients return together. */
const SPREAD = 0.1;

/** `code` is that of the problem. A request under an Idempotency-Key that is still running is answered once it has ended. */
export function isRetryableAnswer(status: number, code: string): boolean {
  return RETRYABLE_STATUSES.has(status) || code === 'IDEMPOTENCY_KEY_IN_USE';
}

/**
 * Milliseconds to wait before the next attempt: exponential with full jitter, or what the service asked for.
 *
 * @param attempt     attempts made, from 1
 * @param firstMs     the longest wait after the first attempt
 * @param askedMs     what the service asked for
 * @param random      from 0 to 1
 */
export function retryDelayMs(attempt: number, firstMs: number, askedMs: number | undefined, random: number): number {
  if (askedMs !== undefined) return askedMs + askedMs * SPREAD * random;
  return Math.min(LONGEST_DELAY_MS, firstMs * 2 ** (attempt - 1)) * random;
}

/** Milliseconds until the time in a Retry-After header: seconds, or a date, which the clock of the answer relates to. */
export function parseRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  if (Number.isNaN(date)) return undefined;
  const answered = Date.parse(headers.get('date') ?? '');
  return Math.max(0, date - (Number.isNaN(answered) ? nowMs : answered));
}

/** Waits; rejects with the reason of the signal as soon as that is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
