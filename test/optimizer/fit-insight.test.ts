/** Tests what the data of a fit tell about its inputs. */
import { describe, expect, it } from 'vitest';
import { play } from '../../bench/fits/play.ts';
import { UNDETERMINED } from '../../bench/fits/undetermined.ts';
import { describeFitInsight, isUnsure } from '../../src/domain/search/fit-parameters.ts';
import { fitInsight } from '../../src/optimizer/fit-insight.ts';
import type { SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';

const FREE: Target = { lower: -Infinity, upper: Infinity, lowerOpen: false, upperOpen: false, direction: 'none' };
const number = (minimum: number, maximum: number): Variable => ({ kind: 'float', minimum, maximum });

/** A request whose history is a grid of runs, so that the models know the black box. */
function known(
  variables: readonly Variable[],
  box: (x: readonly number[]) => readonly number[],
  values: readonly number[],
  { sigma = 0.1 as number | null, outputs = values.map((_, i) => i) } = {},
): SuggestRequest {
  const levels = [0.1, 0.5, 0.9].map((share, k) => share + 0.013 * k);
  const at = (share: number, { minimum, maximum }: Variable) => minimum + share * (maximum - minimum);
  const inputs = variables.reduce<number[][]>(
    (rows, variable, v) =>
      rows.flatMap((row) => levels.map((share) => [...row, at(share + 0.03 * ((v + row.length) % 2), variable)])),
    [[]],
  );
  const Y = inputs.map(box);
  return {
    space: { variables },
    goal: {
      targets: Y[0]!.map(() => FREE),
      l1: null,
      fits: [{ outputs, values, sigmas: sigma === null ? null : values.map(() => sigma), weight: 1, loss: 'linear' }],
    },
    history: {
      count: inputs.length,
      X: Float64Array.from(inputs.flat()),
      Y: Float64Array.from(Y.flat()),
      failed: new Uint8Array(inputs.length),
    },
    firstSuggested: inputs.length,
    convergence: 1e-6,
    seed: 1,
    workLimit: 2e3,
  };
}

const T = [0, 1, 2, 3, 4];
const line = ([a, b]: readonly number[]) => T.map((t) => a! + b! * t);

describe('what the data tell about the inputs', () => {
  it('Of a straight line it is what linear regression says', () => {
    const values = line([1, 0.5]).map((y, i) => y + [0.1, -0.05, -0.1, 0.05, 0][i]!);
    const { parameters, correlations, outputs } = fitInsight(known([number(0, 2), number(0, 1)], line, values))!;
    // (X'X)^-1 of T: sum 10, squares 30, 5 points.
    const errors = [0.1 * Math.sqrt(30 / 50), 0.1 * Math.sqrt(5 / 50)];
    parameters.forEach(({ standardError, low, high, kind }, v) => {
      expect(kind).toBe('identifiable');
      expect(standardError! / errors[v]!).toBeCloseTo(1, 4);
      expect((high! - low!) / (2 * 1.95996 * errors[v]!)).toBeCloseTo(1, 2);
    });
    expect(correlations[0]![1]).toBeCloseTo(-10 / Math.sqrt(150), 4);
    const half = (outputs[2]!.high - outputs[2]!.low) / 2;
    expect(half).toBeCloseTo((1.95996 * 0.1) / Math.sqrt(5), 4);
    expect(outputs[3]!.slopes[0]).toBeCloseTo(1, 4);
    expect(outputs[3]!.slopes[1]).toBeCloseTo(3, 4);
  });

  it('Unknown errors are estimated, and few degrees of freedom widen the intervals as Student says', () => {
    const values = line([1, 0.5]).map((y, i) => y + [0.1, -0.05, -0.1, 0.05, 0][i]!);
    const request = known([number(-4, 6), number(-4, 5)], line, values, { sigma: null });
    const { parameters, threshold } = fitInsight(request)!;
    const { low, high, standardError } = parameters[0]!;
    expect((high! - low!) / (2 * standardError!)).toBeGreaterThan(2.9);
    expect((high! - low!) / (2 * standardError!)).toBeLessThan(3.5);
    expect(threshold).toBeGreaterThan(0);
  });

  it('Two inputs of which only the sum counts are structurally not identifiable, and the combination says so', () => {
    const sum = ([a, b, c]: readonly number[]) => T.map((t) => a! + b! + c! * t);
    const found = fitInsight(known([number(0, 2), number(0, 2), number(0, 1)], sum, sum([1, 0.8, 0.5])))!;
    expect(found.parameters.map(({ kind }) => kind)).toEqual(['structurally-not', 'structurally-not', 'identifiable']);
    expect(found.combinations).toHaveLength(1);
    const [a, b, c] = found.combinations[0]!.loadings;
    expect([Math.abs(a! + b!) < 0.02, c]).toEqual([true, 0]);
    const told = describeFitInsight(found, ['a', 'b', 'c']);
    expect(told.join('\n')).toMatch(/a: .* the data do not determine it/);
    expect(told.join('\n')).toMatch(
      /The data do not tell a and b apart: moving them together, by .1 and .1 of their ranges/,
    );
  });

  it('An input whose effect the errors hide on one side is practically not identifiable', () => {
    const box = ([a, b]: readonly number[]) => T.map((t) => 0.3 * a! * a! + b! * t);
    const values = box([0, 0.5]).map((y, i) => y + [0.02, -0.03, 0.01, 0.02, -0.02][i]!);
    const { parameters } = fitInsight(known([number(0, 2), number(0, 1)], box, values))!;
    expect(parameters[0]).toMatchObject({ kind: 'practically-not', low: null });
    expect(parameters[0]!.high).toBeGreaterThan(0.2);
    expect(parameters[0]!.high).toBeLessThan(1);
    expect(parameters[1]!.kind).toBe('identifiable');
  });

  it('Outputs that are not fitted are predicted with an interval, and runs that would confirm the ends are named', () => {
    const box = (x: readonly number[]) => [...line(x), 10 * x[0]!];
    const request = known([number(0, 2), number(0, 1)], box, line([1, 0.5]), { outputs: [0, 1, 2, 3, 4] });
    const { outputs, verify } = fitInsight(request)!;
    expect(outputs[5]!.predicted).toBeCloseTo(10, 1);
    expect((outputs[5]!.high - outputs[5]!.low) / 2).toBeCloseTo(10 * 1.95996 * 0.1 * Math.sqrt(0.6), 2);
    expect(verify.map(({ input, side }) => `${input} ${side}`).sort()).toEqual(['0 high', '0 low', '1 high', '1 low']);
    for (const { at, increase } of verify) {
      const chi = line(at).reduce((sum, y, i) => sum + ((y - line([1, 0.5])[i]!) / 0.1) ** 2, 0);
      expect(Math.abs(chi - increase)).toBeLessThan(0.1);
    }
  });

  it.each([
    ['ratio, three decades', 2],
    ['product', 2],
    ['sum of rates', 2],
  ])(
    'Of a search for a fit that only tells a combination, %s, no end is claimed that the models do not know',
    (name, seed) => {
      const problem = UNDETERMINED.map((make) => make(seed)).find((one) => one.name === name)!;
      const found = fitInsight(play(problem, seed, 60).request)!;
      for (const v of problem.undetermined) {
        const { low, high, lowEnd, highEnd, kind, standardError } = found.parameters[v]!;
        expect(kind).not.toBe('identifiable');
        expect([lowEnd, highEnd]).toContain('not-known');
        expect([low ?? -Infinity, high ?? Infinity].map((end) => Math.sign(end - problem.truth[v]!))).toEqual([-1, 1]);
        expect(standardError).toBeNull();
        expect(found.correlations[v]).toEqual(problem.truth.map(() => null));
      }
      const told = describeFitInsight(found, ['a', 'b', 'k']).join('\n');
      expect(told).toMatch(/a: .* end.* not known/);
      expect(told).toMatch(/not tell a(,| and) b.* apart/);
    },
  );

  it.each([28, 22])(
    'A ratio in a rate makes neither input identifiable, after few runs and where one reaches its bound (data %d)',
    (seed) => {
      const problem = UNDETERMINED.map((make) => make(seed)).find((one) => one.name === 'ratio in a rate')!;
      const { parameters } = fitInsight(play(problem, seed, 80).request)!;
      for (const { kind } of parameters) expect(kind).not.toBe('identifiable');
    },
  );

  it('An interval that ends only where the other input reaches its bound makes no input identifiable', () => {
    const sum = ([a, b]: readonly number[]) => T.map((t) => (a! + b!) * (1 + t));
    const { parameters } = fitInsight(known([number(0, 3), number(-0.3, 0.3)], sum, sum([1.3, 0.2])))!;
    expect(parameters[0]!.low! - 1.2).toBeCloseTo(0, 0);
    expect(parameters[0]!.high! - 1.8).toBeCloseTo(0, 0);
    for (const { kind } of parameters) expect(kind).not.toBe('identifiable');
  });

  it('Where the models expect a better fit elsewhere, they name it and claim no interval around a local minimum', () => {
    const dip = ([a]: readonly number[]) => {
      const y = 1 + 8 * (a! - 0.5) ** 2 - 6 * (a! - 0.5) ** 3;
      return [y, 2 * y, 10 * a!];
    };
    const inputs = [0, 0.3, 0.5, 0.7, 1, 1.3, 1.6, 2];
    const request = known([number(0, 2)], dip, [0, 0], { outputs: [0, 1] });
    const history = {
      count: inputs.length,
      X: Float64Array.from(inputs),
      Y: Float64Array.from(inputs.flatMap((a) => dip([a]))),
      failed: new Uint8Array(inputs.length),
    };
    const found = fitInsight({ ...request, history })!;
    expect(found.best).toEqual([0.5]);
    expect(found.parameters).toMatchObject([
      { estimate: 0.5, low: null, high: null, lowEnd: 'not-known', standardError: null },
    ]);
    expect(found.better!.at[0]).toBeCloseTo(1.95, 1);
    expect(found.better!.decrease).toBeGreaterThan(400);
    expect(found.outputs.map(({ isKnown }) => isKnown)).toEqual([false, false, false]);
    expect(found.verify).toMatchObject([{ at: found.better!.at, side: 'high' }]);
    expect(isUnsure(found, found.verify[0]!)).toBe(true);
    expect(describeFitInsight(found, ['a'])).toMatchObject([
      expect.stringMatching(/^a: 0\.5; the ends of its 95 % interval are not known\.$/),
      expect.stringMatching(/^The models expect a better fit at a = 1\.9\d: chi-square smaller by [45]\d\d/),
    ]);
  });

  it('The estimate is in its interval although the models expect a slightly better fit elsewhere', () => {
    const problem = UNDETERMINED[0]!(107);
    const { parameters } = fitInsight(play(problem, 107, 60).request)!;
    for (const { low, high, estimate } of parameters) {
      expect(low ?? -Infinity).toBeLessThanOrEqual(estimate);
      expect(high ?? Infinity).toBeGreaterThanOrEqual(estimate);
    }
  });

  it('Inputs with few values are held, and the same request gives the same bytes', () => {
    const box = ([a, b]: readonly number[]) => T.map((t) => a! + b! * t);
    const request = known([number(0, 2), { kind: 'integer', minimum: 0, maximum: 3 }], box, box([1, 1]));
    const found = fitInsight(request)!;
    expect(found.parameters[1]).toMatchObject({ kind: 'held', standardError: null, profile: [] });
    expect(fitInsight(request)).toEqual(found);
    expect(() => fitInsight(request, 0.2)).toThrow(RangeError);
  });
});
