import { describe, expect, it } from 'vitest';
import { minimize as best, float, type Game, play, within } from '../../harness/optimizer-game.ts';
import { collectCases } from '../../src/optimizer/goal/cases.ts';
import type { SuggestRequest, Target } from '../../src/optimizer/interface/problem.ts';
import { makeRedundancy } from '../../src/optimizer/search/redundant.ts';
import { makeEncoding } from '../../src/optimizer/space/encoding.ts';
import { Predictor } from '../../src/optimizer/surrogate/predictor.ts';
import { fitScope } from '../../src/optimizer/surrogate/scope.ts';

/** Largest difference between two inputs, in shares of the ranges of a game. */
const apart = ({ variables }: Game, a: ArrayLike<number>, b: ArrayLike<number>) =>
  Math.max(...variables.map(({ minimum, maximum }, v) => Math.abs(a[v]! - b[v]!) / (maximum - minimum)));

describe('targets just in reach', () => {
  // The decays that least miss 1.62, 0.83, 0.52 and 0.21 miss them by 0.8079 * 0.05.
  const decay: Game = {
    variables: [float(0.2, 5), float(0.05, 3)],
    goal: { targets: [1.62, 0.83, 0.52, 0.21].map((y) => within(y, 1.05 * 0.8079 * 0.05)), l1: null },
    evaluate: ([a, k]) => [0.2, 1, 1.8, 3].map((t) => a! * Math.exp(-k! * t)),
  };

  it.each([1, 2, 3])('are found in few runs (seed %i)', (seed) => {
    expect(play({ ...decay, seed }, 15).solvedAt).toBeGreaterThanOrEqual(0);
  });
});

describe('an input that repeats a run', () => {
  const around = (center: number, half: number): Target => {
    return { lower: center - half, upper: center + half, lowerOpen: false, upperOpen: false, direction: 'none' };
  };

  /** Whether x repeats the run at 5 by models of y = x at 1, 5 and 9. */
  function isRepeat(x: number, target: Target): boolean {
    const request: SuggestRequest = {
      space: { variables: [{ kind: 'float', minimum: 0, maximum: 10 }] },
      goal: { targets: [target], l1: null },
      history: { count: 3, X: Float64Array.of(1, 5, 9), Y: Float64Array.of(1, 5, 9), failed: new Uint8Array(3) },
      firstSuggested: 3,
      convergence: 1e-6,
      seed: 1,
      workLimit: 1000,
    };
    const encoding = makeEncoding(request.space);
    const cases = collectCases(request, encoding);
    const { lower, upper } = encoding;
    const box = { lower, upper, conditions: null };
    const scope = { rows: Int32Array.of(0, 1, 2), center: 1, box, likely: null, local: true };
    const work = { spent: 0, limit: 1000 };
    const surrogate = fitScope(encoding, cases, scope, 0, work);
    const predictor = new Predictor(surrogate, work);
    return makeRedundancy({ request, encoding, cases }, { surrogate, predictor })(Float64Array.of(x / 5 - 1));
  }

  it('is near it and changes what was missed by less than a hundredth of a tolerance', () => {
    expect(isRepeat(5.005, around(7, 1))).toBe(true);
    expect(isRepeat(5.02, around(7, 1))).toBe(false);
  });

  it('is another where the tolerance is as small as the step', () => {
    expect(isRepeat(5.005, around(7, 0.1))).toBe(false);
    expect(isRepeat(5.0000005, around(7, 0.1))).toBe(true);
  });

  it('is another where the step makes up for most of a narrow miss', () => {
    expect(isRepeat(5.003, around(6.004, 1))).toBe(false);
    expect(isRepeat(5.001, around(6.004, 1))).toBe(true);
  });

  it('is not proposed by a search for the best value', () => {
    const bowl: Game = {
      variables: [float(-2, 2), float(-2, 2)],
      goal: { targets: [best(0.5)], l1: null },
      evaluate: ([a, b]) => [(a! - 0.3) ** 2 + (b! + 0.2) ** 2 + 1],
    };
    const { suggestions } = play(bowl, 20);
    const repeats = suggestions.filter(({ x }, i) =>
      suggestions.slice(0, i).some((other) => apart(bowl, x, other.x) < 1e-4),
    );
    expect(repeats).toEqual([]);
  });
});
