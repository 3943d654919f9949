/** The search for the least misfit of data. */
import { describe, expect, it } from 'vitest';
import { type FitGoal, misfitOf } from '../../src/numbers/misfit.ts';
import { explain } from '../../src/optimizer/explain.ts';
import type { Proposal, SuggestRequest, Target } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';
import { trustedRegion } from '../../src/optimizer/search/trusted-region.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const FREE: Target = { lower: -Infinity, upper: Infinity, lowerOpen: false, upperOpen: false, direction: 'none' };
const VARIABLES = [
  { kind: 'float', minimum: 0.5, maximum: 5 },
  { kind: 'float', minimum: 0.05, maximum: 3 },
] as const;
const INPUTS = [
  [1, 0.2],
  [4, 1.5],
  [2.5, 1],
] as const;

const timesOf = (points: number) => Array.from({ length: points }, (_, i) => (4 * i) / (points - 1));
const decay = (points: number, [height, rate]: ArrayLike<number> & readonly number[]) =>
  timesOf(points).map((t) => height! * Math.exp(-rate! * t));
/** Errors of plus and minus 0.02 without a pattern. */
const dataOf = (points: number) => decay(points, [2, 0.7]).map((y, i) => y + 0.02 * Math.cos(7 * i * i));

function fitOf(points: number, change: Partial<FitGoal> = {}): FitGoal {
  const values = dataOf(points);
  const outputs = values.map((_, i) => i);
  return { outputs, values, sigmas: values.map(() => 0.02), weight: 1, loss: 'linear', ...change };
}

interface Played {
  readonly inputs: readonly (readonly number[])[];
  readonly outputs: readonly (readonly number[])[];
  readonly last: Proposal;
  readonly request: SuggestRequest;
}

function requestOf(fit: FitGoal, inputs: readonly (readonly number[])[]): SuggestRequest {
  const outputs = inputs.map((x) => decay(fit.values.length, x));
  return {
    space: { variables: VARIABLES },
    goal: { targets: fit.values.map(() => FREE), l1: null, fits: [fit] },
    history: {
      count: inputs.length,
      X: Float64Array.from(inputs.flat()),
      Y: Float64Array.from(outputs.flat()),
      failed: new Uint8Array(inputs.length),
    },
    firstSuggested: INPUTS.length,
    convergence: 1e-6,
    stop: { improvementBelow: 0.05 },
    seed: 4,
    workLimit: 3e3,
  };
}

/** @param limits targets of further outputs */
function play(
  fit: FitGoal,
  { box = (x: readonly number[]) => decay(fit.values.length, x), limits = [] as readonly Target[], budget = 25 } = {},
): Played {
  const inputs: (readonly number[])[] = [...INPUTS];
  const outputs = inputs.map(box);
  for (;;) {
    const count = inputs.length;
    const request: SuggestRequest = {
      space: { variables: VARIABLES },
      goal: { targets: [...fit.values.map(() => FREE), ...limits], l1: null, fits: [fit] },
      history: {
        count,
        X: Float64Array.from(inputs.flat()),
        Y: Float64Array.from(outputs.flat()),
        failed: new Uint8Array(count),
      },
      firstSuggested: INPUTS.length,
      convergence: 1e-6,
      stop: { improvementBelow: 0.05 },
      seed: 4,
      workLimit: 3e3,
    };
    const last = suggest(request);
    if (last.kind === 'nothing-new' || count >= budget) return { inputs, outputs, last, request };
    const x = Array.from(last.input);
    inputs.push(x);
    outputs.push(box(x));
  }
}

const between = (lower: number, upper: number): Target => ({
  lower,
  upper,
  lowerOpen: false,
  upperOpen: false,
  direction: 'none',
});

const bestOf = ({ inputs, outputs }: Played, fit: FitGoal) => {
  const misfits = outputs.map((y) => misfitOf([fit], y));
  return inputs[misfits.indexOf(Math.min(...misfits))]!;
};

