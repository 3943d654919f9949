/** Weights and priorities of outputs. */
import { describe, expect, it } from 'vitest';
import { float, type Game, minimize, play, within } from '../../harness/optimizer-game.ts';
import { lossesOf, toIntervals } from '../../src/optimizer/goal/targets.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

/** Both outputs cannot be met: their targets are on different sides of what one input decides. */
const conflict: Game = {
  variables: [float(0, 4), float(0, 4)],
  goal: { targets: [within(1, 0.1), within(3, 0.1)], l1: null },
  evaluate: ([a, b]) => [a! + 0.05 * Math.sin(b!), a! + 0.05 * Math.cos(b!)],
};

const proposed = ({ request }: { readonly request: SuggestRequest }, goal: object): number => {
  const proposal = suggest({ ...request, goal: { ...request.goal, ...goal } });
  if (proposal.kind !== 'candidate') throw new Error(proposal.reason);
  return proposal.input[0]!;
};

describe('weights', () => {
  const after = play(conflict, 8);

  it('change nothing, to the bit, when they are equal', () => {
    const plain = suggest(after.request);
    const goal = { ...after.request.goal, weights: [1, 1], priorities: [2, 2] };
    expect(suggest({ ...after.request, goal })).toEqual(plain);
  });

  it('draw the search toward the outputs that weigh more', () => {
    const toFirst = proposed(after, { weights: [100, 0.01] });
    const toSecond = proposed(after, { weights: [0.01, 100] });
    expect(Math.abs(toFirst - 1)).toBeLessThan(0.3);
    expect(Math.abs(toSecond - 3)).toBeLessThan(0.3);
  });

  it('do not change how likely a suggestion is held to succeed', () => {
    const easy: Game = { ...conflict, goal: { targets: [within(1, 0.1), minimize(5)], l1: null } };
    const { request } = play({ ...easy, goal: { targets: [within(1, 0.1), within(1, 1)], l1: null } }, 4);
    const proposal = suggest({ ...request, goal: { ...request.goal, weights: [100, 100] } });
    expect(proposal.kind === 'candidate' && proposal.chance! > 0.3).toBe(true);
  });
});

describe('priorities', () => {
  it('lead the search to the outputs of the first priority, as long as nothing meets them', () => {
    const after = play(conflict, 6);
    const isMet = Array.from({ length: after.request.history.count }, (_, i) => after.request.history.Y[2 * i]!).some(
      (y) => y >= 0.9 && y <= 1.1,
    );
    expect(isMet).toBe(false);
    expect(Math.abs(proposed(after, { priorities: [1, 2] }) - 1)).toBeLessThan(0.3);
    expect(Math.abs(proposed(after, { priorities: [2, 1] }) - 3)).toBeLessThan(0.3);
  });

  it('count fully once one case meets all outputs before them', () => {
    const goal = { targets: [within(0.5, 0.5), within(0.5, 0.5), within(0.5, 0.5)], l1: null, priorities: [1, 2, 3] };
    const weightsFor = (...rows: number[][]) =>
      toIntervals(goal, Float64Array.from(rows.flat()), rows.length).map(({ weight }) => weight);
    expect(weightsFor([5, 5, 5])).toEqual([1, 0.01, 0.01]);
    expect(weightsFor([0.5, 5, 0.5])).toEqual([1, 1, 0.01]);
    // Met by different cases, they are not met together.
    expect(weightsFor([0.5, 5, 0.5], [5, 0.5, 5])).toEqual([1, 1, 0.01]);
    expect(weightsFor([0.5, 0.5, 5])).toEqual([1, 1, 1]);
    expect(weightsFor()).toEqual([1, 0.01, 0.01]);
  });
});

it('The loss of a case counts each output by its weight', () => {
  const Y = Float64Array.of(0, 0, 2, 4);
  const goal = { targets: [within(0.25, 0.25), within(0.25, 0.25)], l1: null };
  const [, plain] = lossesOf(toIntervals(goal, Y, 2), Y, 2);
  const [, first] = lossesOf(toIntervals({ ...goal, weights: [3, 0.01] }, Y, 2), Y, 2);
  const parts = [(1.5 / 1) ** 2, (3.5 / 2) ** 2];
  expect(plain).toBeCloseTo(parts[0]! + parts[1]!, 12);
  expect(first).toBeCloseTo(3 * parts[0]! + 0.01 * parts[1]!, 12);
});
