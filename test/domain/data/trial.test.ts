import { describe, expect, test } from 'vitest';
import { canMoveTrial, TrialStatus } from '../../../src/domain/data/trial.ts';

describe('a trial', () => {
  const statuses = Object.values(TrialStatus);
  const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  test.each(pairs)('A trial moves from %s to %s only as the interface allows', (from, to) => {
    const isAllowed = from === to || (from === 'active' && to === 'completed');
    expect(canMoveTrial(from, to)).toBe(isAllowed);
  });
});