describe('a fit', () => {
  it.each([7, 60])('With %i points the search finds the curve and ends by evidence', (points) => {
    const played = play(fitOf(points));
    expect(played.last).toMatchObject({ kind: 'nothing-new', reason: 'fitted' });
    expect(played.inputs.length).toBeLessThan(16);
    const [height, rate] = bestOf(played, fitOf(points));
    expect(Math.abs(height! - 2)).toBeLessThan(0.05);
    expect(Math.abs(rate! - 0.7)).toBeLessThan(0.05);
  });

  it('Ends at the best compromise of limits that no input meets', () => {
    const fit = fitOf(7);
    const box = (x: readonly number[]) => [...decay(7, x), x[0]!, x[0]! + x[1]!];
    const limits = [between(3, 3.5), between(0, 1)];
    const { last, inputs } = play(fit, { box, limits, budget: 40 });
    expect(last).toMatchObject({ kind: 'nothing-new', reason: 'out-of-reach' });
    const worst = ([a, b]: readonly number[]) => Math.max((3 - a!) / 0.25, (a! + b! - 1) / 0.5);
    const { bestIndex } = last as Extract<Proposal, { kind: 'nothing-new' }>;
    // Both miss equally at the least b, 0.05, where 4 (3 - a) = 2 (a - 0.95): a = 2.317.
    expect(worst(inputs[bestIndex]!)).toBeLessThan(1.02 * 2.734);
  });

  it.each([
    [7, 0.1],
    [60, 0.1],
    [60, 0.02],
  ])('With %i points whose outputs scatter by %f standard errors it ends as well', (points, scatter) => {
    const box = (x: readonly number[]) => {
      const random = makeRandom(...new Uint32Array(Float64Array.from(x).buffer));
      return decay(points, x).map((y) => y + scatter * 0.02 * random.normal());
    };
    const played = play(fitOf(points), { box, budget: 30 });
    expect(played.last).toMatchObject({ kind: 'nothing-new', reason: 'fitted' });
    const [height, rate] = bestOf(played, fitOf(points));
    expect(Math.abs(height! - 2)).toBeLessThan(0.05);
    expect(Math.abs(rate! - 0.7)).toBeLessThan(0.05);
  });

  it('Unknown standard errors lead to the same curve', () => {
    const fit = fitOf(20, { sigmas: null });
    const [height, rate] = bestOf(play(fit), fit);
    expect(Math.abs(height! - 2)).toBeLessThan(0.05);
    expect(Math.abs(rate! - 0.7)).toBeLessThan(0.05);
  });

  it('A robust loss keeps values that went wrong from bending the curve', () => {
    const values = dataOf(20).map((y, i) => (i === 4 || i === 11 ? y + 3 : y));
    const heightOf = (loss: FitGoal['loss']) => {
      const fit = fitOf(20, { values, loss });
      return Math.abs(bestOf(play(fit), fit)[0]! - 2);
    };
    expect(heightOf('cauchy')).toBeLessThan(0.05);
    expect(heightOf('linear')).toBeGreaterThan(0.1);
  });

  it('A limit on another output is kept, and the best curve lies at it', () => {
    const fit = fitOf(7);
    const box = (x: readonly number[]) => [...decay(7, x), 2 * x[0]!];
    const played = play(fit, { box, limits: [{ ...FREE, upper: 3.6 }], budget: 40 });
    expect(played.last).toMatchObject({ kind: 'nothing-new', reason: 'fitted' });
    const best = played.inputs[(played.last as { bestIndex: number }).bestIndex]!;
    expect(best[0]).toBeLessThanOrEqual(1.8);
    expect(best[0]).toBeGreaterThan(1.79);
  });

  it('A gap in the data and a failed run change nothing but what is known', () => {
    const fit = fitOf(7, { outputs: [0, 1, 3, 4, 6], values: [0, 1, 3, 4, 6].map((i) => dataOf(7)[i]!), sigmas: null });
    const box = (x: readonly number[]) => decay(7, x).with(5, Number.NaN);
    const inputs = [...INPUTS];
    const request = play(fitOf(7), { budget: 3 }).request;
    const Y = Float64Array.from(inputs.flatMap((x) => box(x)));
    const history = { ...request.history, Y, failed: Uint8Array.of(0, 1, 0) };
    const goal = { targets: Array.from({ length: 7 }, () => FREE), l1: null, fits: [fit] };
    expect(suggest({ ...request, goal, history }).kind).toBe('candidate');
  });

  it('Many points become few components that keep the sums of squares', () => {
    const { request, outputs } = play(fitOf(200), { budget: 12 });
    const { residuals, cases } = prepare(request);
    expect(cases.intervals.length).toBeLessThanOrEqual(20);
    const exact = outputs.map((y) => misfitOf(request.goal.fits!, y));
    exact.slice(-3).forEach((misfit, i) => {
      const loss = cases.loss[cases.N - 3 + i]! + residuals!.leftOut;
      expect(Math.abs(loss - misfit)).toBeLessThan(0.02 * misfit);
    });
  });

  it('Is explained without a contradiction, with one insight per output', () => {
    const { request } = play(fitOf(7), { budget: 8 });
    const { insight, diagnosis } = explain(request);
    expect([insight!.length, diagnosis]).toEqual([7, null]);
  });

  it('The same request gives the same bytes', () => {
    const { request } = play(fitOf(60), { budget: 9 });
    expect(suggest(request)).toEqual(suggest(request));
  });

  it('Components keep the differences of the misfit near the best run, also those too small for a component of their own', () => {
    const fit = fitOf(60);
    const near = [0, 1e-4, 2e-4, 3e-4].map((step) => [2 + step, 0.7 - 2 * step]);
    const request = requestOf(fit, [...INPUTS, ...near]);
    const { cases, residuals } = prepare(request);
    const misfits = near.map((x) => misfitOf([fit], decay(60, x)));
    near.forEach((_, i) => {
      const modelled = cases.loss[INPUTS.length + i]! + residuals!.leftOut;
      expect(Math.abs(modelled - misfits[i]!)).toBeLessThan(2e-3);
    });
  });

  it('The models are trusted twice as far as the last good step went, and half as far as the last bad one', () => {
    const widthAfter = (...suggested: (readonly number[])[]) => {
      const { lower, upper } = trustedRegion(prepare(requestOf(fitOf(60), [...INPUTS, ...suggested])))!.box;
      return (upper[1]! - lower[1]!) / 2;
    };
    const between = (one: number, other: number) => (2 * Math.abs(one - other)) / (3 - 0.05);
    const bad = widthAfter([2, 0.75], [2, 0.76]);
    const good = widthAfter([2, 0.75], [2, 0.76], [2, 0.7]);
    expect(widthAfter()).toBeCloseTo(0.3, 9);
    expect(bad).toBeCloseTo(between(0.75, 0.76) / 2, 9);
    expect(good).toBeCloseTo(2 * between(0.75, 0.7), 9);
  });
});
