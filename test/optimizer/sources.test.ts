/** Cheaper sources: which source a search runs, what it may cost, and what never changes. */
import { describe, expect, it } from 'vitest';
import { within } from '../../harness/optimizer-game.ts';
import { explain } from '../../src/optimizer/explain.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { CoarseSource, History, Space, SuggestRequest, Target } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

type Model = (x: readonly number[]) => number[];

const space = { variables: Array.from({ length: 3 }, () => ({ kind: 'float' as const, minimum: 0, maximum: 1 })) };
const fine: Model = ([a, b, c]) => [a! + 0.4 * a! * b! + c!, b! - 0.3 * a! * a! + 0.2 * c!, a! * b! + c! * c!, a! - c!];
const close: Model = (x) => fine(x).map((y, j) => 0.9 * y + 0.1 * (j + 1) * (0.5 - x[0]!));

/** Unrelated to the fine model: waves along all inputs. */
function unrelated(seed: number): Model {
  const random = makeRandom(seed, 5);
  const waves = Array.from({ length: 4 }, () =>
    Array.from({ length: 3 }, () => [3 + 6 * random.uniform(), 6 * random.uniform()]),
  );
  return (x) => waves.map((list) => list.reduce((sum, [f, p], v) => sum + 0.5 * Math.sin(f! * x[v]! + p!), 0.5));
}

interface Rows {
  readonly X: number[];
  readonly Y: number[];
}

const historyOf = ({ X, Y }: Rows): History => ({
  count: X.length / 3,
  X: Float64Array.from(X),
  Y: Float64Array.from(Y),
  failed: new Uint8Array(X.length / 3),
});

interface Played {
  readonly fine: number;
  readonly coarse: number;
  readonly sources: readonly (number | null)[];
  readonly inputs: readonly number[];
  readonly isReached: boolean;
}

function play(coarse: Model, { seed, cost, budget }: { seed: number; cost: number; budget: number }): Played {
  const random = makeRandom(seed, 9);
  const wanted = fine(Array.from({ length: 3 }, () => 0.15 + 0.7 * random.uniform()));
  const targets = wanted.map(
    (y): Target => ({ lower: y - 5e-4, upper: y + 5e-4, lowerOpen: false, upperOpen: false, direction: 'none' }),
  );
  const rows: { readonly fine: Rows; readonly coarse: Rows } = { fine: { X: [], Y: [] }, coarse: { X: [], Y: [] } };
  const sources: (number | null)[] = [];
  const run = (x: readonly number[], source: number | null) => {
    const of = source === null ? rows.fine : rows.coarse;
    const y = (source === null ? fine : coarse)(x);
    of.X.push(...x);
    of.Y.push(...y);
    sources.push(source);
    return source === null && targets.every(({ lower, upper }, j) => y[j]! >= lower && y[j]! <= upper);
  };
  const first = initialDesign({ space, outputCount: 4, caseCount: 1, seed });
  let isReached = run(Array.from(first.X), null);
  while (!isReached && rows.fine.X.length / 3 < budget) {
    const request: SuggestRequest = {
      space,
      goal: { targets, l1: null },
      history: historyOf(rows.fine),
      firstSuggested: 1,
      convergence: 1e-6,
      seed,
      workLimit: 15_000,
      coarse: [{ cost, history: historyOf(rows.coarse) }],
    };
    const proposal = suggest(request);
    if (proposal.kind === 'nothing-new') break;
    isReached = run(Array.from(proposal.input), proposal.source ?? null);
  }
  const inputs = [...rows.fine.X, ...rows.coarse.X];
  return { fine: rows.fine.X.length / 3, coarse: rows.coarse.X.length / 3, sources, inputs, isReached };
}

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

describe('a search with a cheaper source', () => {
  it.each([0.02, 0.1, 0.3, 0.7])(
    'leaves a source that does not help alone after the price of two fine runs: a cost of %d',
    (cost) => {
      for (const seed of seeds) {
        const { coarse, isReached } = play(unrelated(seed), { seed, cost, budget: 40 });
        expect(coarse * cost, `seed ${seed}`).toBeLessThanOrEqual(2 + 1e-9);
        expect(isReached, `seed ${seed}`).toBe(true);
      }
    },
  );

  it('runs a source that helps more often than one that does not', () => {
    const [near, far] = [close, unrelated(1)].map((model) =>
      seeds.reduce((sum, seed) => sum + play(model, { seed, cost: 0.05, budget: 40 }).coarse, 0),
    );
    expect(near!).toBeGreaterThan(2 * far!);
  });

  it('is the same to the last bit when it is played again', () => {
    expect(play(close, { seed: 3, cost: 0.05, budget: 20 })).toEqual(play(close, { seed: 3, cost: 0.05, budget: 20 }));
  });
});

