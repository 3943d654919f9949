import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Condition, Expression, Variable } from '../../src/optimizer/interface/problem.ts';
import { makeEncoding } from '../../src/optimizer/space/encoding.ts';
import { finiteSpaces, spaces } from './arbitraries.ts';

const floats = (n: number): Variable[] => Array.from({ length: n }, () => ({ kind: 'float', minimum: 0, maximum: 10 }));
const design = (n: number, outputCount: number | null, caseCount: number | null = null, seed = 1) =>
  initialDesign({ space: { variables: floats(n) }, outputCount, caseCount, seed });

describe('the designed cases', () => {
  it.each([
    [3, 5, 3],
    [10, 2, 4],
    [3, null, 3],
    [50, null, 8],
    [50, 40, 8],
    [1, 1, 2],
  ])('for %i inputs and %s outputs number %i', (n, outputs, count) => {
    expect(design(n, outputs).count).toBe(count);
  });

  it('are the same with a limit of work that is enough, and none with another, whatever the constraints are made of', () => {
    const x = (input: number): Expression => ({ kind: 'input', input });
    const number = (value: number): Expression => ({ kind: 'number', value });
    const sum = (of: readonly Expression[]) =>
      of.reduce((left, right) => ({ kind: 'operation', operator: '+', of: [left, right] }));
    const inputs = (n: number) => Array.from({ length: n }, (_, v) => x(v));
    const curved: Condition = {
      left: { kind: 'call', name: 'sin', of: [sum(inputs(4))] },
      relation: '>=',
      right: number(0.5),
    };
    const flat: Condition = { left: sum(inputs(12)), relation: '<=', right: number(0) };
    const whole: Condition = { left: sum(inputs(8)), relation: '=', right: number(37) };
    const integers = floats(8).map((one) => ({ ...one, kind: 'integer' as const }));
    for (const space of [
      { variables: floats(4), conditions: [curved] },
      { variables: floats(12), conditions: [flat] },
      { variables: integers, conditions: [whole] },
    ]) {
      const request = { space, outputCount: null, caseCount: 2, seed: 1 };
      const design = initialDesign(request);
      expect(design.count).toBeGreaterThan(0);
      expect(initialDesign({ ...request, workLimit: 5_000 })).toEqual(design);
      expect(initialDesign({ ...request, workLimit: 0.5 }).region).toEqual({ kind: 'out-of-work' });
    }
  });

  it('number as many as the client asks for', () => {
    expect(design(4, 2, 17).count).toBe(17);
  });

  it.each([
    ['as many as are evaluated at a time', 16, null, 16],
    ['no fewer than one machine gets', 2, null, 4],
    ['as many as the client asks for all the same', 16, 5, 5],
  ])('number %s', (_, atOnce, caseCount, count) => {
    const space = { variables: floats(6) };
    const request = { space, outputCount: null, caseCount, seed: 1 };
    const filled = initialDesign({ ...request, atOnce });
    expect(filled.count).toBe(count);
    // The first ones are those of one machine.
    const { X } = initialDesign(request);
    expect(filled.X.slice(0, X.length)).toEqual(X);
  });

  it('The designed cases start at the centre of the box and stay within 0.4 half widths of it', () => {
    const { X } = design(6, 20, 7);
    expect(Array.from(X.subarray(0, 6))).toEqual([5, 5, 5, 5, 5, 5]);
    for (const x of X) expect(Math.abs(x - 5)).toBeLessThanOrEqual(2 + 1e-12);
  });

  it('lie within the likely ranges but for the last, which lies in the middle of their bounds', () => {
    const outer: Variable = { kind: 'float', minimum: 0, maximum: 10, likely: { minimum: 6, maximum: 10 } };
    const whole: Variable = { kind: 'integer', minimum: 0, maximum: 20, likely: { minimum: 0, maximum: 4 } };
    const free: Variable = { kind: 'float', minimum: 0, maximum: 10 };
    for (let seed = 1; seed <= 20; seed++) {
      const space = { variables: [outer, whole, free] };
      const { X } = initialDesign({ space, outputCount: null, caseCount: 4, seed });
      expect(Array.from(X.subarray(0, 3))).toEqual([8, 2, 5]);
      for (let i = 0; i < 4; i++) {
        const [a, b, c] = X.subarray(3 * i, 3 * i + 3);
        if (i === 3) expect([a, b]).toEqual([5, 10]);
        else expect(Math.max(Math.abs(a! - 8) / 0.8, Math.abs(b! - 2))).toBeLessThanOrEqual(1 + 1e-12);
        expect(Math.abs(c! - 5)).toBeLessThanOrEqual(2 + 1e-12);
      }
    }
  });

  it('stay in the middle of the likely ranges when there is only one', () => {
    const likely: Variable = { kind: 'float', minimum: 0, maximum: 10, likely: { minimum: 6, maximum: 10 } };
    const { X } = initialDesign({ space: { variables: [likely, likely] }, outputCount: null, caseCount: 1, seed: 1 });
    expect(Array.from(X)).toEqual([8, 8]);
  });

  it('lie in mutually orthogonal directions from the centre', () => {
    for (const n of [2, 3, 6, 20]) {
      for (let seed = 1; seed <= 20; seed++) {
        const { X } = design(n, 20, n + 1, seed);
        for (let i = 1; i <= n; i++) {
          for (let k = 1; k < i; k++) {
            let sum = 0;
            for (let v = 0; v < n; v++) sum += (X[i * n + v]! - 5) * (X[k * n + v]! - 5);
            expect(Math.abs(sum)).toBeLessThan(1e-9);
          }
        }
      }
    }
  });

  it('The designed cases are repeatable and differ between seeds', () => {
    expect(design(5, 3, null, 7)).toEqual(design(5, 3, null, 7));
    expect(design(5, 3, null, 7)).not.toEqual(design(5, 3, null, 8));
  });

  it('The designed cases are admissible and all different', () => {
    fc.assert(
      fc.property(spaces, fc.integer({ min: 1, max: 20 }), fc.nat(), (space, caseCount, seed) => {
        const { count, X } = initialDesign({ space, outputCount: null, caseCount, seed });
        const n = space.variables.length;
        const keys = new Set<string>();
        for (let i = 0; i < count; i++) {
          const x = Array.from(X.subarray(i * n, (i + 1) * n));
          keys.add(x.join());
          space.variables.forEach(({ kind, minimum, maximum }, v) => {
            expect(x[v]! >= minimum && x[v]! <= maximum).toBe(true);
            if (kind !== 'float') expect(Number.isInteger(x[v]!)).toBe(true);
          });
        }
        expect(keys.size).toBe(count);
      }),
    );
  });

  it('The cases that continue a design whose cases failed are admissible, repeatable, and none of these', () => {
    fc.assert(
      fc.property(spaces, fc.integer({ min: 1, max: 5 }), fc.nat(), (space, caseCount, seed) => {
        const request = { space, outputCount: null, caseCount, seed };
        const { count: first, X: failed } = initialDesign(request);
        const { count, X } = initialDesign({ ...request, failed });
        expect(initialDesign({ ...request, failed }).X).toEqual(X);
        const n = space.variables.length;
        const rowsOf = (cases: Float64Array) =>
          Array.from({ length: cases.length / n }, (_, i) => Array.from(cases.subarray(i * n, (i + 1) * n)));
        expect(new Set([...rowsOf(failed), ...rowsOf(X)].map(String)).size).toBe(first + count);
        const isInside = (x: number[]) =>
          space.variables.every((one, v) => x[v]! >= one.minimum && x[v]! <= one.maximum);
        expect(rowsOf(X).every(isInside)).toBe(true);
      }),
    );
  });

  it('The cases that continue a design leave the likely ranges and keep to the conditions', () => {
    const likely = { minimum: 4, maximum: 5 };
    const variables: Variable[] = floats(2).map((one) => ({ ...one, likely }));
    const x = (input: number): Expression => ({ kind: 'input', input });
    const sum: Expression = { kind: 'operation', operator: '+', of: [x(0), x(1)] };
    const conditions: Condition[] = [{ left: sum, relation: '<=', right: { kind: 'number', value: 12 } }];
    const request = { space: { variables, conditions }, outputCount: null, caseCount: 8, seed: 1 };
    const { X } = initialDesign({ ...request, failed: Float64Array.of(4.5, 4.5, 4.2, 4.8) });
    const rows = Array.from({ length: 8 }, (_, i) => [X[2 * i]!, X[2 * i + 1]!]);
    expect(rows.every(([a, b]) => a! + b! <= 12)).toBe(true);
    expect(rows.filter((row) => row.some((one) => one < 4 || one > 5)).length).toBeGreaterThan(6);
  });

  it('The designed cases are all points of a finite space that has fewer than asked for', () => {
    fc.assert(
      fc.property(finiteSpaces, (space) => {
        const { count } = initialDesign({ space, outputCount: null, caseCount: 200, seed: 3 });
        expect(count).toBe(Math.min(200, makeEncoding(space).size));
      }),
    );
  });

  it('The designed cases under conditions are as many as asked for, all different', () => {
    const input = (index: number) => ({ kind: 'input', input: index }) as const;
    const sum = { kind: 'operation', operator: '+', of: [input(0), input(1)] } as const;
    const conditions: Condition[] = [{ left: sum, relation: '<=', right: { kind: 'number', value: 1 } }];
    const floats: Variable[] = Array.from({ length: 2 }, () => ({ kind: 'float', minimum: 0, maximum: 1 }));
    const design = initialDesign({
      space: { variables: floats, conditions },
      outputCount: null,
      caseCount: 2_500,
      seed: 1,
    });
    expect(design.count).toBe(2_500);
    const rows = Array.from({ length: 2_500 }, (_, i) => [design.X[2 * i]!, design.X[2 * i + 1]!] as const);
    expect(new Set(rows.map((row) => row.join())).size).toBe(2_500);
    for (const [a, b] of rows) expect(a + b).toBeLessThanOrEqual(1 + 1e-9);
    const integers: Variable[] = Array.from({ length: 2 }, () => ({ kind: 'integer', minimum: 0, maximum: 9 }));
    const few = { ...conditions[0]!, right: { kind: 'number', value: 5 } } as const;
    const finite = { space: { variables: integers, conditions: [few] }, outputCount: null, caseCount: 100, seed: 1 };
    expect(initialDesign(finite).count).toBe(21);
  });
});
