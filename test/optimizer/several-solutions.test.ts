/** The search for solutions that lie apart from those found, and lists of solutions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactly, float, type Game, within } from '../../harness/optimizer-game.ts';
import { distanceBetween } from '../../src/domain/search/several-solutions.ts';
import { findSolutions } from '../../src/optimizer/find-solutions.ts';
import type { SuggestRequest, Variable } from '../../src/optimizer/interface/problem.ts';
import { makeDistance } from '../../src/optimizer/space/distance.ts';
import { encode, makeEncoding } from '../../src/optimizer/space/encoding.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const APART = 0.1;

/** A circle of radius 1 around the origin. */
const circle: Game = {
  variables: [float(-2, 2), float(-2, 2)],
  goal: { targets: [within(1, 0.05)], l1: null },
  evaluate: ([a, b]) => [Math.hypot(a!, b!)],
};
/** A circle and a hyperbola with four intersections. */
const crossing: Game = {
  variables: [float(-3, 3), float(-3, 3)],
  goal: exactly([4, 1], 0.01),
  evaluate: ([a, b]) => [a! * a! + b! * b!, a! * b!],
};

function requestOf({ variables, goal, evaluate }: Game, inputs: readonly number[][], found: readonly number[][] = []) {
  const request: SuggestRequest = {
    space: { variables },
    goal,
    history: {
      count: inputs.length,
      X: Float64Array.from(inputs.flat()),
      Y: Float64Array.from(inputs.flatMap((x) => evaluate(x) as number[])),
      failed: new Uint8Array(inputs.length),
    },
    firstSuggested: 0,
    convergence: 1e-6,
    seed: 1,
    workLimit: 15_000,
    solutions: { found: Float64Array.from(found.flat()), apart: APART },
  };
  return request;
}

/** Suggests and evaluates until `count` solutions lie apart. */
function collect(game: Game, count: number, isSolution: (output: readonly number[]) => boolean) {
  const inputs = [
    [0, 0],
    [1.5, 0.5],
    [-0.5, 1.5],
    [0.7, -1.2],
  ];
  const found: number[][] = [];
  for (let run = 0; run < 60 && found.length < count; run++) {
    const proposal = suggest(requestOf(game, inputs, found));
    if (proposal.kind === 'nothing-new') break;
    const x = Array.from(proposal.input);
    inputs.push(x);
    if (isSolution(game.evaluate(x) as number[])) found.push(x);
  }
  return { found, inputs };
}

describe('a search for several solutions', () => {
  it.each<[string, Game, number, (output: readonly number[]) => boolean]>([
    ['on a ring', circle, 5, ([r]) => Math.abs(r! - 1) <= 0.05],
    ['of equations', crossing, 4, ([a, b]) => Math.abs(a! - 4) + Math.abs(b! - 1) <= 0.01],
  ])('finds them %s, each apart from the others', (_, game, count, isSolution) => {
    const { found } = collect(game, count, isSolution);
    expect(found).toHaveLength(count);
    for (const [i, a] of found.entries()) {
      for (const b of found.slice(0, i)) expect(distanceBetween(game.variables, a, b)).toBeGreaterThanOrEqual(APART);
    }
  });

  it('suggests the same as an ordinary one until the first is found', () => {
    const inputs = [
      [0, 0],
      [1.5, 0.5],
      [-0.5, 1.5],
    ];
    const { solutions: _, ...ordinary } = requestOf(circle, inputs);
    expect(suggest(requestOf(circle, inputs))).toEqual(suggest(ordinary));
  });

  it('ends when many suggestions led to no further one', () => {
    const inputs = Array.from({ length: 41 }, (_, i) => [1 + i / 100, 0]);
    expect(suggest(requestOf(circle, inputs.slice(0, -1), [[1, 0]]))).toMatchObject({ kind: 'candidate' });
    expect(suggest(requestOf(circle, inputs, [[1, 0]]))).toMatchObject({ reason: 'no-further-solution' });
  });

  it('measures distances as the domain does', () => {
    const variables: Variable[] = [
      float(2, 6),
      { ...float(0.01, 100), isLogarithmic: true },
      { kind: 'integer', minimum: 0, maximum: 9 },
      { kind: 'boolean', minimum: 0, maximum: 1 },
      { kind: 'category', minimum: 0, maximum: 3 },
      { kind: 'category', minimum: 0, maximum: 1 },
      { ...float(0, 1), fixedAt: 0.5 },
      float(7, 7),
    ];
    const encoding = makeEncoding({ variables });
    const distance = makeDistance(encoding);
    const featuresOf = (x: readonly number[]) => {
      const u = new Float64Array(encoding.p);
      encode(encoding, Float64Array.from(x), 0, u, 0);
      return u;
    };
    const inputs = fc.tuple(
      fc.double({ min: 2, max: 6, noNaN: true }),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      fc.integer({ min: 0, max: 9 }),
      fc.integer({ min: 0, max: 1 }),
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 0, max: 1 }),
      fc.constant(0.5),
      fc.constant(7),
    );
    fc.assert(
      fc.property(inputs, inputs, (a, b) => {
        expect(distance(featuresOf(a), featuresOf(b))).toBeCloseTo(distanceBetween(variables, a, b), 10);
      }),
    );
  });
});

describe('the list of solutions', () => {
  const inputs = Array.from({ length: 16 }, (_, i) => [2 * Math.cos(i), 1.7 * Math.sin(1.3 * i)]);
  const ring = [
    [1, 0],
    [0.995, 0.1],
    [-1, 0],
    [0, 1],
  ];
  const all = [...ring, ...inputs];

  it('spreads verified ones and keeps predicted ones apart from them and from each other', () => {
    const list = findSolutions({ request: requestOf(circle, all), verified: [0, 1, 2, 3], count: 3 });
    expect(list.verified).toEqual([0, 2, 3]);
    expect(list.predicted).toHaveLength(3);
    const points = [...list.verified.map((row) => all[row]!), ...list.predicted.map(({ input }) => input)];
    for (const [i, a] of points.entries()) {
      for (const b of points.slice(0, i)) expect(distanceBetween(circle.variables, a, b)).toBeGreaterThanOrEqual(APART);
    }
    for (const { input, output, chance } of list.predicted) {
      expect(Math.abs(output[0]! - 1)).toBeLessThanOrEqual(0.05);
      expect(Math.abs(Math.hypot(...input) - 1)).toBeLessThan(0.2);
      expect(chance).toBeGreaterThan(0);
    }
  });

  it('predicts thin regions too', () => {
    const { predicted } = findSolutions({ request: requestOf(crossing, inputs), verified: [], count: 5 });
    expect(predicted).toHaveLength(4);
    for (const { input } of predicted) expect(Math.abs(input[0]! * input[1]! - 1)).toBeLessThan(0.05);
  });

  it('is the same for the same request, and predicts nothing without a case', () => {
    const request = { request: requestOf(circle, all), verified: [0], count: 4 };
    expect(findSolutions(structuredClone(request))).toEqual(findSolutions(request));
    expect(findSolutions({ request: requestOf(circle, []), verified: [], count: 4 })).toEqual({
      verified: [],
      predicted: [],
    });
  });
});
