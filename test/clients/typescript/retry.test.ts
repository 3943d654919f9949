import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isRetryableAnswer, parseRetryAfter, pause, retryDelayMs } from '../../../clients/typescript/src/retry.ts';

describe('the wait before the next attempt', () => {
  it('doubles with every attempt up to 20 seconds, of which a random share is waited', () => {
    expect([1, 2, 3, 8, 50].map((attempt) => retryDelayMs(attempt, 250, undefined, 1))).toEqual([
      250, 500, 1000, 20_000, 20_000,
    ]);
    expect(retryDelayMs(3, 250, undefined, 0.25)).toBe(250);
  });

  it('is never shorter than what the service asks for, and at most a tenth longer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(100_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, askedMs, random) => {
          const delayMs = retryDelayMs(attempt, 250, askedMs, random);
          expect(delayMs).toBeGreaterThanOrEqual(askedMs);
          expect(delayMs).toBeLessThanOrEqual(askedMs * 1.1 + 1e-6);
        },
      ),
    );
  });

  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0' }, 0],
    // The clock of the service is an hour behind that of the client.
    [{ 'retry-after': 'Sun, 22 Nov 2026 10:00:30 GMT', date: 'Sun, 22 Nov 2026 10:00:00 GMT' }, 30_000],
    [{ 'retry-after': 'Sun, 22 Nov 2026 11:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Sun, 22 Nov 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('is read from %j', (headers: Record<string, string>, expected) => {
    expect(parseRetryAfter(new Headers(headers), Date.parse('2026-11-22T11:00:00Z'))).toBe(expected);
  });
});

it('Only overload, restarts and a request that is still running are worth a repetition', () => {
  const retryable = [400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504, 507].filter((status) =>
    isRetryableAnswer(status, 'ANY'),
  );
  expect(retryable).toEqual([429, 502, 503, 504]);
  expect(isRetryableAnswer(409, 'IDEMPOTENCY_KEY_IN_USE')).toBe(true);
});

describe('a pause', () => {
  it('leaves no listener at its signal', async () => {
    const { signal } = new AbortController();
    await pause(1, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends with the reason of its signal, and with its timer', async () => {
    vi.useFakeTimers();
    try {
      const controller = new AbortController();
      const paused = pause(1e6, controller.signal);
      expect(vi.getTimerCount()).toBe(1);
      controller.abort('enough');
      await expect(paused).rejects.toBe('enough');
      expect(vi.getTimerCount()).toBe(0);
      await expect(pause(1e6, controller.signal)).rejects.toBe('enough');
    } finally {
      vi.useRealTimers();
    }
  });
});
