/** Small games whose suggestions are recorded in test/reference/recorded-proposals.json. */

import {
  atLeast,
  exactly,
  float,
  type Game,
  minimize,
  play,
  proposeTogether,
  within,
} from '../../harness/optimizer-game.ts';
import type { Variable } from '../../src/optimizer/interface/problem.ts';

const mixed: Variable[] = [
  float(-1, 1),
  { kind: 'integer', minimum: 0, maximum: 20 },
  { kind: 'category', minimum: 0, maximum: 2 },
];

const games: Record<string, Game> = {
  linear: {
    variables: [float(0, 10), float(-5, 5)],
    goal: exactly([21, 9, 37], 1e-6),
    evaluate: ([a, b]) => [2 * a! + 3 * b! + 1, a! - b! + 4, 5 * a! + b!],
  },
  curved: {
    variables: [float(-2, 2), float(-2, 2)],
    goal: exactly([0, 0], 1e-6),
    evaluate: ([a, b]) => [10 * (b! - a! * a!), 1 - a!],
  },
  constrained: {
    variables: [float(0.1, 2), float(0.1, 2)],
    goal: { targets: [minimize(2.001), atLeast(1)], l1: null },
    evaluate: ([a, b]) => [a! + b!, a! * b!],
  },
  mixed: {
    variables: mixed,
    goal: { targets: [within(13.25, 0.01), within(-7.5, 0.01)], l1: null },
    evaluate: ([a, i, c]) => [a! + i!, 2 * a! - i! + [0, 5, -3][c!]!],
  },
};

/**
 * At most six suggested inputs per game; then, for a game after two suggestions, five inputs that are open together. To ten digits,
 * since the last bits may differ between mathematics libraries.
 */
export function recordProposals(): Record<string, number[][]> {
  const round = (x: ArrayLike<number>) => Array.from(x, (value) => Number(value.toPrecision(10)));
  return Object.fromEntries(
    Object.entries(games).flatMap(([name, game]) => [
      [name, play(game, 6).suggestions.map(({ x }) => round(x))],
      [`${name}, five at once`, proposeTogether(play(game, 2).request, 5).map(({ input }) => round(input))],
    ]),
  );
}
