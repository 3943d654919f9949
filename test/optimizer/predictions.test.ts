/** Predictions along inputs and over a grid, of a function that the models know well. */
import { expect, it } from 'vitest';
import type { SuggestRequest, Variable } from '../../src/optimizer/interface/problem.ts';
import { predictions } from '../../src/optimizer/predictions.ts';

const VARIABLES: readonly Variable[] = [
  { kind: 'float', minimum: 0, maximum: 10 },
  { kind: 'float', minimum: 0.01, maximum: 100, isLogarithmic: true },
  { kind: 'integer', minimum: 1, maximum: 4 },
  { kind: 'category', minimum: 0, maximum: 2 },
];
const blackBox = ([a, b, c, d]: readonly number[]) => [a! + 2 * Math.log10(b!), c! * (d! === 2 ? -1 : 1) + 0.1 * a!];

/** 40 runs on a lattice, the last of which failed. */
function requestOf(changes: Partial<SuggestRequest> = {}): SuggestRequest {
  const rows = Array.from({ length: 40 }, (_, i) => [
    (i * 3.7) % 10,
    10 ** (((i * 1.3) % 4) - 2),
    1 + (i % 4),
    Math.floor(i / 4) % 3,
  ]);
  const ends = { lowerOpen: false, upperOpen: false, direction: 'none' as const };
  return {
    space: { variables: VARIABLES },
    goal: {
      targets: [
        { lower: 4, upper: 6, ...ends },
        { lower: 1, upper: Number.POSITIVE_INFINITY, ...ends },
      ],
      l1: null,
    },
    history: {
      count: rows.length,
      X: Float64Array.from(rows.flat()),
      Y: Float64Array.from(rows.flatMap(blackBox)),
      failed: Uint8Array.from(rows, (_, i) => (i === 39 ? 1 : 0)),
    },
    firstSuggested: 40,
    convergence: 1e-3,
    seed: 7,
    workLimit: 20_000,
    ...changes,
  };
}

const AT = [5, 1, 3, 0];
const slices = { at: AT, surfaces: [[0], [1], [2], [3]], outputs: [0, 1], points: 21 };

it('Slices follow the function within their bands, for numbers, logarithms, integers and categories', () => {
  const surfaces = predictions(requestOf(), slices)!;
  expect(surfaces.map(({ values }) => values[0]!.length)).toEqual([21, 21, 4, 3]);
  expect(surfaces[1]!.values[0]!.slice(0, 2)).toEqual([0.01, expect.closeTo(0.01 * 10 ** 0.2, 10)]);
  for (const { inputs, values, outputs, isAdmissible } of surfaces) {
    expect(isAdmissible.every(Boolean)).toBe(true);
    values[0]!.forEach((value, k) => {
      const truth = blackBox(AT.with(inputs[0]!, value));
      outputs.forEach(({ mean, low, high }, j) => {
        expect(Math.abs(mean[k]! - truth[j]!)).toBeLessThan(0.1);
        expect(low[k]! <= mean[k]! && mean[k]! <= high[k]!).toBe(true);
      });
    });
  }
});

it('The chance is high where all targets are met and low elsewhere', () => {
  const [along] = predictions(requestOf(), { ...slices, surfaces: [[0]] })!;
  const chanceAt = (value: number) => along!.chance[along!.values[0]!.indexOf(value)]!;
  expect(chanceAt(5)).toBeGreaterThan(0.9);
  expect(chanceAt(0)).toBeLessThan(0.01);
  expect(chanceAt(10)).toBeLessThan(0.01);
});

it('A slice has the value of its point, a grid every combination with the last input fastest', () => {
  const at = AT.with(0, 3.21);
  const [slice] = predictions(requestOf(), { ...slices, at, surfaces: [[0]] })!;
  expect(slice!.values[0]).toContain(3.21);
  const [grid] = predictions(requestOf(), { ...slices, at, surfaces: [[0, 2]], outputs: [0], points: 3 })!;
  expect(grid!.values).toEqual([
    [0, 5, 10],
    [1, 3, 4],
  ]);
  expect(grid!.outputs[0]!.mean).toHaveLength(9);
  expect(grid!.outputs[0]!.mean[0]!).toBeCloseTo(grid!.outputs[0]!.mean[2]!, 0);
  expect(grid!.outputs[0]!.mean[8]! - grid!.outputs[0]!.mean[0]!).toBeCloseTo(10, 0);
});

it('Points that a condition or a fixed input excludes are marked', () => {
  const left = { kind: 'input', input: 0 } as const;
  const conditions = [{ left, relation: '<=', right: { kind: 'number', value: 6 } } as const];
  const variables = VARIABLES.with(2, { ...VARIABLES[2]!, fixedAt: 3 });
  const surfaces = predictions(requestOf({ space: { variables, conditions } }), slices)!;
  const marksOf = (v: number) => surfaces[v]!.values[0]!.map((value, k) => [value, surfaces[v]!.isAdmissible[k]]);
  expect(marksOf(0).every(([value, isAdmissible]) => isAdmissible === (value as number) <= 6)).toBe(true);
  expect(marksOf(2)).toEqual([
    [1, false],
    [2, false],
    [3, true],
    [4, false],
  ]);
});

it('Equal questions have equal answers, and an output that never varied is predicted as it was', () => {
  const request = requestOf();
  request.history.Y.forEach((_, k) => {
    if (k % 2 === 1) request.history.Y[k] = 8;
  });
  const first = predictions(request, slices);
  expect(predictions(request, slices)).toEqual(first);
  expect(new Set(first![0]!.outputs[1]!.mean)).toEqual(new Set([8]));
});

it('Outputs of a fit are predicted one by one, and the chance is that of the other targets', () => {
  const { goal } = requestOf();
  const open = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
  const targets = [{ ...goal.targets[0]!, ...open }, goal.targets[1]!];
  const fits = [{ outputs: [0], values: [5], sigmas: [0.1], weight: 1, loss: 'linear' as const }];
  const [along] = predictions(requestOf({ goal: { ...goal, targets, fits } }), { ...slices, surfaces: [[0]] })!;
  const last = along!.values[0]!.length - 1;
  expect(along!.outputs[0]!.mean[last]!).toBeCloseTo(10, 0);
  expect(along!.chance[last]!).toBeGreaterThan(0.9);
});

it('Without a run that succeeded there is nothing to predict', () => {
  const request = requestOf();
  request.history.failed.fill(1);
  expect(predictions(request, slices)).toBe(null);
});
