import { expect, it } from 'vitest';
import { atMost, float, within } from '../../harness/optimizer-game.ts';
import type { InputTolerances, SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { normalCdf } from '../../src/optimizer/numerics/normal.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { robustness } from '../../src/optimizer/robustness.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

interface Known {
  readonly variables: readonly Variable[];
  readonly targets: readonly Target[];
  readonly evaluate: (x: readonly number[]) => readonly number[];
  /** Inputs evaluated after the twelve random ones. */
  readonly further?: readonly (readonly number[])[];
}

function requestOf({ variables, targets, evaluate, further = [] }: Known): SuggestRequest {
  const random = makeRandom(5);
  const draw = ({ kind, minimum, maximum }: Variable) => {
    const x = minimum + random.uniform() * (maximum - minimum);
    return kind === 'float' ? x : Math.round(x);
  };
  const rows = [...Array.from({ length: 12 }, () => variables.map(draw)), ...further];
  return {
    space: { variables },
    goal: { targets, l1: null },
    history: {
      count: rows.length,
      X: Float64Array.from(rows.flat()),
      Y: Float64Array.from(rows.flatMap(evaluate)),
      failed: new Uint8Array(rows.length),
    },
    firstSuggested: 12,
    convergence: 1e-6,
    seed: 3,
    workLimit: 5000,
  };
}

const plane: Known = {
  variables: [float(0, 1), float(0, 1)],
  targets: [within(1, 0.05), atMost(0.6)],
  evaluate: ([a, b]) => [a! + 2 * b!, a!],
  further: [[0.5, 0.25]],
};
const units = (kind: InputTolerances['kind'], values: readonly number[]): InputTolerances => ({
  kind,
  in: 'units',
  values,
});

it('gives the probability of a normal deviation through known outputs', () => {
  const found = robustness(requestOf(plane), [0.5, 0.25], units('normal', [0.03, 0.01]))!;
  // The sum deviates by a normal variable; the limit of 0.6 is 3.3 standard deviations away.
  const sum = 1 - 2 * normalCdf(-0.05 / Math.hypot(0.03, 0.02));
  expect(found.probability).toBeCloseTo(sum, 1.5);
  expect(found.low).toBeLessThan(sum);
  expect(found.high).toBeGreaterThan(sum);
});

it('tells which outputs and which inputs carry the risk', () => {
  const found = robustness(requestOf(plane), [0.5, 0.25], units('normal', [0.001, 0.05]))!;
  expect(found.outputShares[0]).toBe(1);
  expect(found.outputShares[1]).toBe(0);
  expect(found.inputShares[1]).toBe(1);
  expect(found.inputShares[0]).toBeLessThan(0.1);
});

it('takes percent of the value, and half widths of a uniform deviation', () => {
  const request = requestOf({ ...plane, targets: [within(1, 0.05), atMost(10)] });
  // 10 percent of 0.5 is a half width of 0.05, which the target just allows; 20 percent meets it half of the time.
  const percent = (value: number): InputTolerances => ({ kind: 'uniform', in: 'percent', values: [value, 0] });
  expect(robustness(request, [0.5, 0.25], percent(9))!.probability).toBe(1);
  expect(robustness(request, [0.5, 0.25], percent(20))!.probability).toBeCloseTo(0.5, 1);
});

it('rounds the deviations of integers and lets booleans and categories be', () => {
  const request = requestOf({
    variables: [
      { kind: 'integer', minimum: 0, maximum: 20 },
      { kind: 'boolean', minimum: 0, maximum: 1 },
      { kind: 'category', minimum: 0, maximum: 3 },
    ],
    targets: [within(10, 0.2)],
    evaluate: ([a, b, c]) => [a! + b! + c!],
    further: [[8, 1, 1]],
  });
  const at = (tolerance: number) => robustness(request, [8, 1, 1], units('uniform', [tolerance, 5, 5]))!.probability;
  expect(at(0.4)).toBe(1);
  expect(at(1.5)).toBeCloseTo(1 / 3, 1);
});

it('says nothing while the models predict less than half of the variance of an output', () => {
  const random = makeRandom(9);
  const request = requestOf({ ...plane, evaluate: () => [random.normal(), random.normal()] });
  expect(robustness(request, [0.5, 0.25], units('normal', [0.1, 0.1]))).toBeNull();
});

it('repeats its answer to the bit and refuses what does not fit', () => {
  const request = requestOf(plane);
  const tolerances = units('normal', [0.03, 0.01]);
  expect(robustness(request, [0.5, 0.25], tolerances)).toEqual(robustness(request, [0.5, 0.25], tolerances));
  expect(() => robustness(request, [0.5], tolerances)).toThrow(RangeError);
  expect(() => robustness(request, [0.5, 0.25], units('normal', [1]))).toThrow(RangeError);
  expect(() => robustness(request, [0.5, 0.25], units('normal', [-1, 0]))).toThrow(RangeError);
});

/** Met between 0.2 and 0.8 in the first input, whatever the second is; the first solution lies near the edge. */
const wide: Known = {
  variables: [float(0, 1), float(0, 1)],
  targets: [within(0.5, 0.3)],
  evaluate: ([a, b]) => [a! + 0.05 * Math.sin(3 * b!)],
  further: [[0.21, 0]],
};
const tolerances = units('normal', [0.15, 0]);

it('searches for the input that meets the goal most surely once one meets it', () => {
  const request = requestOf(wide);
  const proposal = suggest({ ...request, robustAim: { tolerances, probability: null, runsLeft: 5, ownRuns: 1 } });
  if (proposal.kind !== 'candidate') throw new Error('nothing was proposed');
  const [y] = wide.evaluate([...proposal.input]);
  expect(y).toBeGreaterThan(0.45);
  expect(y).toBeLessThan(0.55);
  expect(proposal.surestIndex).toBe(request.history.count - 1);
});

it('does not end with a run of its own because one of another objective is surer', () => {
  const request = requestOf({
    ...wide,
    further: [
      [0.5, 0],
      [0.21, 0],
    ],
  });
  const proposal = suggest({ ...request, robustAim: { tolerances, probability: null, runsLeft: 5, ownRuns: 1 } });
  if (proposal.kind !== 'candidate') throw new Error('nothing was proposed');
  const [y] = wide.evaluate([...proposal.input]);
  expect(y).toBeGreaterThan(0.45);
  expect(y).toBeLessThan(0.55);
});

it('ends that search with the surest input once its runs are used, its aim is reached, or nothing is surer', () => {
  const request = requestOf({
    ...wide,
    further: [
      [0.21, 0],
      [0.5, 0],
      [0.75, 0],
    ],
  });
  const end = { kind: 'nothing-new', reason: 'robust', bestIndex: 13 };
  const aim = (probability: number | null, runsLeft: number) =>
    suggest({ ...request, robustAim: { tolerances, probability, runsLeft, ownRuns: 3 } });
  expect(aim(null, 0)).toEqual(end);
  expect(aim(0.9, 5)).toEqual(end);
  expect(aim(0.999, 5)).toEqual(end);
});

it('searches for a first solution while no run meets the goal, and beside open runs', () => {
  const robustAim = { tolerances, probability: null, runsLeft: 5, ownRuns: 0 };
  const unmet = requestOf({ ...wide, targets: [within(3, 0.1)], further: [] });
  expect(suggest({ ...unmet, robustAim })).toEqual(suggest(unmet));
  const open = { ...requestOf(wide), pending: Float64Array.from([0.5, 0.5]) };
  expect(suggest({ ...open, robustAim })).toEqual(suggest(open));
});

it('starts from runs known before the search, and spends its first run on the surest input they lead to', () => {
  const request = requestOf(wide);
  const known = Array.from({ length: request.history.count }, (_, row) => row);
  const robustAim = { tolerances, probability: null, runsLeft: 5, ownRuns: 0 };
  const proposal = suggest({ ...request, robustAim });
  if (proposal.kind !== 'candidate') throw new Error('nothing was proposed');
  const [y] = wide.evaluate([...proposal.input]);
  expect(y).toBeGreaterThan(0.45);
  expect(y).toBeLessThan(0.55);
  // None of its own runs is the surest yet, and no known one is made a second time.
  expect(proposal.surestIndex).toBeUndefined();
  const { X } = request.history;
  expect(known.map((row) => [X[2 * row], X[2 * row + 1]])).not.toContainEqual([...proposal.input]);
});

it('waits for pending inputs, whose outputs decide where to look next', () => {
  const robustAim = { tolerances, probability: null, runsLeft: 5, ownRuns: 1 };
  const proposal = suggest({ ...requestOf(wide), robustAim, pending: Float64Array.from([0.5, 0.5]) });
  expect(proposal).toMatchObject({ kind: 'nothing-new', reason: 'duplicate' });
});
