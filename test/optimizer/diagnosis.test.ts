import { describe, expect, it } from 'vitest';
import { explain } from '../../src/optimizer/explain.ts';
import type { Diagnosis, Target } from '../../src/optimizer/problem.ts';
import { atLeast, atMost, float, type Game, minimize, play, within } from './play.ts';

/** The diagnosis after `limit` suggestions, or of the last request when the goal was met before. */
function diagnosisOf(
  targets: Target[],
  evaluate: (x: readonly number[]) => number[],
  n: number,
  range: [number, number],
  limit = 12,
) {
  const variables = Array.from({ length: n }, () => float(...range));
  const game: Game = { variables, goal: { targets, l1: null }, evaluate, seed: 3 };
  const { request, solvedAt } = play(game, limit);
  return { diagnosis: explain(request).diagnosis, solvedAt };
}

type Row = [string, Target[], (x: readonly number[]) => number[], number, [number, number]];

describe('the diagnosis', () => {
  const impossible: [...Row, number][] = [
    ['a line that ends early', [within(3, 0.01)], ([a]) => [2 * a!], 1, [0, 1], 0.99],
    ['one quantity wanted twice', [within(1, 0.01), within(2, 0.01)], ([a, b]) => [a! + b!, a! + b!], 2, [0, 1], 0.49],
    ['a large sum of a small product', [atLeast(1.5), atMost(0.2)], ([a, b]) => [a! + b!, a! * b!], 2, [0, 1], 0.1],
    [
      'less than the minimum of a bowl',
      [atMost(0.5)],
      ([a, b]) => [(a! - 0.3) ** 2 + (b! + 0.2) ** 2 + 1],
      2,
      [-2, 2],
      0.5,
    ],
    [
      'two products that compete',
      [within(0.9, 0.01), within(0.9, 0.01)],
      ([a, b]) => [a! * b!, b! * (1 - a!)],
      2,
      [0, 1],
      0.39,
    ],
    [
      'a line beyond a circle',
      [within(0.5, 0.01), within(1.6, 0.01)],
      ([a, b]) => [a! * a! + b! * b!, a! + b!],
      2,
      [-1, 1],
      0.2,
    ],
    ['more than two waves give', [within(4, 0.01)], ([a, b]) => [Math.sin(a!) + Math.cos(b!)], 2, [0, 3], 1.99],
    [
      'three outputs of two inputs',
      [within(1, 1e-3), within(2, 1e-3), within(0, 1e-3)],
      ([a, b]) => [a! + 0.1 * b! * b!, a! - b!, a! + b!],
      2,
      [-1, 1],
      0.01,
    ],
    [
      'an aspiration below zero of a square',
      [minimize(-1)],
      ([a, b]) => [(a! - 0.3) ** 2 + 2 * (b! + 0.2) ** 2],
      2,
      [-2, 2],
      1,
    ],
  ];

  it.each(impossible)('speaks when the goal is %s', (_, targets, evaluate, n, range, relax) => {
    const diagnosis = diagnosisOf(targets, evaluate, n, range).diagnosis as Diagnosis;
    expect(diagnosis).not.toBeNull();
    expect(diagnosis.unmet.length).toBeGreaterThan(0);
    const largest = Math.max(...diagnosis.unmet.map((one) => one.relaxBy));
    expect(largest).toBeGreaterThan(0.8 * relax);
    expect(diagnosis.nearestInput.every((x) => x >= range[0] && x <= range[1])).toBe(true);
  });

  it('takes an output that never varied for a constant only after 25 cases', () => {
    const targets = [within(0.5, 0.01), within(5, 0.01)];
    const evaluate = ([a]: readonly number[]) => [a!, 3];
    expect(diagnosisOf(targets, evaluate, 2, [0, 1]).diagnosis).toBeNull();
    const { diagnosis } = diagnosisOf(targets, evaluate, 2, [0, 1], 26);
    expect(diagnosis!.unmet).toEqual([{ output: 1, distance: expect.closeTo(1.99), relaxBy: expect.closeTo(1.99) }]);
  });

  it('names the pair that conflicts and spares the output that does not', () => {
    const evaluate = ([a, b, c]: readonly number[]) => [a! + b!, a! + b!, c!];
    const { diagnosis } = diagnosisOf([within(1, 0.01), within(2, 0.01), within(0.3, 0.01)], evaluate, 3, [0, 1]);
    expect(diagnosis!.conflicts).toEqual([[0, 1]]);
    expect(diagnosis!.unmet.map((one) => one.output)).toEqual([0, 1]);
  });

  const possible: Row[] = [
    ['a corner', [within(Math.exp(3), 0.01), within(0, 0.01)], ([a, b]) => [Math.exp(a! + b! / 2), b! - a!], 2, [0, 2]],
    ['a linear system', [within(1.2, 1e-6), within(0.2, 1e-6)], ([a, b]) => [a! + b!, a! - b!], 2, [0, 1]],
    [
      'the Rosenbrock residuals',
      [within(0, 1e-6), within(0, 1e-6)],
      ([a, b]) => [10 * (b! - a! * a!), 1 - a!],
      2,
      [-2, 2],
    ],
    ['a product at its end', [atLeast(0.99)], ([a, b]) => [a! * b!], 2, [0, 1]],
    ['a narrow wave', [atLeast(0.99)], ([a]) => [Math.exp(-200 * (a! - 0.83) ** 2)], 1, [0, 1]],
    ['a minimum in a valley', [minimize(1e-3)], ([a, b]) => [100 * (b! - a! * a!) ** 2 + (1 - a!) ** 2], 2, [-2, 2]],
    ['a product of three', [within(0.5, 0.01)], ([a, b, c]) => [a! * b! * c!], 3, [0, 1]],
    ['a step', [within(1, 0.1)], ([a, b]) => [a! + b! > 1.6 ? 1 : 0], 2, [0, 1]],
    ['a wave of many periods', [atLeast(0.95)], ([a, b]) => [Math.sin(20 * a!) * Math.cos(13 * b!)], 2, [0, 1]],
    [
      'three waves',
      [within(0.8, 0.02), within(0.1, 0.02)],
      ([a, b, c]) => [Math.sin(a! * b!) + c! * c!, Math.cos(3 * a!) * c!],
      3,
      [0, 1],
    ],
  ];

  it.each(possible)('is silent when the goal is %s', (_, targets, evaluate, n, range) => {
    expect(diagnosisOf(targets, evaluate, n, range).diagnosis).toBeNull();
  });
});
