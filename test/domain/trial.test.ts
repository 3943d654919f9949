import { describe, expect, test } from 'vitest';
import { canMoveTrial, TrialStatus } from '../../src/domain/trial.ts';

describe('a trial', () => {
  const statuses = Object.values(TrialStatus);
  const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  test.each(pairs)('moved from %s to %s', (from, to) => {
    const isAllowed = from === to || (from === 'active' && to === 'completed');
    expect(canMoveTrial(from, to)).toBe(isAllowed);
  });
});
