import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type LinearCondition,
  makeRegion,
  projectOnto,
  type Region,
  rangesOf,
} from '../../../src/optimizer/constraints/region.ts';
import { walk } from '../../../src/optimizer/constraints/walk.ts';
import { makeRandom } from '../../../src/optimizer/numerics/random.ts';

interface Drawn {
  readonly n: number;
  readonly equations: number;
  readonly inequalities: number;
  readonly seed: number;
  readonly slack: number;
}

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    n: fc.integer({ min: 1, max: 12 }),
    equations: fc.nat({ max: 3 }),
    inequalities: fc.nat({ max: 15 }),
    seed: fc.nat(),
    slack: fc.constantFrom(0, 1e-6, 0.1, 1),
  })
  .map((one) => ({ ...one, equations: Math.min(one.equations, one.n - 1) }));

/** Conditions that a drawn point of the box satisfies, the inequalities with `slack` to spare. */
function drawRegion({ n, equations, inequalities, seed, slack }: Drawn) {
  const random = makeRandom(seed, 1);
  const inside = Float64Array.from({ length: n }, () => 1.8 * random.uniform() - 0.9);
  const conditions: LinearCondition[] = [];
  for (let i = 0; i < equations + inequalities; i++) {
    const coefficients = Float64Array.from({ length: n }, () => 10 ** (2 * random.uniform()) * random.normal());
    const isEquation = i < equations;
    const value = coefficients.reduce((sum, one, f) => sum + one * inside[f]!, 0);
    conditions.push({ coefficients, bound: isEquation ? value : value - slack, isEquation });
  }
  return { inside, random, conditions, made: makeRegion(full(n, -1), full(n, 1), conditions) };
}

function full(n: number, value: number): Float64Array {
  return new Float64Array(n).fill(value);
}

function regionOf(made: ReturnType<typeof makeRegion>): Region {
  if (made.kind === 'empty') throw new Error(`empty: ${JSON.stringify(made.conflicting)}`);
  return made.region;
}

function squareOf(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, f) => sum + (value - b[f]!) ** 2, 0);
}

/** The exact value of a double as a fraction of 2^1074. */
function exact(value: number): bigint {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  const exponent = (high >>> 20) & 0x7ff;
  const mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  const magnitude = exponent === 0 ? mantissa : (mantissa | (1n << 52n)) << BigInt(exponent - 1);
  return value < 0 ? -magnitude : magnitude;
}

/** The violation of a condition at u in exact arithmetic, relative to its largest term. */
function exactViolation({ coefficients, bound, isEquation }: LinearCondition, u: Float64Array): number {
  const terms = Array.from(coefficients, (one, f) => exact(one) * exact(u[f]!));
  const rest = exact(bound) << 1074n;
  const value = terms.reduce((sum, one) => sum + one, -rest);
  const sizes = [...terms, rest].map((one) => (one < 0n ? -one : one));
  const largest = sizes.reduce((a, b) => (a > b ? a : b), 1n);
  const violation = isEquation && value > 0n ? value : -value;
  return Number((violation * 10n ** 20n) / largest) / 1e20;
}

/** The largest violation of a condition or bound at u, relative to the largest term of its row and at least 1. */
function violationAt({ rows }: Region, u: Float64Array): number {
  let worst = 0;
  for (let i = 0; i < rows.count; i++) {
    let value = -rows.b[i]!;
    let largest = Math.max(1, Math.abs(rows.b[i]!));
    for (let f = 0; f < u.length; f++) {
      const term = rows.A[i * u.length + f]! * u[f]!;
      value += term;
      largest = Math.max(largest, Math.abs(term));
    }
    worst = Math.max(worst, (i < rows.equations ? Math.abs(value) : -value) / largest);
  }
  return worst;
}

