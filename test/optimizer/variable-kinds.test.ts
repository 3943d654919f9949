import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { SuggestRequest, Variable } from '../../src/optimizer/interface/problem.ts';
import { decode, encode, everyInput, levelAt, levelCount, makeEncoding } from '../../src/optimizer/space/encoding.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const stepped: Variable = { kind: 'float', minimum: 0.1, maximum: 0.9, step: 0.05 };
const listed: Variable = { kind: 'float', minimum: 1, maximum: 50, levels: [1, 2, 5, 10, 50] };
const logarithmic: Variable = { kind: 'float', minimum: 1e-6, maximum: 1e3, isLogarithmic: true };
const logarithmicInteger: Variable = { kind: 'integer', minimum: 1, maximum: 4096, isLogarithmic: true };

function featureOf(variable: Variable, x: number): number {
  const encoding = makeEncoding({ variables: [variable] });
  const u = new Float64Array(1);
  encode(encoding, Float64Array.of(x), 0, u, 0);
  return u[0]!;
}

function decoded(variable: Variable, feature: number): number {
  const x = new Float64Array(1);
  decode(makeEncoding({ variables: [variable] }), Float64Array.of(feature), x);
  return x[0]!;
}

describe('an input with steps or levels', () => {
  it.each([
    ['steps', stepped, 17],
    ['levels', listed, 5],
    ['logarithmic whole numbers', logarithmicInteger, 4096],
  ])('with %s takes its values exactly, and each is decoded from its own feature', (_, variable, count) => {
    expect(levelCount(variable)).toBe(count);
    for (let k = 0; k < count; k++) {
      const value = levelAt(variable, k);
      expect(String(value).length).toBeLessThan(6);
      expect(decoded(variable, featureOf(variable, value))).toBe(value);
    }
  });

  it('is decoded to its nearest value wherever the feature lies', () => {
    fc.assert(
      fc.property(fc.double({ min: -2, max: 2, noNaN: true }), (feature) => {
        expect(listed.levels).toContain(decoded(listed, feature));
        const steps = (decoded(stepped, feature) - 0.1) / 0.05;
        expect(Math.abs(steps - Math.round(steps))).toBeLessThan(1e-9);
      }),
    );
  });

  it('is counted in the size of a finite space, all points of which are visited once', () => {
    const encoding = makeEncoding({ variables: [stepped, listed, { kind: 'boolean', minimum: 0, maximum: 1 }] });
    expect(encoding.size).toBe(17 * 5 * 2);
    const visited = new Set(Array.from(everyInput(encoding), (x) => x.join()));
    expect(visited.size).toBe(encoding.size);
  });
});

describe('a logarithmic input', () => {
  it('has the logarithm as its feature, and its bounds are decoded exactly', () => {
    expect(featureOf(logarithmic, 1e-6)).toBe(-1);
    expect(featureOf(logarithmic, 1e3)).toBe(1);
    expect(featureOf(logarithmic, Math.sqrt(1e-6 * 1e3))).toBeCloseTo(0, 12);
    expect(decoded(logarithmic, -1)).toBe(1e-6);
    expect(decoded(logarithmic, 1)).toBe(1e3);
    expect(Number.isFinite(featureOf(logarithmic, -1))).toBe(true);
  });

  it('is the plain number where a linear condition sums it', () => {
    const condition = {
      left: { kind: 'input', input: 0 },
      relation: '<=',
      right: { kind: 'number', value: 1 },
    } as const;
    const encoding = makeEncoding({ variables: [logarithmic], conditions: [condition] });
    expect([...encoding.logarithmic]).toEqual([0]);
  });
});

/** Plays y = (x1 + x2 + x3, x1 x2) from its design on. */
function play(variables: readonly Variable[], fixedAt: number | undefined) {
  const { X } = initialDesign({ space: { variables }, outputCount: 2, caseCount: 4, seed: 3 });
  const rows = Array.from({ length: 4 }, (_, i) => [...X.subarray(3 * i, 3 * i + 3)]);
  const space = {
    variables: variables.map((one, v) => (v === 1 && fixedAt !== undefined ? { ...one, fixedAt } : one)),
  };
  for (let k = 0; k < 8; k++) {
    const target = (center: number) => ({ lower: center - 0.01, upper: center + 0.01 });
    const request: SuggestRequest = {
      space,
      goal: {
        targets: [target(6), target(2)].map((one) => ({
          ...one,
          lowerOpen: false,
          upperOpen: false,
          direction: 'none',
        })),
        l1: null,
      },
      history: {
        count: rows.length,
        X: Float64Array.from(rows.flat()),
        Y: Float64Array.from(rows.flatMap(([a, b, c]) => [a! + b! + c!, a! * b!])),
        failed: new Uint8Array(rows.length),
      },
      firstSuggested: 4,
      convergence: 1e-6,
      seed: 3,
      workLimit: 1_000,
    };
    const proposal = suggest(request);
    if (proposal.kind !== 'candidate') break;
    rows.push([...proposal.input]);
  }
  return { designed: rows.slice(0, 4), suggested: rows.slice(4) };
}

describe('suggestions and designed cases', () => {
  const variables: readonly Variable[] = [
    { kind: 'float', minimum: 0, maximum: 2, step: 0.25 },
    { kind: 'float', minimum: 0, maximum: 4 },
    { kind: 'float', minimum: 1, maximum: 10, levels: [1, 2, 5, 10] },
  ];

  it('keep to the steps and levels of every input', () => {
    const { designed, suggested } = play(variables, undefined);
    for (const [a, , c] of [...designed, ...suggested]) {
      expect(Number.isInteger(a! / 0.25)).toBe(true);
      expect([1, 2, 5, 10]).toContain(c);
    }
  });

  it('have the fixed value of a fixed input, which the designed cases need not have', () => {
    const { designed, suggested } = play(variables, 1.6);
    expect(suggested.length).toBeGreaterThan(3);
    for (const [, b] of suggested) expect(b).toBe(1.6);
    expect(designed.some(([, b]) => b !== 1.6)).toBe(true);
  });
});
