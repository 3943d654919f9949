import { describe, expect, it } from 'vitest';
import { type Cases, collectCases } from '../../src/optimizer/cases.ts';
import { makeEncoding } from '../../src/optimizer/encoding.ts';
import type { SuggestRequest, Target } from '../../src/optimizer/problem.ts';
import { bestFeasible, hasStagnated } from '../../src/optimizer/search/directed-outputs.ts';
import { atMost, float, maximize, minimize } from './play.ts';

/** A cost to minimize far out of reach and a load that must not exceed 1, at inputs 0, 1, 2 and so on. */
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

const COST_WITHIN_LOAD = [minimize(-1000), atMost(1)];
const standstill = (rows: readonly (readonly number[])[], goal: readonly Target[], firstSuggested = 0): boolean => {
  const { request, cases } = collect(rows, goal, firstSuggested);
  return hasStagnated(request, cases, bestFeasible(cases, cases.intervals), 1);
};

describe('the best feasible case', () => {
  const best = ({ cases }: { readonly cases: Cases }) => bestFeasible(cases, cases.intervals);

  it('is the cheapest of those within the constraint, not the cheapest', () => {
    const rows = [
      [50, 0.5],
      [30, 1],
      [10, 1.2],
      [40, 0],
    ];
    expect(best(collect(rows, COST_WITHIN_LOAD))).toBe(1);
  });

  it('is none while every case breaks the constraint', () => {
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

describe('a standstill', () => {
  /** With one input it takes 35 suggestions without a gain. */
  const PATIENCE = 35;
  const flat = (count: number, cost: number) => Array.from({ length: count }, (_, i) => [cost + (i % 5), 0.5]);

  it('takes 30 suggestions and five more per input that gained nothing, designed cases not counted', () => {
    const rows = [[50, 0.5], ...flat(PATIENCE, 50)];
    expect(standstill(rows, COST_WITHIN_LOAD, 1)).toBe(true);
    expect(standstill(rows, COST_WITHIN_LOAD, 2)).toBe(false);
    expect(standstill(rows.slice(1), COST_WITHIN_LOAD, 0)).toBe(false);
  });

  it('is none when one of them improved by more than the convergence criterion of the aspiration', () => {
    const gainOf = (gain: number) => {
      const rows = [[50, 0.5], ...flat(PATIENCE, 50)];
      rows[20] = [50 - gain, 0.5];
      return standstill(rows, COST_WITHIN_LOAD, 1);
    };
    // 1e-3 of the aspiration of -1000.
    expect(gainOf(0.9)).toBe(true);
    expect(gainOf(1.1)).toBe(false);
  });

  it('is none when the gain broke the constraint before and keeps it now', () => {
    const rows = [[50, 0.5], ...flat(PATIENCE, 50)];
    rows[0] = [20, 0.5];
    rows[10] = [10, 1.5];
    expect(standstill(rows, COST_WITHIN_LOAD, 1)).toBe(true);
    rows[10] = [10, 1];
    expect(standstill(rows, COST_WITHIN_LOAD, 1)).toBe(false);
  });

  it('is none without a feasible case, and counts every directed output', () => {
    expect(
      standstill(
        Array.from({ length: 60 }, () => [50, 2]),
        COST_WITHIN_LOAD,
      ),
    ).toBe(false);
    // The first output never varies: rounding in its spread must not drown the gain of the other.
    const both = [minimize(-1000), maximize(1000)];
    const rows = Array.from({ length: 60 }, () => [50, 7]);
    expect(standstill(rows, both)).toBe(true);
    rows[40] = [50, 9];
    expect(standstill(rows, both)).toBe(false);
  });
});
