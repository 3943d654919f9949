/** Derivatives in the models: what they save, what may be unknown, and wrong ones. */
import { describe, expect, it } from 'vitest';
import { play, type Report } from '../../bench/gradients/play.ts';
import { jacobianOf, SYSTEMS } from '../../bench/gradients/systems.ts';
import { explain } from '../../src/optimizer/explain.ts';
import type { SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const doses = SYSTEMS.find(({ name }) => name === 'doses')!;
const { model, variables, solution } = doses;
const wanted = model(solution);
const target = (y: number): Target => ({
  lower: y - 0.002,
  upper: y + 0.002,
  lowerOpen: false,
  upperOpen: false,
  direction: 'none',
});
const isReached = (y: readonly number[]) => y.every((value, j) => Math.abs(value - wanted[j]!) <= 0.002);
const runsWith = (report: Report) =>
  play({ variables, model, goal: { targets: wanted.map(target), l1: null }, isReached }, report, 1, 30).runs;

/** A request with these runs, and derivatives that may be changed before. */
function requestAt(
  inputs: readonly number[][],
  report: (rows: number[][]) => (number | null)[][] = (rows) => rows,
): SuggestRequest {
  const jacobian = inputs.flatMap((x) => report(jacobianOf(model, variables, x)).flat());
  return {
    space: { variables },
    goal: { targets: wanted.map(target), l1: null },
    history: {
      count: inputs.length,
      X: Float64Array.from(inputs.flat()),
      Y: Float64Array.from(inputs.flatMap((x) => model(x))),
      failed: new Uint8Array(inputs.length),
      jacobian: Float64Array.from(jacobian, (value) => value ?? Number.NaN),
    },
    firstSuggested: 4,
    convergence: 1e-6,
    seed: 1,
    workLimit: 3e3,
  };
}

const INPUTS = [
  [0.5, 0.05, 20],
  [4, 0.2, 50],
  [2, 0.1, 30],
  [1, 0.15, 45],
  [1.5, 0.08, 24],
  [0.8, 0.12, 35],
];

describe('derivatives', () => {
  it('show in the insight how many the models use, and the error without them', () => {
    const told = explain(requestAt(INPUTS, (rows) => rows.map((row, j) => (j === 0 ? row : [row[0]!, null, null]))))
      .insight!;
    const { jacobian: _, ...history } = requestAt(INPUTS).history;
    const plain = explain({ ...requestAt(INPUTS), history }).insight!;
    expect(told.map(({ derivatives }) => [derivatives!.known, derivatives!.used])).toEqual(
      wanted.map((_, j) => (j === 0 ? [18, 18] : [6, 6])),
    );
    expect(told.map(({ derivatives }) => derivatives!.rmseWithout)).toEqual(
      plain.map(({ crossValidated }) => crossValidated.rmse),
    );
    expect(told[0]!.crossValidated.rmse).toBeLessThan(told[0]!.derivatives!.rmseWithout! / 2);
    expect(plain.every((one) => !('derivatives' in one))).toBe(true);
    const turned = explain(requestAt(INPUTS, (rows) => rows.map((row) => row.map((slope) => -slope)))).insight!;
    expect(turned[0]!.derivatives).toMatchObject({ known: 18, used: 0, rmseWithout: turned[0]!.crossValidated.rmse });
  });

  it('save runs, and less so where only some are known', () => {
    const none = runsWith(() => null);
    const full = runsWith((rows) => rows);
    expect(full).toBeLessThan(none);
    expect(runsWith((rows) => rows.map((row, j) => (j === 0 ? row.map(() => null) : row)))).toBeLessThan(none);
  });

  it('give the same proposal for the same request, and none where all are unknown is like no derivatives', () => {
    expect(suggest(requestAt(INPUTS))).toEqual(suggest(requestAt(INPUTS)));
    const unknown = requestAt(INPUTS, (rows) => rows.map((row) => row.map(() => null)));
    const { jacobian: _, ...history } = unknown.history;
    expect(suggest(unknown)).toEqual(suggest({ ...unknown, history }));
  });

  it('are left out where they do not agree with the values, which advice says', () => {
    expect(explain(requestAt(INPUTS)).advice).toBeUndefined();
    const wrong = requestAt(INPUTS, (rows) => rows.map((row) => row.map((d) => -d)));
    expect(explain(wrong).advice).toEqual([{ kind: 'wrong-derivatives', outputs: [], factor: expect.closeTo(-1, 0) }]);
    const { jacobian: _, ...history } = wrong.history;
    expect(suggest(wrong)).toEqual(suggest({ ...wrong, history }));
  });

  it('are not called wrong where they tell little about the values', () => {
    const shuffled = explain(requestAt(INPUTS, (rows) => [...rows.slice(1), rows[0]!])).advice!;
    expect(shuffled.map(({ kind }) => kind)).toEqual(shuffled.map(() => 'unproven-derivatives'));
    // Right ones of waves that are shorter than the distances of the runs.
    const waves = (x: ArrayLike<number>) => [Math.sin(7 * x[0]!), Math.cos(6 * x[0]!)];
    const inputs = [0.4, 0.8, 1, 1.2, 1.6, 1.8, 2.4].map((x) => [x]);
    const one: Variable[] = [{ kind: 'float', minimum: 0, maximum: 3 }];
    const { history, ...request } = requestAt(INPUTS);
    const bent = explain({
      ...request,
      space: { variables: one },
      goal: { targets: [0.5, 0.5].map(target), l1: null },
      history: {
        count: inputs.length,
        X: Float64Array.from(inputs.flat()),
        Y: Float64Array.from(inputs.flatMap(waves)),
        failed: new Uint8Array(inputs.length),
        jacobian: Float64Array.from(inputs.flatMap((x) => jacobianOf(waves, one, x).flat())),
      },
    });
    expect(bent.advice!.map(({ kind }) => kind)).toEqual(['unproven-derivatives']);
  });

  it('are refused in another shape', () => {
    const request = requestAt(INPUTS);
    const history = { ...request.history, jacobian: new Float64Array(3) };
    expect(() => suggest({ ...request, history })).toThrow('history.jacobian must be count x m x n');
  });

  it('of a category and of a boolean are not used', () => {
    const mixed: Variable[] = [...variables, { kind: 'boolean', minimum: 0, maximum: 1 }];
    const request = requestAt(INPUTS);
    const X = Float64Array.from(INPUTS.flatMap((x, i) => [...x, i % 2]));
    const widened = (along: number) =>
      Float64Array.from(INPUTS.flatMap((x) => jacobianOf(model, variables, x).flatMap((row) => [...row, along])));
    const at = (along: number) =>
      suggest({
        ...request,
        space: { variables: mixed },
        history: { ...request.history, X, jacobian: widened(along) },
      });
    expect(at(7)).toEqual(at(Number.NaN));
  });
});
