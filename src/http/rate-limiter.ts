/** Counts requests per key, in memory of this process. A limiter shared between processes can take its place. */
export interface Allowance {
  readonly isAllowed: boolean;
  /** Requests left in this window. */
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

const WINDOW_SECONDS = 60;

/** Fixed windows in memory. `now` is in milliseconds and never runs backwards.. */
export function makeMemoryRateLimiter(limit: number, now: () => number): RateLimiter {
  let windowStart = now();
  let counts = new Map<string, number>();
  return {
    limit,
    windowSeconds: WINDOW_SECONDS,
    async take(key) {
      const instant = now();
      if (instant - windowStart >= WINDOW_SECONDS * 1000) {
        windowStart = instant;
        counts = new Map();
      }
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const resetSeconds = Math.max(1, Math.ceil(WINDOW_SECONDS - (instant - windowStart) / 1000));
      return { isAllowed: count <= limit, remaining: Math.max(0, limit - count), resetSeconds };
    },
  };
}
