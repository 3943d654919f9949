import { expect, it } from 'vitest';
import { float, play, within } from '../../harness/optimizer-game.ts';
import { identifiability } from '../../src/optimizer/identifiability.ts';
import type { SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';

type Evaluate = (x: readonly number[]) => readonly number[];

/** The request after a solved search, with further runs at the given inputs. */
function solved(variables: readonly Variable[], targets: readonly Target[], evaluate: Evaluate): SuggestRequest {
  const { request, solvedAt } = play({ variables, goal: { targets, l1: null }, evaluate }, 40);
  expect(solvedAt).toBeGreaterThanOrEqual(0);
  return request;
}

/** As many of the runs that would tell most, one after the other. */
function told(request: SuggestRequest, evaluate: Evaluate, runs: number): SuggestRequest {
  let { history } = request;
  for (let k = 0; k < runs; k++) {
    const next = identifiability({ ...request, history })?.next;
    if (!next) break;
    history = {
      count: history.count + 1,
      X: Float64Array.from([...history.X, ...next.at]),
      Y: Float64Array.from([...history.Y, ...evaluate(next.at)]),
      failed: new Uint8Array(history.count + 1),
    };
  }
  return { ...request, history };
}

const rate: Variable = { ...float(0.1, 10), isLogarithmic: true };
const product: Evaluate = ([a, b]) => [a! * b!];

it('knows two rates of which only the product is determined', () => {
  const request = told(solved([rate, rate], [within(2, 0.2)], product), product, 6);
  const { ranges, combinations } = identifiability(request)!;
  for (const range of ranges) {
    if (range.kind !== 'range') throw new Error('a number has a range');
    expect(range.shares.fits).toBeGreaterThan(0.6);
    expect(range.gaps).toEqual([]);
    expect(range.alone.high / range.alone.low).toBeLessThan(1.3);
  }
  expect(combinations).toHaveLength(1);
  expect(combinations[0]).toMatchObject({ scale: 'log' });
  const [a, b] = combinations[0]!.loadings;
  expect(a! * b!).toBeCloseTo(-1, 0.5);
  for (const end of combinations[0]!.ends) expect(Math.abs(product(end)[0]! - 2)).toBeLessThan(0.25);
});

it('gives the ranges of inputs that the outputs determine, and no combination', () => {
  const evaluate: Evaluate = ([a, b]) => [a! + b!, a! - b!];
  const targets = [within(1, 0.1), within(0.2, 0.1)];
  const request = told(solved([float(0, 1), float(0, 1)], targets, evaluate), evaluate, 6);
  const { ranges, combinations, best, confidence } = identifiability(request)!;
  expect(confidence).toBe(0.9);
  expect(evaluate(best).every((y, j) => y >= targets[j]!.lower && y <= targets[j]!.upper)).toBe(true);
  expect(combinations).toEqual([]);
  for (const [v, center] of [0.6, 0.4].entries()) {
    const range = ranges[v]!;
    if (range.kind !== 'range') throw new Error('a number has a range');
    expect(range.fits.low).toBeCloseTo(center - 0.1, 1.5);
    expect(range.fits.high).toBeCloseTo(center + 0.1, 1.5);
    expect(range.possible.low).toBeLessThanOrEqual(range.fits.low);
    expect(range.possible.high).toBeGreaterThanOrEqual(range.fits.high);
  }
});

it('leaves out the gap between places that do not touch', () => {
  const evaluate: Evaluate = ([a, b]) => [a! * a! + b!];
  const variables = [float(-2, 2), float(0, 1)];
  const request = told(solved(variables, [within(2.5, 0.1)], evaluate), evaluate, 6);
  const [range] = identifiability(request)!.ranges;
  if (range?.kind !== 'range') throw new Error('a number has a range');
  // b is from 0 to 1, so a^2 is from 1.4 to 2.6.
  expect(range.fits.low).toBeLessThan(-1.3);
  expect(range.fits.high).toBeGreaterThan(1.3);
  expect(range.gaps).toHaveLength(1);
  expect(range.gaps[0]!.low).toBeCloseTo(-Math.sqrt(1.4), 1);
  expect(range.gaps[0]!.high).toBeCloseTo(Math.sqrt(1.4), 1);
});

it('lists the codes of booleans and categories that fit, and values of integers', () => {
  const variables: Variable[] = [
    { kind: 'category', minimum: 0, maximum: 2 },
    { kind: 'integer', minimum: 0, maximum: 30 },
    { kind: 'boolean', minimum: 0, maximum: 1 },
  ];
  const evaluate: Evaluate = ([a, b, c]) => [b! + 2 * c!, a! * 10 + 0.1 * b!];
  const request = told(solved(variables, [within(14, 3.2), within(11.4, 0.45)], evaluate), evaluate, 8);
  const { ranges } = identifiability(request)!;
  expect(ranges[0]).toEqual({ kind: 'codes', fits: [1], possible: expect.arrayContaining([1]) });
  expect(ranges[2]).toMatchObject({ kind: 'codes', possible: [0, 1] });
  const whole = ranges[1]!;
  if (whole.kind !== 'range') throw new Error('an integer has a range');
  expect(whole.fits.low).toSatisfy(Number.isInteger);
  expect(whole.possible.high).toSatisfy(Number.isInteger);
});

it('names the run that tells most, after which less is open', () => {
  const bent: Evaluate = ([a, b]) => [a! + b! + 0.3 * Math.sin(2 * a! * b!)];
  const request = solved([float(0, 3), float(0, 3)], [within(2, 0.1)], bent);
  const open = (one: SuggestRequest) =>
    identifiability(one)!.ranges.reduce(
      (sum, range) => sum + (range.kind === 'range' ? range.shares.possible - range.shares.fits : 0),
      0,
    );
  const { next } = identifiability(request)!;
  expect(next!.at[next!.input]).toBeGreaterThanOrEqual(next!.open.low);
  expect(next!.at[next!.input]).toBeLessThanOrEqual(next!.open.high);
  expect(open(told(request, bent, 4))).toBeLessThan(open(request));
});

it('says nothing before an input surely meets the targets, and refuses other confidences', () => {
  const request = solved([rate, rate], [within(2, 0.2)], product);
  const outOfReach = { ...request, goal: { targets: [within(500, 0.2)], l1: null } };
  expect(identifiability(outOfReach)).toBeNull();
  const none = { count: 0, X: new Float64Array(0), Y: new Float64Array(0), failed: new Uint8Array(0) };
  expect(identifiability({ ...request, history: none })).toBeNull();
  expect(() => identifiability(request, 0.3)).toThrow(RangeError);
});
