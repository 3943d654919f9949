import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { MAXIMUM_JOB_ATTEMPTS, renewIntervalMs, retryDelayMs } from '../../../src/domain/search/suggestion-job.ts';

describe('the delay before a retry', () => {
  test.each([
    [1, 200],
    [2, 400],
    [3, 800],
    [4, 1600],
    [5, 3200],
    [6, 5000],
    [100_000, 5000],
  ])('The delay after attempt %i is %i ms', (attempt, expected) => {
    expect(retryDelayMs(attempt)).toBe(expected);
  });

  it('The delay never shrinks and stays within 0.2 and 5 s', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), (attempt) => {
        expect(retryDelayMs(attempt)).toBeGreaterThanOrEqual(200);
        expect(retryDelayMs(attempt)).toBeLessThanOrEqual(5000);
        expect(retryDelayMs(attempt + 1)).toBeGreaterThanOrEqual(retryDelayMs(attempt));
      }),
    );
  });

  it('The delays before the last attempt add up to less than a client waits', () => {
    let total = 0;
    for (let attempt = 1; attempt < MAXIMUM_JOB_ATTEMPTS; attempt++) total += retryDelayMs(attempt);
    expect(total).toBeLessThan(20_000);
  });
});

describe('the interval of renewal', () => {
  it('A lease longer than 150 ms survives two lost renewals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 150, max: 3_600_000 }), (leaseMs) => {
        expect(3 * renewIntervalMs(leaseMs)).toBeLessThanOrEqual(leaseMs);
      }),
    );
  });

  it('A lease is never renewed in a busy loop', () => {
    fc.assert(fc.property(fc.nat(10_000), (leaseMs) => renewIntervalMs(leaseMs) >= 50));
  });
});
