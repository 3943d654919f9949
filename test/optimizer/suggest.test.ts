import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atLeast,
  atMost,
  exactly,
  float,
  type Game,
  maximize,
  minimize,
  play,
  within,
} from '../../harness/optimizer-game.ts';
import type { SuggestRequest, Variable } from '../../src/optimizer/interface/problem.ts';
import { makeEncoding } from '../../src/optimizer/space/encoding.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { finiteSpaces } from './arbitraries.ts';

const linear = ([a, b]: readonly number[]) => [2 * a! + 3 * b! + 1, a! - b! + 4, 5 * a! + b!];
const linearGame = { variables: [float(0, 10), float(-5, 5)], evaluate: linear };
const SEEDS = [1, 2, 3, 4, 5];

describe('the suggestions for an objective', () => {
  it.each(SEEDS)('reach three linear outputs within one percent in at most 4 (seed %i)', (seed) => {
    const targets = linear([7, 2]).map((y) => within(y, 0.01 * Math.abs(y)));
    const { solvedAt } = play({ ...linearGame, goal: { targets, l1: null }, seed }, 4);
    expect(solvedAt).toBeGreaterThanOrEqual(0);
  });

  it.each(SEEDS)('reach three linear outputs to an L1 norm of 1e-6 in at most 3 (seed %i)', (seed) => {
    const { solvedAt } = play({ ...linearGame, goal: exactly(linear([7, 2]), 1e-6), seed }, 3);
    expect(solvedAt).toBeGreaterThanOrEqual(0);
  });

  it('reach two curved outputs to an L1 norm of 1e-6 in at most 10', () => {
    const evaluate = ([a, b]: readonly number[]) => [10 * (b! - a! * a!), 1 - a!];
    const game: Game = { variables: [float(-2, 2), float(-2, 2)], goal: exactly([0, 0], 1e-6), evaluate };
    expect(play(game, 10).solvedAt).toBeGreaterThan(0);
  });

  it('reach outputs whose scales differ by 21 orders of magnitude', () => {
    const evaluate = ([a, b]: readonly number[]) => [1e-9 * (a! + b!), 1e12 * (a! - b! * b!)];
    const targets = [within(0.7e-9, 1e-12), within(0.3e12, 1e9)];
    const game: Game = { variables: [float(0, 1), float(0, 1)], goal: { targets, l1: null }, evaluate };
    expect(play(game, 10).solvedAt).toBeGreaterThan(0);
  });

  it('The suggestions for an objective find the right integer, boolean and category', () => {
    const variables: Variable[] = [
      float(-1, 1),
      { kind: 'integer', minimum: 0, maximum: 20 },
      { kind: 'boolean', minimum: 0, maximum: 1 },
      { kind: 'category', minimum: 0, maximum: 3 },
    ];
    const offsets = [0, 5, -3, 2];
    const evaluate = ([a, i, flag, c]: readonly number[]) => [a! + i! + 10 * flag!, 2 * a! - i! + offsets[c!]!];
    const targets = [within(23.25, 0.01), within(-7.5, 0.01)];
    expect(play({ variables, goal: { targets, l1: null }, evaluate }, 30).solvedAt).toBeGreaterThan(0);
  });

  it('go below a strict limit of zero, not just to it', () => {
    const request = play(
      { variables: [float(0, 1)], goal: { targets: [atMost(-1)], l1: null }, evaluate: ([a]) => [a!] },
      4,
    ).request;
    const strict = { ...atMost(0), upperOpen: true };
    const proposal = suggest({
      ...request,
      space: { variables: [float(-1, 1)] },
      goal: { targets: [strict], l1: null },
    });
    expect(proposal.kind === 'candidate' && proposal.input[0]! < 0).toBe(true);
  });

  it('The suggestions for an objective stay away from failed runs', () => {
    const evaluate = ([a, b]: readonly number[]) => (a! > 0.5 ? null : [a! + b!, a! * b!]);
    const goal = { targets: [atLeast(1.2), atMost(0.45)], l1: null };
    const { solvedAt, suggestions } = play({ variables: [float(0, 1), float(0, 1)], goal, evaluate }, 25);
    expect(solvedAt).toBeGreaterThan(0);
    expect(suggestions.filter(({ y }) => y === null).length).toBeLessThan(8);
  });

  it('The suggestions for an objective are the same bytes for the same request, which they do not change', () => {
    const evaluate = ([a, b]: readonly number[]) => [Math.sin(a!) + b!, a! * b!];
    const game: Game = { variables: [float(0, 3), float(0, 3)], goal: exactly([0.5, 0.1], 1e-9), evaluate };
    const { request } = play(game, 4);
    const copy = structuredClone(request);
    const first = suggest(request);
    expect(request).toEqual(copy);
    expect(suggest(request)).toEqual(first);
    expect(suggest(copy)).toEqual(first);
  });

  it('exist even when the limit of work is reached immediately', () => {
    const evaluate = ([a, b]: readonly number[]) => [Math.sin(3 * a!) + b!, a! * b!];
    const game: Game = { variables: [float(0, 3), float(0, 3)], goal: exactly([0.5, 0.1], 1e-9), evaluate };
    const { request } = play(game, 6);
    for (const workLimit of [0, 1e-3, 0.1, 1]) expect(suggest({ ...request, workLimit }).kind).toBe('candidate');
  });

  it('throw RangeError for arrays whose lengths do not match', () => {
    const { request } = play({ ...linearGame, goal: exactly([1, 2, 3], 1e-6) }, 1);
    const broken: SuggestRequest = { ...request, history: { ...request.history, Y: new Float64Array(2) } };
    expect(() => suggest(broken)).toThrow(RangeError);
  });
});

