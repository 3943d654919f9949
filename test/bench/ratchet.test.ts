import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findRegressions, playRatchet, RATCHET_SEEDS, type RatchetRecord } from '../../bench/solvers/ratchet-rule.ts';

const record: RatchetRecord = JSON.parse(
  readFileSync(new URL('../../bench/solvers/ratchet.json', import.meta.url), 'utf8'),
);

describe('the ratchet', () => {
  it('the optimizer is no worse than its record', () => {
    expect(findRegressions(record, playRatchet(RATCHET_SEEDS.slice(0, 1)))).toEqual([]);
  });

  it('a record has no regressions against itself', () => {
    expect(findRegressions(record, record)).toEqual([]);
  });

  it('an unsolved play, a play far above its record and a higher mean are regressions', () => {
    const before = { rosenbrock: [6], wood: [8] };
    expect(findRegressions(before, { rosenbrock: [120], wood: [8] })[0]).toBe(
      'rosenbrock, play 1: no longer solved (6 runs)',
    );
    expect(findRegressions(before, { rosenbrock: [13], wood: [8] })[0]).toBe(
      'rosenbrock, play 1: 13 runs, on record are 6',
    );
    expect(findRegressions(before, { rosenbrock: [7], wood: [8] })).toEqual([
      'all: 7.48 runs in the geometric mean, on record are 6.93',
    ]);
    expect(findRegressions({}, { wood: [8] })[0]).toBe('wood, play 1: not on record');
  });
});
