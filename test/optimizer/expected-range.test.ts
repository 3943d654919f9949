/** The ranges in which the outputs of a suggestion are expected. */
import { describe, expect, it } from 'vitest';
import { exactly, float, type Game, play, within } from '../../harness/optimizer-game.ts';
import type { Prepared } from '../../src/optimizer/search/prepare.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const game: Game = {
  variables: [float(-2, 2), float(-2, 2), float(-2, 2)],
  goal: exactly([4, 250], 1e-7),
  evaluate: ([a, b, c]) => [4 * Math.exp(0.4 * a!) + b! * c! - 1, 200 + 30 * b! + 20 * c! * c! + 5 * a!],
};

/** Every suggestion of a game with its expected ranges and its true outputs. */
function expectations(one: Game, limit: number) {
  const seen: { expected: Float64Array | null; y: readonly number[]; count: number }[] = [];
  const watch = ({ request }: Prepared) => {
    const proposal = suggest(request);
    if (proposal.kind !== 'candidate') return;
    const y = one.evaluate(Array.from(proposal.input))!;
    seen.push({ expected: proposal.expected, y, count: request.history.count });
  };
  play({ ...one, watch }, limit);
  return seen;
}

describe('the expected range', () => {
  const seen = expectations(game, 12);

  it('is null for the first runs and then two ends per output', () => {
    expect(seen[0]!.expected).toBeNull();
    const known = seen.filter(({ expected }) => expected !== null);
    expect(known.length).toBeGreaterThan(2);
    for (const { expected } of known) {
      expect(expected).toHaveLength(4);
      expect(expected!.every(Number.isFinite)).toBe(true);
      expect(expected![0]! < expected![2]! && expected![1]! < expected![3]!).toBe(true);
    }
  });

  it('holds the true outputs and, once enough is known, not those with a misplaced decimal point', () => {
    for (const { expected, y } of seen) {
      y.forEach((value, j) => {
        if (expected) expect(value >= expected[j]! && value <= expected[2 + j]!).toBe(true);
      });
    }
    const { expected, y } = seen.at(-1)!;
    expect(10 * y[1]! > expected![3]! && -y[1]! < expected![1]! && y[1]! / 10 < expected![1]!).toBe(true);
  });

  it('states nothing about an output that never varied, in finite numbers', () => {
    const constant: Game = {
      variables: [float(0, 1)],
      goal: { targets: [within(0.3, 1e-9), within(1, 1)], l1: null },
      evaluate: ([a]) => [Math.sin(3 * a!) + a! ** 3, 1],
    };
    const known = expectations(constant, 6).filter(({ expected }) => expected !== null);
    expect(known.length).toBeGreaterThan(0);
    for (const { expected } of known)
      expect([expected![1], expected![3]]).toEqual([-Number.MAX_VALUE, Number.MAX_VALUE]);
  });
});
