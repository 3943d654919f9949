/** Whatever the history holds, nothing throws, no number is NaN and every suggested input is new and inside the box. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { float, within } from '../../harness/optimizer-game.ts';
import { explainFrom } from '../../src/optimizer/explain.ts';
import type { History, SuggestRequest, Variable } from '../../src/optimizer/interface/problem.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';
import { suggest, suggestFrom } from '../../src/optimizer/suggest.ts';
import { spaces, targets } from './arbitraries.ts';

const output = fc.oneof(
  fc.double({ min: -10, max: 10, noNaN: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1, 1, 1e12, -1e-9, 1e300, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY),
);

const requests = fc
  .tuple(spaces, fc.array(targets, { minLength: 1, maxLength: 3 }), fc.integer({ min: 0, max: 12 }), fc.nat())
  .chain(([space, goals, count, seed]) => {
    const n = space.variables.length;
    const m = goals.length;
    // So few shares that inputs repeat; -0.1 and 1.1 lie outside the box.
    const share = fc.constantFrom(-0.1, 0, 0.2, 0.5, 0.9, 1, 1.1);
    return fc
      .record({
        shares: fc.array(share, { minLength: count * n, maxLength: count * n }),
        outputs: fc.array(output, { minLength: count * m, maxLength: count * m }),
        failed: fc.array(fc.constantFrom(0, 0, 0, 1), { minLength: count, maxLength: count }),
        pending: fc.array(fc.array(share, { minLength: n, maxLength: n }), { maxLength: 5 }),
        isExact: fc.boolean(),
      })
      .map(({ shares, outputs, failed, pending, isExact }): SuggestRequest => {
        const X = Float64Array.from(shares, (value, k) => toInput(space.variables[k % n]!, value));
        const history: History = { count, X, Y: Float64Array.from(outputs), failed: Uint8Array.from(failed) };
        const center = goals.map(({ lower, upper }) => [lower, upper, 0].find(Number.isFinite)!);
        const goal = isExact
          ? { targets: center.map((t) => within(t, 1e-7)), l1: { center, threshold: 1e-7 * m } }
          : { targets: goals, l1: null };
        const rows = pending.flatMap((row) => row.map((value, v) => toInput(space.variables[v]!, value)));
        return {
          space,
          goal,
          history,
          pending: Float64Array.from(rows),
          firstSuggested: Math.min(count, 3),
          convergence: 1e-6,
          seed,
          workLimit: 200,
        };
      });
  });

function toInput({ kind, minimum, maximum }: Variable, share: number): number {
  const x = minimum + share * (maximum - minimum);
  return kind === 'float' ? x : Math.round(Math.min(maximum, Math.max(minimum, x)));
}

function check(request: SuggestRequest, proposal = suggest(request)): void {
  const { variables } = request.space;
  const n = variables.length;
  if (proposal.kind === 'nothing-new') {
    expect(proposal.bestIndex).toBeLessThan(request.history.count);
    return;
  }
  const x = Array.from(proposal.input);
  expect(x).toHaveLength(n);
  variables.forEach(({ kind, minimum, maximum }, v) => {
    expect(x[v]! >= minimum && x[v]! <= maximum).toBe(true);
    if (kind !== 'float') expect(Number.isInteger(x[v]!)).toBe(true);
  });
  const X = [...request.history.X, ...(request.pending ?? [])];
  for (let i = 0; i < X.length / n; i++) {
    if (x.every((value, v) => value === X[i * n + v]!)) expect.fail(`row ${i} is suggested again`);
  }
  expect(proposal.chance ?? 0).toBeGreaterThanOrEqual(0);
  expect(proposal.chance ?? 0).toBeLessThanOrEqual(1);
}

describe('any history', () => {
  it('Any history gets a new admissible input or a reason why there is none, and an explanation in finite numbers', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const prepared = prepare(request);
        check(request, suggestFrom(prepared));
        const explanation = explainFrom(prepared);
        expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
      }),
      { numRuns: 40 },
    );
  });

  it('Any history gets a valid answer with its rows in reverse order too', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const { count, X, Y, failed } = request.history;
        const n = request.space.variables.length;
        const m = request.goal.targets.length;
        const reverse = (values: Float64Array, width: number) =>
          Float64Array.from(
            { length: count * width },
            (_, k) => values[(count - 1 - Math.floor(k / width)) * width + (k % width)]!,
          );
        check({
          ...request,
          history: { count, X: reverse(X, n), Y: reverse(Y, m), failed: Uint8Array.from(failed).reverse() },
        });
      }),
      { numRuns: 30 },
    );
  });
});

describe('a suggestion', () => {
  const base = (rows: number[][], outputs: number[][], failed: number[]): SuggestRequest => ({
    space: { variables: rows[0]?.map(() => float(0, 1)) ?? [float(0, 1), float(0, 1)] },
    goal: { targets: [within(0.5, 0.01)], l1: null },
    history: {
      count: rows.length,
      X: Float64Array.from(rows.flat()),
      Y: Float64Array.from(outputs.flat()),
      failed: Uint8Array.from(failed),
    },
    firstSuggested: 0,
    convergence: 1e-6,
    seed: 1,
    workLimit: 1000,
  });

  it('A suggestion is the centre of the box when the history is empty', () => {
    const proposal = suggest(base([], [], []));
    expect(proposal.kind === 'candidate' && Array.from(proposal.input)).toEqual([0.5, 0.5]);
  });

  it('lies far from the failed runs when all runs failed', () => {
    const proposal = suggest(
      base(
        [
          [0.5, 0.5],
          [0.1, 0.1],
        ],
        [[0], [0]],
        [1, 1],
      ),
    );
    expect(
      proposal.kind === 'candidate' && Math.hypot(proposal.input[0]! - 0.1, proposal.input[1]! - 0.1),
    ).toBeGreaterThan(0.4);
  });

  it('A suggestion is valid for a history that gives one input different outputs', () => {
    check(
      base(
        [
          [0.5, 0.5],
          [0.5, 0.5],
          [0.2, 0.9],
          [0.2, 0.9],
        ],
        [[1], [1.2], [3], [2.9]],
        [0, 0, 0, 0],
      ),
    );
  });

  it('A suggestion is valid for ten thousand rows of twenty inputs', () => {
    const n = 20;
    const count = 10_000;
    const X = Float64Array.from({ length: count * n }, (_, k) => (((k * 0.618034 + (k % n) * 0.414214) % 1) + 1) % 1);
    const Y = Float64Array.from({ length: count }, (_, i) => X[i * n]! + X[i * n + 1]! ** 2);
    check({
      ...base([], [], []),
      space: { variables: Array.from({ length: n }, () => float(0, 1)) },
      history: { count, X, Y, failed: new Uint8Array(count) },
    });
  });
});