describe('a region', () => {
  it('holds the projection of any point, checked in exact arithmetic, and none of its points is nearer', () => {
    fc.assert(
      fc.property(drawn, (one) => {
        const { inside, random, conditions, made } = drawRegion(one);
        const region = regionOf(made);
        for (let k = 0; k < 10; k++) {
          const u = Float64Array.from({ length: one.n }, () => 4 * random.uniform() - 2);
          const nearest = projectOnto(region, u);
          for (const condition of conditions) expect(exactViolation(condition, nearest)).toBeLessThanOrEqual(1e-9);
          expect(Math.max(...nearest.map(Math.abs))).toBeLessThanOrEqual(1 + 1e-9);
          expect(squareOf(u, nearest)).toBeLessThanOrEqual(squareOf(u, inside) + 1e-6);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('leaves a point of its own where it is', () => {
    fc.assert(
      fc.property(drawn, (one) => {
        const { inside, made } = drawRegion(one);
        expect(Math.sqrt(squareOf(projectOnto(regionOf(made), inside), inside))).toBeLessThan(1e-7);
      }),
    );
  });

  it('holds its middle and every point of a walk, which is the same for the same seed', () => {
    fc.assert(
      fc.property(drawn, (one) => {
        const { conditions, made } = drawRegion(one);
        const region = regionOf(made);
        expect(violationAt(region, region.middle)).toBeLessThanOrEqual(1e-9);
        const [first, second] = [walk(region, makeRandom(one.seed)), walk(region, makeRandom(one.seed))];
        for (let k = 0; k < 20; k++) {
          const u = first.next().value;
          for (const condition of conditions) expect(exactViolation(condition, u)).toBeLessThanOrEqual(1e-9);
          expect(second.next().value).toEqual(u);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('with two conditions that contradict each other is empty and names the two', () => {
    fc.assert(
      fc.property(drawn, fc.constantFrom(1e-6, 0.01, 1), (one, gap) => {
        const { random, conditions, inside } = drawRegion({ ...one, slack: 1 });
        const coefficients = Float64Array.from(
          { length: one.n },
          () => (random.uniform() < 0.5 ? -1 : 1) * (0.5 + random.uniform()),
        );
        const value = coefficients.reduce((sum, each, f) => sum + each * inside[f]!, 0);
        const above = { coefficients, bound: value + gap, isEquation: false };
        const below = { coefficients: coefficients.map((each) => -each), bound: -value, isEquation: false };
        const made = makeRegion(full(one.n, -1), full(one.n, 1), [...conditions, above, below]);
        if (made.kind !== 'empty') throw new Error('not empty');
        const wholeSet = makeRegion(
          full(one.n, -1),
          full(one.n, 1),
          made.conflicting.flatMap((row) =>
            row.kind === 'condition' ? [[...conditions, above, below][row.index]!] : [],
          ),
        );
        expect(wholeSet.kind).toBe('empty');
        expect(made.conflicting.length).toBeLessThanOrEqual(one.n + 1);
      }),
    );
  });

  it('is empty when its conditions say so: all of 200 are told, 95 percent by a smallest set, and no other is', () => {
    let minimal = 0;
    for (let seed = 0; seed < 200; seed++) {
      const n = 2 + (seed % 12);
      const drawnOne = { n, equations: seed % Math.min(3, n), inequalities: seed % 9, seed, slack: 0.1 };
      const { random, conditions, inside, made } = drawRegion(drawnOne);
      expect(made.kind).toBe('region');
      const coefficients = Float64Array.from({ length: n }, () => 0.5 + random.uniform());
      const value = coefficients.reduce((sum, each, f) => sum + each * inside[f]!, 0);
      const all = [
        ...conditions,
        { coefficients, bound: value + 0.01, isEquation: false },
        { coefficients: coefficients.map((each) => -each), bound: -value, isEquation: false },
      ];
      const emptied = makeRegion(full(n, -1), full(n, 1), all);
      if (emptied.kind !== 'empty') throw new Error(`not empty: ${seed}`);
      const named = emptied.conflicting.flatMap((row) => (row.kind === 'condition' ? [row.index] : []));
      const isEmptyWith = (indexes: readonly number[]) =>
        makeRegion(
          full(n, -1),
          full(n, 1),
          indexes.map((index) => all[index]!),
        ).kind === 'empty';
      expect(isEmptyWith(named)).toBe(true);
      if (named.every((one) => !isEmptyWith(named.filter((other) => other !== one)))) minimal++;
    }
    expect(minimal).toBeGreaterThanOrEqual(190);
  });

  it('names the bounds that a condition contradicts', () => {
    const sum: LinearCondition = { coefficients: full(2, 1), bound: 3, isEquation: false };
    expect(makeRegion(full(2, 0), full(2, 1), [sum])).toEqual({
      kind: 'empty',
      conflicting: [
        { kind: 'condition', index: 0 },
        { kind: 'bound', feature: expect.any(Number) },
        { kind: 'bound', feature: expect.any(Number) },
      ],
    });
  });

  it('reports the ranges that its conditions leave to the inputs', () => {
    const sum: LinearCondition = { coefficients: full(3, 1), bound: 1, isEquation: true };
    const atLeast: LinearCondition = { coefficients: Float64Array.of(1, 0, 0), bound: 0.3, isEquation: false };
    const ranges = rangesOf(regionOf(makeRegion(full(3, 0), full(3, 1), [sum, atLeast])));
    const expected = [
      [0.3, 1],
      [0, 0.7],
      [0, 0.7],
    ];
    ranges.forEach(([low, high], f) => {
      expect(Math.abs(low - expected[f]![0]!)).toBeLessThan(2e-3);
      expect(Math.abs(high - expected[f]![1]!)).toBeLessThan(2e-3);
    });
  });

  it('keeps a held feature where it is', () => {
    const region = regionOf(makeRegion(Float64Array.of(-1, 0), Float64Array.of(1, 0), []));
    const points = walk(region, makeRandom(1));
    for (let k = 0; k < 10; k++) expect(points.next().value[1]).toBeCloseTo(0, 12);
  });

  it('is walked uniformly: a triangle has its mean at the centre of gravity', () => {
    const below: LinearCondition = { coefficients: full(2, -1), bound: -1, isEquation: false };
    const points = walk(regionOf(makeRegion(full(2, 0), full(2, 1), [below])), makeRandom(7));
    const mean = [0, 0];
    const count = 4_000;
    for (let k = 0; k < count; k++) {
      const u = points.next().value;
      mean[0]! += u[0]! / count;
      mean[1]! += u[1]! / count;
    }
    for (const one of mean) expect(Math.abs(one - 1 / 3)).toBeLessThan(0.02);
  });

  it('without an inside is walked along what is left of it', () => {
    const rows: LinearCondition[] = [
      { coefficients: Float64Array.of(1, 1), bound: 0.5, isEquation: false },
      { coefficients: Float64Array.of(-1, -1), bound: -0.5, isEquation: false },
    ];
    const points = walk(regionOf(makeRegion(full(2, -1), full(2, 1), rows)), makeRandom(3));
    const first = Array.from({ length: 50 }, () => points.next().value);
    for (const u of first) expect(Math.abs(u[0]! + u[1]! - 0.5)).toBeLessThan(1e-9);
    expect(Math.max(...first.map((u) => u[0]!)) - Math.min(...first.map((u) => u[0]!))).toBeGreaterThan(0.5);
  });
});