describe('a finite space', () => {
  it('A finite space is reported as used up once every point has been evaluated exactly once', () => {
    fc.assert(
      fc.property(finiteSpaces, fc.nat(), (space, seed) => {
        const { variables } = space;
        const evaluate = (x: readonly number[]) => [x.reduce((sum, value, v) => sum + (v + 1) * value * value, 0)];
        const game: Game = { variables, goal: { targets: [within(-5, 0.1)], l1: null }, evaluate, seed };
        const { suggestions, end, request } = play(game, 100);
        const { size, n } = makeEncoding(space);
        expect(end?.reason).toBe('space-used-up');
        expect(request.firstSuggested + suggestions.length).toBe(size);
        const keys = new Set<string>();
        for (let i = 0; i < request.history.count; i++) keys.add(request.history.X.subarray(i * n, (i + 1) * n).join());
        expect(keys.size).toBe(size);
      }),
      { numRuns: 15 },
    );
  });
});

describe('a search whose aspiration is out of reach', () => {
  const cases: [string, Game, number][] = [
    [
      'above the maximum of a parabola',
      {
        variables: [float(-2, 2)],
        goal: { targets: [maximize(4)], l1: null },
        evaluate: ([a]) => [3 - Math.abs(a! - 0.5) ** 2],
      },
      3,
    ],
    [
      'below what a constraint allows',
      {
        variables: [float(0.1, 2)],
        goal: { targets: [minimize(0), atLeast(1)], l1: null },
        evaluate: ([a]) => [a! + 1, a! * a!],
      },
      2,
    ],
  ];

  it.each(cases)('ends at the optimum and then expects no improvement: %s', (_, game, optimum) => {
    const { end, suggestions, request } = play(game, 120);
    expect(end?.reason).toBe('no-improvement-expected');
    const m = game.goal.targets.length;
    const feasible = suggestions.filter(({ y }) => m === 1 || y![1]! >= 1).map(({ y }) => Math.abs(y![0]! - optimum));
    expect(Math.min(...feasible)).toBeLessThan(1e-5);
    expect(end!.bestIndex).toBeGreaterThanOrEqual(0);
    expect(end!.bestIndex).toBeLessThan(request.history.count);
  });
});
