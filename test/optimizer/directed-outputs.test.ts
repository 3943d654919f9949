import { describe, expect, it } from 'vitest';
import { atMost, float, maximize, minimize } from '../../harness/optimizer-game.ts';
import { type Cases, collectCases } from '../../src/optimizer/goal/cases.ts';
import type { SuggestRequest, Target } from '../../src/optimizer/interface/problem.ts';
import { bestFeasible, hasStagnated, seeksLimits } from '../../src/optimizer/search/directed-outputs.ts';
import { makeEncoding } from '../../src/optimizer/space/encoding.ts';

/** Cases at the inputs 0, 1, 2 and so on. */
function collect(rows: readonly (readonly number[])[], goal: readonly Target[], firstSuggested = 0) {
  const space = { variables: [float(0, 1000)] };
  const request: SuggestRequest = {
    space,
    goal: { targets: goal, l1: null },
    history: {
      count: rows.length,
      X: Float64Array.from(rows, (_, i) => i),
      Y: Float64Array.from(rows.flat()),
      failed: new Uint8Array(rows.length),
    },
    firstSuggested,
    convergence: 1e-3,
    seed: 1,
    workLimit: 1000,
  };
  return { request, cases: collectCases(request, makeEncoding(space)) };
}

/** A cost to minimize, whose aspiration is far out of reach, and a load of at most 1. */
const COST_WITHIN_LOAD = [minimize(-1000), atMost(1)];
const hasStagnatedAfter = (
  rows: readonly (readonly number[])[],
  goal: readonly Target[],
  firstSuggested = 0,
): boolean => {
  const { request, cases } = collect(rows, goal, firstSuggested);
  return hasStagnated(request, cases, bestFeasible(cases, cases.intervals), 1);
};

describe('a search for limits', () => {
  const broken = [
    [10, 2],
    [20, 3],
  ];

  it('lasts until a case meets all limits, where an output is to be minimized', () => {
    expect(seeksLimits(collect(broken, COST_WITHIN_LOAD).cases)).toBe(true);
    expect(seeksLimits(collect([...broken, [90, 1]], COST_WITHIN_LOAD).cases)).toBe(false);
  });

  it('is none without an output to minimize or maximize, or without limits', () => {
    expect(seeksLimits(collect(broken, [atMost(1), atMost(1)]).cases)).toBe(false);
    expect(seeksLimits(collect([[10], [20]], [minimize(-1000)]).cases)).toBe(false);
  });
});

describe('the best feasible case', () => {
  const best = ({ cases }: { readonly cases: Cases }) => bestFeasible(cases, cases.intervals);

  it('The best feasible case is the cheapest case that meets the constraint, although a cheaper one breaks it', () => {
    const rows = [
      [50, 0.5],
      [30, 1],
      [10, 1.2],
      [40, 0],
    ];
    expect(best(collect(rows, COST_WITHIN_LOAD))).toBe(1);
  });

  it('The best feasible case does not exist while every case breaks the constraint', () => {
    expect(
      best(
        collect(
          [
            [10, 2],
            [20, 3],
          ],
          COST_WITHIN_LOAD,
        ),
      ),
    ).toBe(-1);
  });
});

describe('a search for an improvement', () => {
  /** Suggestions without a gain that it takes with one input. */
  const PATIENCE = 35;
  const flat = (count: number, cost: number) => Array.from({ length: count }, (_, i) => [cost + (i % 5), 0.5]);

  it('A search for an improvement has stagnated after 30 suggestions and five per input without a gain, not counting designed cases', () => {
    const rows = [[50, 0.5], ...flat(PATIENCE, 50)];
    expect(hasStagnatedAfter(rows, COST_WITHIN_LOAD, 1)).toBe(true);
    expect(hasStagnatedAfter(rows, COST_WITHIN_LOAD, 2)).toBe(false);
    expect(hasStagnatedAfter(rows.slice(1), COST_WITHIN_LOAD, 0)).toBe(false);
  });

  it('A search for an improvement has not stagnated when a suggestion gained more than the convergence criterion times the aspiration', () => {
    const gainOf = (gain: number) => {
      const rows = [[50, 0.5], ...flat(PATIENCE, 50)];
      rows[20] = [50 - gain, 0.5];
      return hasStagnatedAfter(rows, COST_WITHIN_LOAD, 1);
    };
    // The criterion is 1e-3, the aspiration -1000.
    expect(gainOf(0.9)).toBe(true);
    expect(gainOf(1.1)).toBe(false);
  });

  it('A search for an improvement has not stagnated when the best value, which used to break the constraint, now meets it', () => {
    const rows = [[50, 0.5], ...flat(PATIENCE, 50)];
    rows[0] = [20, 0.5];
    rows[10] = [10, 1.5];
    expect(hasStagnatedAfter(rows, COST_WITHIN_LOAD, 1)).toBe(true);
    rows[10] = [10, 1];
    expect(hasStagnatedAfter(rows, COST_WITHIN_LOAD, 1)).toBe(false);
  });

  it('A search for an improvement has not stagnated without a feasible case, nor when any of several directed outputs gained', () => {
    expect(
      hasStagnatedAfter(
        Array.from({ length: 60 }, () => [50, 2]),
        COST_WITHIN_LOAD,
      ),
    ).toBe(false);
    // The first output never varies: rounding in its spread must not drown the gain of the other.
    const both = [minimize(-1000), maximize(1000)];
    const rows = Array.from({ length: 60 }, () => [50, 7]);
    expect(hasStagnatedAfter(rows, both)).toBe(true);
    rows[40] = [50, 9];
    expect(hasStagnatedAfter(rows, both)).toBe(false);
  });
});
