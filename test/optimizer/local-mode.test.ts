import { describe, expect, it } from 'vitest';
import { localRound, type Standing } from '../../src/optimizer/search/local-mode.ts';

describe('local rounds', () => {
  const aroundIncumbent = (rounds: readonly number[]) => rounds.filter((round) => round < 6);
  const centersOf = (rounds: readonly number[]) => new Set(rounds.map((round) => Math.floor(round / 6)));
  const atRest = { stall: 0, pending: 0, suggested: 0, N: 100, n: 4, seeksLimits: false };
  const local = (standings: readonly Partial<Standing>[]) =>
    standings.map((own) => localRound({ ...atRest, ...own })).filter((round) => round >= 0);
  const stalled = (seeksLimits: boolean) => local(Array.from({ length: 67 }, (_, stall) => ({ stall, seeksLimits })));

  it.each([0, 40, 400])('return to the incumbent while inputs are pending, after a stall of %i', (stall) => {
    const rounds = local(Array.from({ length: 64 }, (_, suggested) => ({ stall, pending: 15, suggested })));
    expect(rounds).toHaveLength(32);
    expect(aroundIncumbent(rounds)).toHaveLength(24);
    expect(new Set(aroundIncumbent(rounds)).size).toBe(6);
    expect(centersOf(rounds).size).toBe(4);
  });

  it('return to the incumbent while no case meets the limits, however long the search has stalled', () => {
    const rounds = stalled(true);
    expect(rounds).toHaveLength(32);
    expect(aroundIncumbent(rounds.slice(16))).toHaveLength(12);
    expect(centersOf(rounds).size).toBe(4);
  });

  it('go on to ever new centres in any other search that stalls', () => {
    const rounds = stalled(false);
    expect(rounds).toEqual(Array.from({ length: 32 }, (_, round) => round));
  });
});
