/** Decides for each request whether its account or address is within its limit. The window counts the requests. */
import { ExpiringMap } from './expiring-map.ts';

interface Allowance {
  readonly isAllowed: boolean;
  /** Requests left in this window, as far as this process knows. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Counts one request of `key`. */
  take(key: string): Promise<Allowance>;
}

/** Takes up to `wanted` requests from a key's window; fewer means that none are left. */
export type TakeFromWindow = (
  key: string,
  wanted: number,
) => Promise<{ readonly granted: number; readonly remaining: number; readonly resetMs: number }>;

export const WINDOW_SECONDS = 60;
/**
 * Share of the limit that a process fetches at a time. At 1 percent and the default limit it asks the window once per 60
 * requests, and a process that goes idle withholds at most that share from the others.
 */
const BATCH_SHARE = 0.01;
/** Share of the remaining requests that a process fetches when few remain, so that none withholds the last ones. */
const SHARE_OF_REMAINING = 0.25;
/** About 25 MB. A forgotten key loses the requests fetched for it, so the limit still holds. */
const MAXIMUM_KNOWN = 100_000;

interface Held {
  /** Requests fetched and not yet made. */
  tokens: number;
  /** Left in the window when last asked. */
  remaining: number;
  endsAt: number;
  isSpent: boolean;
  fetching: Promise<void> | undefined;
}

/**
 * A limiter that fetches requests from the window in batches and hands them out from memory, never more than the limit
 * in all processes together. `now` is in milliseconds and monotonic.
 */
export function makeRateLimiter(
  { limit, windowSeconds = WINDOW_SECONDS }: { readonly limit: number; readonly windowSeconds?: number },
  takeFromWindow: TakeFromWindow,
  now: () => number,
): RateLimiter {
  const known = new ExpiringMap<Held>(MAXIMUM_KNOWN, now);
  const batch = Math.max(1, Math.floor(limit * BATCH_SHARE));

  const find = (key: string): Held => {
    const held = known.get(key);
    if (held !== undefined) return held;
    const fresh = {
      tokens: 0,
      remaining: limit,
      endsAt: Number.POSITIVE_INFINITY,
      isSpent: false,
      fetching: undefined,
    };
    known.set(key, fresh);
    return fresh;
  };

  const fetch = async (key: string, held: Held): Promise<void> => {
    const wanted = Math.max(1, Math.min(batch, Math.floor(held.remaining * SHARE_OF_REMAINING)));
    try {
      const { granted, remaining, resetMs } = await takeFromWindow(key, wanted);
      held.tokens += granted;
      held.remaining = remaining;
      held.endsAt = now() + resetMs;
      held.isSpent = granted < wanted;
    } finally {
      held.fetching = undefined;
    }
  };

  return {
    limit,
    windowSeconds,
    async take(key) {
      // Terminates: every fetch brings a request or shows that none are left until the window ends.
      for (;;) {
        const held = find(key);
        const isAllowed = held.tokens > 0;
        if (isAllowed) held.tokens -= 1;
        if (isAllowed || held.isSpent) {
          const resetSeconds = Math.max(1, Math.ceil((held.endsAt - now()) / 1000));
          return { isAllowed, remaining: held.tokens + held.remaining, resetSeconds };
        }
        held.fetching ??= fetch(key, held);
        await held.fetching;
      }
    },
  };
}

/** Fixed windows in the memory of this process. `now` as for makeRateLimiter. */
export function makeMemoryWindow(limit: number, now: () => number): TakeFromWindow {
  const windows = new ExpiringMap<{ taken: number; endsAt: number }>(MAXIMUM_KNOWN, now);
  return async (key, wanted) => {
    let window = windows.get(key);
    if (window === undefined) {
      window = { taken: 0, endsAt: now() + WINDOW_SECONDS * 1000 };
      windows.set(key, window);
    }
    const granted = Math.min(wanted, limit - window.taken);
    window.taken += granted;
    return { granted, remaining: limit - window.taken, resetMs: window.endsAt - now() };
  };
}
