import { describe, expect, it } from 'vitest';
import { atLeast, atMost, float, type Game, minimize, play } from '../../harness/optimizer-game.ts';
import type { SuggestRequest, Target } from '../../src/optimizer/interface/problem.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const UNKNOWN = 1e20;

/** The smallest rectangle and cylinder that hold enough: the size to minimize, and how much is missing, negative where enough is held. */
const containers = {
  rectangle: {
    variables: [float(0, 5), float(0, 5)],
    optimum: 8,
    evaluate: ([a, b]: readonly number[]) => [a! * a! + b! * b!, 4 - a! * b!],
  },
  cylinder: {
    variables: [float(1, 20), float(1, 40)],
    optimum: 553.58,
    evaluate: ([r, h]: readonly number[]) => [2 * Math.PI * r! * (r! + h!), 1000 - Math.PI * r! * r! * h!],
  },
};

/** The best value within the limit, in shares of the optimum, after so many suggestions, by what a run answers. */
function bestOf(
  { variables, optimum, evaluate }: (typeof containers)['rectangle'],
  answer: (size: number, missing: number) => readonly number[],
  seed: number,
): number {
  const goal = { targets: [minimize(0), atMost(0)], l1: null };
  const game: Game = {
    variables,
    goal,
    seed,
    evaluate: (x) => {
      const [size, missing] = evaluate(x);
      return answer(size!, missing!);
    },
  };
  const { suggestions } = play(game, 20);
  const sizes = suggestions.flatMap(({ x }) => {
    const [size, missing] = evaluate(x);
    return missing! <= 0 ? [size!] : [];
  });
  return Math.min(...sizes) / optimum;
}

/** Cases on a line, of one output. */
function requestOf(target: Target, X: readonly number[], Y: readonly number[]): SuggestRequest {
  return {
    space: { variables: [float(0, 1)] },
    goal: { targets: [target], l1: null },
    history: {
      count: X.length,
      X: Float64Array.from(X),
      Y: Float64Array.from(Y),
      failed: new Uint8Array(X.length),
    },
    firstSuggested: X.length,
    convergence: 1e-6,
    seed: 1,
    workLimit: 5000,
  };
}

describe('a limit that is cut off where it is kept', () => {
  it.each([1, 2, 3])('The best value within it is found as near as 3 percent, seed %d', (seed) => {
    const answer = (size: number, missing: number) => [size, Math.max(0, missing)];
    expect(bestOf(containers.rectangle, answer, seed)).toBeLessThan(1.03);
    expect(bestOf(containers.cylinder, answer, seed)).toBeLessThan(1.03);
  });

  const X = [0, 0.2, 0.4, 0.6, 0.8, 1];
  it.each([
    ['an upper end', atMost(0), 1],
    ['a lower end', atLeast(0), -1],
  ] as const)('A kept case lies the farther inside of %s, the farther away the broken ones are', (_, target, sign) => {
    const Y = X.map((x) => sign * Math.max(0, x - 0.5));
    const { cases } = prepare(requestOf(target, X, Y));
    const [a, b, c, ...broken] = Array.from(cases.Y, (y) => sign * y);
    expect(a).toBeLessThan(b!);
    expect(b).toBeLessThan(c!);
    expect(c).toBeLessThan(0);
    expect(broken.map((y) => sign * y)).toEqual(Y.slice(3));
  });

  it('The output that a suggestion expects is no value that the program never answers', () => {
    const Y = X.map((x) => Math.max(0, x - 0.5));
    const proposal = suggest({ ...requestOf(atMost(0), X, Y), goal: { targets: [atMost(0)], l1: null } });
    if (proposal.kind !== 'candidate') throw new Error(proposal.reason);
    expect(Math.min(...proposal.expected!)).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['values on both sides of the end', X.map((x) => x - 0.5)],
    ['one kept case', X.map((x) => Math.max(0, x - 0.1))],
    ['one broken case', X.map((x) => Math.max(0, x - 0.9))],
    ['no broken case', X.map(() => 0)],
  ])('Cases with %s stay what they are', (_, Y) => {
    expect(Array.from(prepare(requestOf(atMost(0), X, Y)).cases.Y)).toEqual(Y);
  });
});

describe('a huge answer where nothing was calculated', () => {
  it.each([1, 2, 3])('The best value within the limit is found as near as a quarter, seed %d', (seed) => {
    const answer = (size: number, missing: number) => (missing > 1 ? [UNKNOWN, UNKNOWN] : [size, Math.max(0, missing)]);
    expect(bestOf(containers.rectangle, answer, seed)).toBeLessThan(1.25);
  });

  const X = [0, 0.25, 0.5, 0.75];
  it.each([
    ['the worst calculated value', minimize(-1), [2, UNKNOWN, 5, 3], [2, 5, 5, 3]],
    ['a value outside of a limit that all others keep', atMost(6), [2, UNKNOWN, 5, 3], [2, 9, 5, 3]],
    ['the smallest where it is negative', atLeast(4), [2, -UNKNOWN, 5, 3], [2, 2, 5, 3]],
    ['itself where other values are as large', atMost(6), [2, UNKNOWN, 1e17, 3], [2, UNKNOWN, 1e17, 3]],
    ['itself where it is alone', atMost(6), [UNKNOWN, UNKNOWN], [UNKNOWN, UNKNOWN]],
  ])('It counts as %s', (_, target, Y, expected) => {
    const { request } = prepare(requestOf(target, X.slice(0, Y.length), Y));
    expect(Array.from(request.history.Y)).toEqual(expected);
  });
});
