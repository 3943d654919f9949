/** Tests what the administration says of keys and batches. */
import { describe, expect, it } from 'vitest';
import type { BatchObjective } from '../../clients/typescript/src/index.ts';
import { barOf, bestInputText, evaluationsText } from '../../src/dashboard/views/administration/batches/progress.ts';
import { endOfDay, expiryAfter, stateOfKey } from '../../src/dashboard/views/administration/keys/key-states.ts';
import { addressOf, readChoice } from '../../src/dashboard/views/administration/parts/choice.ts';

const read = (query: string) => readChoice(new URLSearchParams(query), 'keys');

describe('the choice in the address', () => {
  it('comes back from the address that it makes', () => {
    const choice = { show: 'batches', status: 'failed', open: 12 } as const;
    expect(read(addressOf(choice).split('?')[1]!)).toEqual(choice);
  });

  it('falls back where the address makes no sense', () => {
    for (const query of ['', 'show=toString&status=constructor&open=x', 'show=all&status=&open=-1', 'open=1.5']) {
      expect(read(query)).toEqual({ show: 'keys', status: undefined, open: undefined });
    }
  });
});

describe('a key', () => {
  const now = new Date('2026-11-22T12:00:00Z');

  it('is active until it expires or is revoked', () => {
    const state = (expiresAt: string | null, revokedAt: string | null = null) =>
      stateOfKey({ expiresAt, revokedAt }, now);
    expect(state(null)).toBe('active');
    expect(state('2026-11-22T12:00:01Z')).toBe('active');
    expect(state('2026-11-22T12:00:00Z')).toBe('expired');
    expect(state(null, '2026-11-22T11:00:00Z')).toBe('revoked');
    expect(state('2026-11-22T10:00:00Z', '2026-11-22T11:00:00Z')).toBe('revoked');
  });

  it('expires after days, at the end of a day, or never', () => {
    expect(expiryAfter(7, now)).toBe('2026-11-29T12:00:00.000Z');
    expect(expiryAfter(0, now)).toBeNull();
    expect(new Date(endOfDay('2026-12-31')!).getTime()).toBe(new Date(2026, 11, 31, 23, 59, 59).getTime());
    for (const day of ['', '2026-13-01', 'tomorrow']) expect(endOfDay(day)).toBeUndefined();
  });
});

describe('the progress of a batch', () => {
  const progress = {
    cases: { planned: 12, done: 5, failed: 1 },
    objectives: { planned: 1_000, running: 4, satisfied: 20, stopped: 1, exhausted: 2, failed: 3 },
    evaluations: { waiting: 0, leased: 4, done: 1_234, failed: 0, cancelled: 2 },
  };

  it('is that of the cases while they are evaluated, then of the objectives', () => {
    expect(barOf({ status: 'evaluating-cases', progress })).toMatchObject({
      total: 12,
      text: '5 of 12 cases done, 1 failed',
    });
    const { total, parts, text } = barOf({ status: 'solving', progress });
    expect(text).toBe(
      '20 of 1\u202f000 objectives satisfied, 4 running, 1 stopped, 2 exhausted, 3 failed, 970 waiting',
    );
    expect(total).toBe(1_000);
    expect(parts.map(({ look, count }) => [look, count])).toEqual([
      ['good', 20],
      ['over', 3],
      ['bad', 3],
      ['busy', 4],
    ]);
  });

  it('names the evaluations that there are', () => {
    expect(evaluationsText(progress.evaluations)).toBe('Evaluations: 4 under way, 1\u202f234 done, 2 cancelled');
    expect(evaluationsText({ waiting: 0, leased: 0, done: 0, failed: 0, cancelled: 0 })).toBe('No evaluations yet');
  });

  it('shows the best input by its names, or numbered', () => {
    const sent: BatchObjective = {
      position: 1,
      objectiveId: 7,
      stopReason: 'RUNNING',
      attemptCount: 1,
      completedCount: 1,
      satisfied: false,
      worstMiss: 2,
      failureReason: null,
      bestInput: [1 / 3, 2],
      bestOutput: [1],
    };
    expect(bestInputText(sent)).toBe('x1 0.33333, x2 2');
    const named = { ...sent, bestInputByName: { length: 1 / 3, alloy: 'B' } };
    expect(bestInputText(named)).toBe('length 0.33333, alloy B');
    expect(bestInputText(named, String)).toBe('length 0.3333333333333333, alloy B');
    expect(bestInputText({ ...sent, bestInput: null })).toBe('');
  });
});
