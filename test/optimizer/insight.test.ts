import { describe, expect, it } from 'vitest';
import { drawMembers } from '../../bench/insight/families.ts';
import { sampled, searched, tally } from '../../bench/insight/tally.ts';
import { atLeast, atMost, float, minimize, within } from '../../harness/optimizer-game.ts';
import { explain } from '../../src/optimizer/explain.ts';
import type { OutputInsight } from '../../src/optimizer/interface/insights.ts';
import type { SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';

type Evaluate = (x: readonly number[]) => number[];

function requestOf(variables: readonly Variable[], rows: readonly (readonly number[])[], evaluate: Evaluate) {
  const outputs = rows.map(evaluate);
  const request: SuggestRequest = {
    space: { variables },
    goal: { targets: outputs[0]!.map(() => within(0.5, 0.1)), l1: null },
    history: {
      count: rows.length,
      X: Float64Array.from(rows.flat()),
      Y: Float64Array.from(outputs.flat()),
      failed: new Uint8Array(rows.length),
    },
    firstSuggested: rows.length,
    convergence: 1e-6,
    seed: 1,
    workLimit: 5000,
  };
  return request;
}

function drawRows(n: number, half: number, count: number, seed = 11): number[][] {
  const random = makeRandom(seed);
  return Array.from({ length: count }, () => Array.from({ length: n }, () => half * (2 * random.uniform() - 1)));
}

/** The insight into the first output after `count` random cases in the box from -half to half. */
function insightOf(evaluate: Evaluate, n: number, half: number, count: number, seed = 11): OutputInsight {
  const variables = Array.from({ length: n }, () => float(-half, half));
  return explain(requestOf(variables, drawRows(n, half, count, seed), evaluate)).insight![0]!;
}

const ishigami: Evaluate = ([a, b, c]) => [Math.sin(a!) + 7 * Math.sin(b!) ** 2 + 0.1 * c! ** 4 * Math.sin(a!)];

describe('the insight into an output', () => {
  it('The insight into an output finds the total effects of the Ishigami function (0.56, 0.44, 0.24) to 0.1, and their order', () => {
    const output = insightOf(ishigami, 3, Math.PI, 110);
    const [first, second, third] = output.sensitivity as [number, number, number];
    expect(first).toBeGreaterThan(second);
    expect(second).toBeGreaterThan(third);
    expect(Math.abs(first - 0.558)).toBeLessThan(0.1);
    expect(Math.abs(second - 0.442)).toBeLessThan(0.1);
    expect(Math.abs(third - 0.244)).toBeLessThan(0.1);
    expect(output.crossValidated.r2).toBeGreaterThan(0.8);
  });

  it.each([
    { weights: [1, 2, 0], count: 10 },
    { weights: [3, 1], count: 6 },
    { weights: [1, -2, 3, -4, 5], count: 12 },
  ])('is exact and certain for a linear function with weights $weights', (one) => {
    const evaluate: Evaluate = (x) => [one.weights.reduce((sum, a, v) => sum + a * x[v]!, 0)];
    const output = insightOf(evaluate, one.weights.length, 1, one.count);
    const total = one.weights.reduce((sum, a) => sum + a * a, 0);
    one.weights.forEach((a, v) => {
      expect(Math.abs(output.sensitivity![v]! - (a * a) / total)).toBeLessThan(0.02);
      const { low, high } = output.sensitivityRanges![v]!;
      expect(high - low).toBeLessThan(1e-3);
    });
    expect(output.crossValidated.r2).toBeGreaterThan(0.9999);
  });

  it('claims no sensitivity for an output that is noise', () => {
    const random = makeRandom(3);
    const output = insightOf(() => [random.normal()], 2, 1, 25);
    expect(output.crossValidated.r2).toBeLessThan(0.3);
    expect(output.crossValidated.rmse).toBeGreaterThan(0.5);
    expect(output).toMatchObject({ sensitivity: null, sensitivityRanges: null });
  });

  it('The insight into an output reports no error and no sensitivity for a constant output', () => {
    const output = insightOf(() => [3], 2, 1, 8);
    expect(output).toEqual({ crossValidated: { r2: null, rmse: 0 }, sensitivity: null, sensitivityRanges: null });
  });

  it.each([1, 2, 3, 4])('claims no sensitivity of two inputs with %i cases, however well a line fits them', (count) => {
    for (let seed = 1; seed <= 10; seed++) {
      const output = insightOf(([a]) => [a!], 2, 1, count, seed);
      expect(output).toMatchObject({ sensitivity: null, sensitivityRanges: null });
    }
  });

  it('The insight into an output counts a cluster of cases as one', () => {
    const rows = drawRows(2, 1, 4);
    const [a, b] = rows[0]! as [number, number];
    for (let k = 0; k < 20; k++) rows.push([a, b], [a + 1e-4 * k, b - 1e-4 * k]);
    const [output] = explain(requestOf([float(-1, 1), float(-1, 1)], rows, ([x, y]) => [x! + y!])).insight!;
    expect(output).toMatchObject({ sensitivity: null, sensitivityRanges: null });
  });

  it('The insight into an output is not flattered by a repeated case or by a cluster of inverses', () => {
    const rows = drawRows(2, 1, 6, 5);
    const evaluate: Evaluate = ([x, y]) => [Math.sin(7 * x!) * Math.cos(5 * y!)];
    const variables = [float(-1, 1), float(-1, 1)];
    const rmseOf = (list: readonly (readonly number[])[]) =>
      explain(requestOf(variables, list, evaluate)).insight![0]!.crossValidated.rmse!;
    const alone = rmseOf(rows);
    const cluster = Array.from({ length: 6 }, (_, k) => rows[1]!.map((x) => x + 1e-3 * k));
    expect(rmseOf([...rows, rows[0]!])).toBeGreaterThan(0.5 * alone);
    expect(rmseOf([...rows, ...cluster])).toBeGreaterThan(0.5 * alone);
  });

  it('The insight into an output gives shares to booleans and categories, and none to an input that cannot move', () => {
    const variables: Variable[] = [
      float(2, 2),
      { kind: 'boolean', minimum: 0, maximum: 1 },
      { kind: 'category', minimum: 0, maximum: 2 },
      float(0, 1),
    ];
    const rows = Array.from({ length: 24 }, (_, i) => [2, i % 2, i % 3, ((i * 7) % 24) / 24]);
    const [output] = explain(requestOf(variables, rows, ([, b, c, x]) => [2 * b! + 3 * (c === 1 ? 1 : 0) + x!]))
      .insight!;
    const variances = [0, 4 / 4, 9 * (2 / 9), 1 / 12];
    const total = variances.reduce((sum, one) => sum + one, 0);
    variances.forEach((one, v) => {
      expect(Math.abs(output!.sensitivity![v]! - one / total)).toBeLessThan(0.05);
    });
    expect(output!.sensitivityRanges![0]).toEqual({ low: 0, high: 0 });
  });

  it('The insight into an output gives shares to a hundred inputs, more than its lattice has dimensions', () => {
    const n = 100;
    const weights = new Array<number>(n).fill(0.01).with(0, 10).with(75, 20);
    const output = insightOf((x) => [weights.reduce((sum, a, v) => sum + a * x[v]!, 0)], n, 1, n + 10);
    expect(output.sensitivity![75]).toBeGreaterThan(0.6);
    expect(output.sensitivity![0]).toBeGreaterThan(0.1);
    expect(output.sensitivity![0]).toBeLessThan(0.3);
  });
});

describe('the ranges of the sensitivities', () => {
  // bench/insight/ranges.ts measures many more functions. The bounds here leave room for luck.
  const members = drawMembers(4);
  const few = members.filter(({ seed }) => seed <= 2);

  it('contain 19 of 20 true shares when thirty cases fill the box, and are reported for most functions', () => {
    const { reported, ranges, right, orders, wrong } = tally(few, sampled(30));
    expect(reported).toBeGreaterThan(0.8 * few.length);
    expect(right / ranges).toBeGreaterThan(0.95);
    expect(orders).toBeGreaterThan(15);
    expect(wrong).toBe(0);
  });

  it('contain 4 of 5 true shares with eight cases, and seldom put two inputs in the wrong order', () => {
    const { ranges, right, orders, wrong } = tally(members, sampled(8));
    expect(ranges).toBeGreaterThan(35);
    expect(right / ranges).toBeGreaterThan(4 / 5);
    expect(wrong / orders).toBeLessThan(0.07);
  });

  it('contain 5 of 6 true shares after a search, which leaves most of the box unseen', () => {
    const { ranges, right, orders, wrong } = tally(
      members.filter(({ seed }) => seed === 1),
      searched,
    );
    expect(ranges).toBeGreaterThan(10);
    expect(right / ranges).toBeGreaterThan(5 / 6);
    expect(wrong / orders).toBeLessThan(0.15);
  });
});

describe('advice on a sum of squares', () => {
  const variables = [float(-2, 2), float(-2, 2), float(-2, 2)];
  const parts: Evaluate = ([a, b, c]) => [a! - 1, a! * b! - 0.5, b! + c!];
  const sum: Evaluate = (x) => [parts(x).reduce((total, part) => total + part ** 2, 0)];
  const rows = drawRows(3, 2, 9);
  const adviceOf = (evaluate: Evaluate, targets: readonly Target[], inputs = rows) => {
    const request = requestOf(variables, inputs, evaluate);
    return explain({ ...request, goal: { ...request.goal, targets } }).advice;
  };
  const expected = [{ kind: 'sum-of-squares', outputs: [0] }];

  it('A search for a value near 0 of one output that is never negative is advised to state its parts', () => {
    expect(adviceOf(sum, [atMost(1e-3)])).toEqual(expected);
    expect(adviceOf(sum, [within(0, 1e-3)])).toEqual(expected);
    expect(adviceOf((x) => sum(x).map((y) => -y), [atLeast(-1e-3)])).toEqual(expected);
  });

  it('A search without limit is advised once a run comes near 0', () => {
    const smallest = minimize(Number.POSITIVE_INFINITY);
    expect(adviceOf(sum, [smallest])).toBeUndefined();
    expect(adviceOf(sum, [smallest], [...rows, [1.01, 0.5, -0.5]])).toEqual(expected);
  });

  it('A search is not advised where the output has both signs, is wanted far from 0, or is one of several', () => {
    expect(adviceOf((x) => parts(x).slice(0, 1), [atMost(1e-3)])).toBeUndefined();
    expect(adviceOf(sum, [atMost(1)])).toBeUndefined();
    expect(adviceOf(sum, [within(3, 1e-3)])).toBeUndefined();
    expect(adviceOf((x) => [...sum(x), x[0]!], [atMost(1e-3), atMost(1)])).toBeUndefined();
  });
});

describe('advice on outputs that never vary', () => {
  const variables = [float(-2, 2), float(-2, 2)];
  const rows = drawRows(2, 5, 6);
  const adviceOf = (evaluate: Evaluate, targets: readonly Target[], inputs = rows) => {
    const request = requestOf(variables, inputs, evaluate);
    return explain({ ...request, goal: { ...request.goal, targets } }).advice;
  };

  it('A search whose outputs are all the same is told so, from six different inputs on', () => {
    const targets = [within(5, 0.1), atMost(3)];
    const expected = [{ kind: 'constant-outputs', outputs: [] }];
    expect(adviceOf(() => [3, 2], targets)).toEqual(expected);
    expect(adviceOf(() => [3], [minimize(Number.POSITIVE_INFINITY)])).toEqual(expected);
    expect(adviceOf(() => [3, 2], targets, rows.slice(0, 5))).toBeUndefined();
    expect(
      adviceOf(
        () => [3, 2],
        targets,
        Array.from({ length: 8 }, () => rows[0]!),
      ),
    ).toBeUndefined();
  });

  it('One output among others that vary is told where it misses its target', () => {
    const evaluate: Evaluate = ([a, b]) => [a! + b!, 2];
    expect(adviceOf(evaluate, [within(1, 0.1), atMost(1)])).toEqual([{ kind: 'constant-outputs', outputs: [1] }]);
    expect(adviceOf(evaluate, [within(1, 0.1), atMost(3)])).toBeUndefined();
  });
});
