import { describe, expect, it } from 'vitest';
import recorded from '../reference/recorded-proposals.json' with { type: 'json' };
import { recordProposals } from './recorded-proposals.ts';

describe('the suggestions of the recorded games', () => {
  const now = recordProposals();

  it.each(Object.entries(recorded))('are unchanged for the game %s', (name, inputs) => {
    expect(now[name]).toHaveLength(inputs.length);
    now[name]!.forEach((x, k) => {
      x.forEach((value, v) => {
        expect(value).toBeCloseTo(inputs[k]![v]!, 6);
      });
    });
  });
});