describe('a search with a cheaper source and limits of its own', () => {
  const [a, b, c] = [0, 1, 2].map((input) => ({ kind: 'input' as const, input }));
  const number = (value: number) => ({ kind: 'number' as const, value });
  const fixed: Space = { variables: space.variables.map((one, v) => (v === 1 ? { ...one, fixedAt: 0.2 } : one)) };
  const limited: Space = {
    ...space,
    conditions: [
      { left: { kind: 'operation', operator: '+', of: [a!, b!] }, relation: '<=', right: number(0.3) },
      { left: { kind: 'operation', operator: '*', of: [b!, c!] }, relation: '<=', right: number(0.1) },
    ],
  };
  const stepped: Space = {
    variables: [{ kind: 'float', minimum: 0.1, maximum: 0.9, step: 0.1 }, ...space.variables.slice(1)],
  };
  const isWithin: Record<string, (x: readonly number[]) => boolean> = {
    'a fixed input': (x) => x[1] === 0.2,
    constraints: (x) => x[0]! + x[1]! <= 0.3 && x[1]! * x[2]! <= 0.1,
    'steps and bounds that its cases leave': (x) =>
      Math.abs(10 * x[0]! - Math.round(10 * x[0]!)) < 1e-9 && x[0]! >= 0.1,
  };

  it.each([
    ['a fixed input', fixed],
    ['constraints', limited],
    ['steps and bounds that its cases leave', stepped],
  ] as const)('runs no source outside of them, although its first cases lie there: %s', (name, limits) => {
    // Outside of all three limits, and the last one outside of the bounds.
    const cases = [0.5, 0.55, 0.95, 0.65, 1.2];
    for (const known of [1, 2, 5]) {
      const rows = { fine: { X: [] as number[], Y: [] as number[] }, coarse: { X: [] as number[], Y: [] as number[] } };
      const run = (x: readonly number[], isCoarse: boolean) => {
        const of = isCoarse ? rows.coarse : rows.fine;
        of.X.push(...x);
        of.Y.push(...(isCoarse ? close : fine)(x));
      };
      for (const share of cases.slice(5 - known)) run([share + 0.003, share, share], false);
      const sources = new Set<number | undefined>();
      for (let k = 0; k < 12; k++) {
        const proposal = suggest({
          space: limits,
          goal: { targets: fine([0.1, 0.2, 0.3]).map((y) => within(y, 1e-4)), l1: null },
          history: historyOf(rows.fine),
          firstSuggested: known,
          convergence: 1e-6,
          seed: known,
          workLimit: 1_000,
          coarse: [{ cost: 0.05, history: historyOf(rows.coarse) }],
        });
        if (proposal.kind === 'nothing-new') break;
        const x = Array.from(proposal.input);
        expect(isWithin[name]!(x), `${JSON.stringify(x)} of source ${proposal.source}`).toBe(true);
        expect(x.every((value) => value >= 0 && value <= 1)).toBe(true);
        sources.add(proposal.source);
        run(x, proposal.source !== undefined);
      }
      // The source is held against the fine one where the search may run both.
      expect(sources).toEqual(new Set([0, undefined]));
    }
  });
});

describe('the insight', () => {
  const rowsOf = (model: Model, count: number, seed: number): History => {
    const { X } = initialDesign({ space, outputCount: 4, caseCount: count, seed });
    const inputs = Array.from({ length: count }, (_, i) => Array.from(X.subarray(3 * i, 3 * i + 3)));
    return historyOf({ X: inputs.flat(), Y: inputs.flatMap(model) });
  };
  const insightOf = (coarse: Model) => {
    const target: Target = { lower: 0.2, upper: 0.3, lowerOpen: false, upperOpen: false, direction: 'none' };
    const history = rowsOf(fine, 8, 4);
    const { insight } = explain({
      space,
      goal: { targets: [target, target, target, target], l1: null },
      history,
      firstSuggested: 8,
      convergence: 1e-6,
      seed: 4,
      workLimit: 100_000,
      coarse: [{ cost: 0.02, history: rowsOf(coarse, 60, 5) }],
    });
    return insight!;
  };

  it('says of outputs whose models start from a source how much farther off they would be without it', () => {
    const gained = insightOf(close).filter(({ source }) => source !== undefined);
    expect(gained.length).toBeGreaterThan(0);
    for (const { source, crossValidated } of gained) {
      expect(source!.number).toBe(0);
      expect(source!.rmseWithout).toBeGreaterThan(crossValidated.rmse!);
    }
  });

  it('says nothing of a source that does not help', () => {
    expect(insightOf(unrelated(1)).every((one) => !('source' in one))).toBe(true);
  });
});

describe('a suggestion', () => {
  const request = (coarse?: readonly CoarseSource[]): SuggestRequest => {
    const { X, count } = initialDesign({ space, outputCount: 4, caseCount: 6, seed: 4 });
    const Y = Array.from({ length: count }, (_, i) => fine(Array.from(X.subarray(3 * i, 3 * i + 3)))).flat();
    return {
      space,
      goal: {
        targets: fine([0.3, 0.6, 0.2]).map((y) => ({
          lower: y - 1e-3,
          upper: y + 1e-3,
          lowerOpen: false,
          upperOpen: false,
          direction: 'none',
        })),
        l1: null,
      },
      history: { count, X, Y: Float64Array.from(Y), failed: new Uint8Array(count) },
      firstSuggested: 6,
      convergence: 1e-6,
      seed: 4,
      workLimit: 15_000,
      ...(coarse && { coarse }),
    };
  };

  it('without sources is the same whether none are named or the list is empty', () => {
    expect(suggest(request([]))).toEqual(suggest(request()));
  });

  it('of a dear source that models cannot afford is for the fine one, as without it', () => {
    const none = { count: 0, X: new Float64Array(0), Y: new Float64Array(0), failed: new Uint8Array(0) };
    expect(suggest(request([{ cost: 0.9, history: none }]))).toEqual(suggest(request()));
  });
});
