import { describe, expect, it } from 'vitest';
import { problemsOf } from '../../bench/problems/sets.ts';
import { play } from '../../bench/solvers/play.ts';
import { collectCases } from '../../src/optimizer/goal/cases.ts';
import type { SuggestRequest, Target } from '../../src/optimizer/interface/problem.ts';
import { withRelaxedLimits } from '../../src/optimizer/search/relaxed-limits.ts';
import { makeEncoding } from '../../src/optimizer/space/encoding.ts';
import { fitScope } from '../../src/optimizer/surrogate/scope.ts';

const atMost = (upper: number, direction: Target['direction'] = 'none'): Target => {
  return { lower: Number.NEGATIVE_INFINITY, upper, lowerOpen: false, upperOpen: false, direction };
};

/** Models of x and 10 - x at 2, 4 and 9, and the limits that they get around case 0. */
function relaxed(targets: readonly Target[]) {
  const X = Float64Array.of(2, 4, 9);
  const request: SuggestRequest = {
    space: { variables: [{ kind: 'float', minimum: 0, maximum: 10 }] },
    goal: { targets, l1: null },
    history: { count: 3, X, Y: Float64Array.of(2, 8, 4, 6, 9, 1), failed: new Uint8Array(3) },
    firstSuggested: 3,
    convergence: 1e-6,
    seed: 1,
    workLimit: 1000,
  };
  const encoding = makeEncoding(request.space);
  const cases = collectCases(request, encoding);
  const { lower, upper } = encoding;
  const scope = {
    rows: Int32Array.of(0, 1, 2),
    center: 0,
    box: { lower, upper, conditions: null },
    likely: null,
    local: true,
  };
  const surrogate = fitScope(encoding, cases, scope, 0, { spent: 0, limit: 1000 });
  const found = withRelaxedLimits(surrogate, cases, 0);
  return found && { cases, limits: found.outputs.map(({ upper, fitted }) => fitted!.warp.fromZ(upper)) };
}

describe('limits that are hardly possible together', () => {
  it('are relaxed by the same number of standard deviations, to less than half the loss of the centre', () => {
    const { cases, limits } = relaxed([atMost(1), atMost(1)])!;
    const sd = Math.sqrt(26 / 3);
    const slack = limits.map((limit) => (limit - 1) / sd);
    expect(slack[0]).toBeCloseTo(slack[1]!, 9);
    expect(slack[0]).toBeGreaterThan(0);
    expect(2 * slack[0]! ** 2).toBeCloseTo(0.49 * cases.loss[0]!, 9);
  });

  it('stay as they are where an output has two limits or is to be minimized, and where the centre keeps them', () => {
    expect(relaxed([atMost(1), { ...atMost(1), lower: 0 }])).toBeNull();
    expect(relaxed([atMost(1), atMost(1, 'minimize')])).toBeNull();
    expect(relaxed([atMost(2), atMost(8)])).toBeNull();
  });

  it('four distances take less than a third of the budget, half of which they need without', () => {
    const problem = problemsOf('small-regions').find(({ name }) => name === 'distances-5')!;
    const { solved, runs } = play(problem, 4);
    expect(solved).toBe(true);
    expect(runs).toBeLessThan(problem.budget / 3);
  });
});
