import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoxProgram } from '../../../src/optimizer/constraints/box-program.ts';
import { solveQuadratic } from '../../../src/optimizer/constraints/quadratic-program.ts';
import { conditionParts, rowsOf } from '../../../src/optimizer/constraints/region.ts';
import { choleskyInPlace, invertLower, solveWithFactor } from '../../../src/optimizer/linalg/cholesky.ts';
import { makeRandom } from '../../../src/optimizer/numerics/random.ts';

/** A program around a point of its region: rows, box and curvature drawn from a seed. */
function draw(n: number, equations: number, inequalities: number, seed: number) {
  const random = makeRandom(seed, 5);
  const normals = (length: number) => Float64Array.from({ length }, () => random.normal());
  const u = Float64Array.from({ length: n }, () => 2 * random.uniform() - 1);
  const conditions = Array.from({ length: equations + inequalities }, (_, i) => {
    const coefficients = normals(n);
    const value = coefficients.reduce((sum, one, f) => sum + one * u[f]!, 0);
    const isEquation = i < equations;
    return { coefficients, bound: isEquation ? value : value - random.uniform(), isEquation };
  });
  const count = 1 + random.below(4);
  const curvature = {
    diagonal: Float64Array.from({ length: n }, () => 0.1 + random.uniform()),
    B: normals(count * n),
    count,
    M: null,
  };
  const { general } = conditionParts(conditions, n);
  const program = new BoxProgram(general, new Float64Array(n).fill(-1), new Float64Array(n).fill(1));
  return { u, g: normals(n).map((one) => 5 * one), curvature, program };
}

describe('a program in a box', () => {
  it('has the solution that the method of one row at a time finds, whenever it ends, which it does for most', () => {
    let ended = 0;
    let asked = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }),
        fc.nat(2),
        fc.nat(4),
        fc.nat(),
        (n, equations, inequalities, seed) => {
          const { u, g, curvature, program } = draw(n, Math.min(equations, n - 1), inequalities, seed);
          const found = program.solve(curvature, u, g);
          asked++;
          if (found === null) return;
          ended++;
          const H = new Float64Array(n * n);
          for (let a = 0; a < n; a++) {
            H[a * n + a] = curvature.diagonal[a]!;
            for (let b = 0; b < n; b++) {
              for (let j = 0; j < curvature.count; j++)
                H[a * n + b]! += curvature.B[j * n + a]! * curvature.B[j * n + b]!;
            }
          }
          choleskyInPlace(H, n);
          const start = g.slice();
          solveWithFactor(H, n, start);
          const inverse = new Float64Array(n * n);
          invertLower(H, n, inverse);
          const exact = solveQuadratic(
            inverse,
            start.map((one, f) => one + u[f]!),
            rowsOf(program),
          );
          if (exact.kind !== 'solved') throw new Error('no solution');
          for (let f = 0; f < n; f++) expect(found[f]).toBeCloseTo(exact.x[f]!, 6);
          expect(program.holdsAt(found)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
    expect(ended).toBeGreaterThan(0.5 * asked);
  });

  it('leaves a point of its own where it is, and tells rows that no point of the box meets', () => {
    const { u, program } = draw(5, 1, 2, 3);
    expect(program.project(u)).toEqual(u);
    const far = conditionParts([{ coefficients: Float64Array.of(1, 1), bound: 3, isEquation: false }], 2).general;
    expect(new BoxProgram(far, Float64Array.of(0, 0), Float64Array.of(1, 1)).isPlainlyEmpty()).toBe(true);
    expect(new BoxProgram(far, Float64Array.of(0, 0), Float64Array.of(2, 1)).isPlainlyEmpty()).toBe(false);
  });
});
