/** Suggestions while other inputs have been handed out and their outputs are not known. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atLeast,
  exactly,
  float,
  type Game,
  minimize,
  play,
  proposeTogether,
  within,
  withPending,
} from '../../harness/optimizer-game.ts';
import { explain, explainFrom } from '../../src/optimizer/explain.ts';
import type { Condition, SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';
import { makeEncoding } from '../../src/optimizer/space/encoding.ts';
import { suggest, suggestFrom } from '../../src/optimizer/suggest.ts';
import { finiteSpaces, spaces } from './arbitraries.ts';

const curved: Game = {
  variables: [float(0, 3), float(0, 3)],
  goal: exactly([0.5, 0.1], 1e-9),
  evaluate: ([a, b]) => [Math.sin(a!) + b!, a! * b!],
};
const directed: Game = {
  variables: [float(0.1, 2), float(0.1, 2)],
  goal: { targets: [minimize(1), atLeast(1)], l1: null },
  evaluate: ([a, b]) => [a! + b!, a! * b!],
};
const games: [string, Game][] = [
  ['exact outputs', curved],
  ['an output to minimize', directed],
];

const empty = (request: SuggestRequest): SuggestRequest => ({
  ...request,
  history: { count: 0, X: new Float64Array(0), Y: new Float64Array(0), failed: new Uint8Array(0) },
  firstSuggested: 0,
});

const rowsOf = ({ space, history: { X, count } }: SuggestRequest): Float64Array[] =>
  Array.from({ length: count }, (_, i) => X.slice(i * space.variables.length, (i + 1) * space.variables.length));

describe.each(games)('suggestions that are open together, with %s,', (_, game) => {
  const { request } = play(game, 3);
  const together = proposeTogether(request, 12);

  it('all differ', () => {
    expect(new Set(together.map(({ input }) => input.join())).size).toBe(12);
  });

  it('are the same bytes for the same request, which they do not change', () => {
    const open = withPending(request, together.slice(0, 5));
    const copy = structuredClone(open);
    expect(suggest(open)).toEqual(together[5]);
    expect(open).toEqual(copy);
    expect(suggest(copy)).toEqual(together[5]);
  });

  it('begin with the suggestion that is made while none is open', () => {
    expect(together[0]).toEqual(suggest(request));
    expect(suggest({ ...request, pending: new Float64Array(0) })).toEqual(together[0]);
  });

  it('leave the explanation as it is', () => {
    const prepared = prepare(withPending(request, together));
    suggestFrom(prepared);
    expect(explainFrom(prepared)).toEqual(explain(request));
  });

  it('all differ and lie in the box with an empty history, the first in its centre', () => {
    const first = proposeTogether(empty(request), 6).map(({ input }) => [...input]);
    expect(first[0]).toEqual(game.variables.map(({ minimum, maximum }) => (minimum + maximum) / 2));
    expect(new Set(first.map(String)).size).toBe(6);
    for (const x of first)
      game.variables.forEach(({ minimum, maximum }, v) => {
        expect(x[v]! >= minimum && x[v]! <= maximum).toBe(true);
      });
  });
});

describe('suggestions while little is known and others are open', () => {
  const likely = { minimum: 2, maximum: 4 };
  const six: Game = {
    variables: [{ ...float(0, 10), likely }, ...Array.from({ length: 5 }, () => float(-1, 1))],
    goal: { targets: [within(50, 0.1)], l1: null },
    evaluate: (x) => [x.reduce((sum, value, v) => sum + (v + 1) * value * value, 0)],
  };
  const { request } = play(six, 0);

  it('continue the design, away from all known and open inputs, until a model has enough', () => {
    const { count } = request.history;
    const together = proposeTogether(request, 8 - count + 2);
    const isDesigned = together.map(({ chance }) => chance === null);
    expect(isDesigned.slice(0, 8 - count)).toEqual([false, ...new Array<boolean>(8 - count - 1).fill(true)]);
    const designed = together.filter((_, i) => isDesigned[i]).map(({ input }) => input);
    for (const x of designed) {
      expect(x[0]! >= likely.minimum && x[0]! <= likely.maximum).toBe(true);
      for (const value of x.slice(1)) expect(Math.abs(value)).toBeLessThanOrEqual(0.4 + 1e-12);
      const others = [...rowsOf(request), ...designed.filter((one) => one !== x)];
      for (const other of others)
        expect(Math.max(...other.map((value, v) => Math.abs(value - x[v]!)))).toBeGreaterThan(0.2);
    }
  });

  it('replace suggestions of models that crowd together by the design', () => {
    const together = proposeTogether(play(curved, 0).request, 16);
    const modelled = together.filter(({ chance }) => chance !== null).map(({ input }) => input);
    for (const [i, x] of modelled.entries())
      for (const y of modelled.slice(0, i))
        expect(Math.max(...x.map((value, v) => Math.abs(value - y[v]!)))).toBeGreaterThan((0.1 * 3) / 2 - 1e-12);
    expect(modelled.length).toBeLessThan(16);
  });

  it('continue the design within the conditions', () => {
    const input = (index: number) => ({ kind: 'input', input: index }) as const;
    const of = [0, 1, 2, 3, 4, 5].map(input);
    const condition: Condition = {
      left: { kind: 'operation', operator: '+', of },
      relation: '<=',
      right: { kind: 'number', value: 2.5 },
    };
    const { variables } = six;
    const together = proposeTogether({ ...request, space: { variables, conditions: [condition] } }, 4);
    for (const { input: x } of together) expect(x.reduce((sum, value) => sum + value)).toBeLessThanOrEqual(2.5 + 1e-9);
    expect(together.slice(1).map(({ chance }) => chance)).toContain(null);
  });

  it('do not wait for a design that the inputs have no room for', () => {
    const digits = Array.from({ length: 3 }, () => ({ kind: 'boolean' as const, minimum: 0, maximum: 1 }));
    const { request: open } = play({ ...six, variables: digits }, 0);
    expect(proposeTogether(open, 20)).toHaveLength(8 - open.history.count);
  });
});

describe('the chance of a suggestion', () => {
  it('The chance of a suggestion is a share, and higher near the end of a search', () => {
    const chances: (number | null)[] = [];
    play(
      {
        ...curved,
        goal: { targets: [within(1, 0.05), within(0.3, 0.05)], l1: null },
        watch: ({ request }) => {
          const proposal = suggest(request);
          chances.push(proposal.kind === 'candidate' ? proposal.chance : null);
        },
      },
      10,
    );
    expect(chances.at(-1)).toBeGreaterThan(0.5);
    for (const chance of chances) expect(chance! >= 0 && chance! <= 1).toBe(true);
  });

  it('The chance of a suggestion is unknown with an output to minimize and without a model', () => {
    for (const request of [play(directed, 2).request, empty(play(curved, 0).request)]) {
      const proposal = suggest(request);
      expect(proposal.kind === 'candidate' && proposal.chance).toBeNull();
    }
  });
});

describe('pending inputs', () => {
  it('fill a finite space without repetition, and then there is nothing new', () => {
    fc.assert(
      fc.property(finiteSpaces, fc.nat(), fc.boolean(), (space, seed, isDirected) => {
        const { variables } = space;
        const evaluate = (x: readonly number[]) => [x.reduce((sum, value, v) => sum + (v + 1) * value * value, 0)];
        const target = isDirected ? minimize(-5) : within(-5, 0.1);
        const { request } = play({ variables, goal: { targets: [target], l1: null }, evaluate, seed }, 2);
        const { size, n } = makeEncoding(space);
        const together = proposeTogether(request, 200);
        const rows = Array.from({ length: request.history.count }, (_, i) =>
          request.history.X.slice(i * n, (i + 1) * n),
        );
        const keys = new Set([...rows, ...together.map(({ input }) => input)].map((x) => x.join()));
        expect(keys.size).toBe(request.history.count + together.length);
        if (!isDirected) expect(keys.size).toBe(size);
        if (keys.size === size) expect(suggest(withPending(request, together)).kind).toBe('nothing-new');
      }),
      { numRuns: 8 },
    );
  });

  it('may be 63 in a space of ten points, repeat each other and lie outside', () => {
    const variables = [{ kind: 'integer' as const, minimum: 0, maximum: 9 }];
    const game: Game = { variables, goal: { targets: [within(50.5, 0.1)], l1: null }, evaluate: ([a]) => [a! * a!] };
    const { request } = play(game, 1);
    const propose = (at: (k: number) => number) =>
      suggest({ ...request, pending: Float64Array.from({ length: 63 }, (_, k) => at(k)) });
    expect(propose((k) => k % 10)).toMatchObject({ kind: 'nothing-new', reason: 'space-used-up' });
    const { X } = request.history;
    const left = [9, 8, 7, 6, 5].find((value) => !X.includes(value))!;
    expect(propose((k) => (k % 10 === left ? 0 : k % 10))).toMatchObject({ input: Float64Array.of(left) });
    for (const at of [(k: number) => 10 + k, () => -1e6, () => 1e300]) expect(propose(at).kind).toBe('candidate');
  });

  it('leave bounds, whole numbers and constants as they are', () => {
    fc.assert(
      fc.property(spaces, fc.nat(), fc.boolean(), (space, seed, isDirected) => {
        const evaluate = (x: readonly number[]) => [x.reduce((sum, value) => sum + value, 0), x[0]! * x.at(-1)!];
        const targets = [isDirected ? minimize(-1e9) : within(0.3, 1e-3), within(0.1, 1e-3)];
        const { request } = play({ variables: space.variables, goal: { targets, l1: null }, evaluate, seed }, 1);
        for (const { input } of proposeTogether(request, 6)) {
          space.variables.forEach(({ kind, minimum, maximum }, v) => {
            expect(input[v]! >= minimum && input[v]! <= maximum).toBe(true);
            if (kind !== 'float') expect(Number.isInteger(input[v]!)).toBe(true);
          });
        }
      }),
      { numRuns: 8 },
    );
  });

  it('leave conditions, fixed values and failed runs respected', () => {
    const input = (index: number) => ({ kind: 'input', input: index }) as const;
    const condition: Condition = {
      left: { kind: 'operation', operator: '+', of: [input(0), input(1)] },
      relation: '<=',
      right: { kind: 'number', value: 2 },
    };
    const variables = [float(0, 3), float(0, 3), { ...float(0, 3), fixedAt: 1.5 }];
    const evaluate = ([a, b, c]: readonly number[]) => (a! > 2 ? null : [a! + b! + c!, a! * b!]);
    const { request } = play(
      { variables, goal: { targets: [within(9, 0.01), within(1, 0.01)], l1: null }, evaluate },
      4,
    );
    const together = proposeTogether({ ...request, space: { variables, conditions: [condition] } }, 8);
    expect(together).toHaveLength(8);
    for (const { input: x } of together) {
      expect(x[0]! + x[1]!).toBeLessThanOrEqual(2 + 1e-9);
      expect(x[2]).toBe(1.5);
    }
  });

  it('make a standstill wait longer', () => {
    const game: Game = {
      variables: [float(-2, 2)],
      goal: { targets: [minimize(0.5)], l1: null },
      evaluate: ([a]) => [(a! - 0.3) ** 2 + 1],
    };
    const { request, end } = play(game, 120);
    expect(end?.reason).toBe('no-improvement-expected');
    expect(suggest({ ...request, pending: Float64Array.of(0.3123, 1.5, -1.7) }).kind).toBe('candidate');
  });

  it.each([
    ['of a broken row', Float64Array.of(1)],
    ['that are no numbers', Float64Array.of(1, Number.NaN)],
  ])('%s are a RangeError', (_, pending) => {
    expect(() => suggest({ ...play(curved, 0).request, pending })).toThrow(RangeError);
  });
});
