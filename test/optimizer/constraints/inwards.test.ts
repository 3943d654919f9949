/** Conditions hold in the inputs that are handed out, as a program of the user evaluates them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { within } from '../../../harness/optimizer-game.ts';
import { parseCondition } from '../../../src/domain/problem/expression.ts';
import { initialDesign } from '../../../src/optimizer/initial-design.ts';
import type { Condition, Space, SuggestRequest, Variable } from '../../../src/optimizer/interface/problem.ts';
import { suggest } from '../../../src/optimizer/suggest.ts';

const float = (minimum: number, maximum: number, isLogarithmic = false): Variable => ({
  kind: 'float',
  minimum,
  maximum,
  ...(isLogarithmic && { isLogarithmic }),
});
const bool: Variable = { kind: 'boolean', minimum: 0, maximum: 1 };

function parse(text: string, n: number): Condition {
  const names = new Map(Array.from({ length: n }, (_, v) => [`x${v + 1}`, v]));
  const parsed = parseCondition(text, names);
  if (parsed.kind === 'refused') throw new Error(parsed.fault.message);
  return parsed.condition;
}

/** The sides as a program evaluates them, from left to right. */
function sidesOf(text: string, x: ArrayLike<number>): [left: number, right: number] {
  const names = Array.from(x, (_, v) => `x${v + 1}`);
  return text.split(/<=|>=|=/).map((side) => {
    const code = side.replaceAll('^', '**').replace(/sqrt|exp|log|abs|max|min/g, 'Math.$&');
    return new Function(...names, `return ${code}`)(...Array.from(x)) as number;
  }) as [number, number];
}

/** Inequalities to the last bit, equations to two bits of the largest term. */
function expectKept(texts: readonly string[], x: Float64Array): void {
  for (const text of texts) {
    const [left, right] = sidesOf(text, x);
    const isKept = () => {
      if (text.includes('<=')) return left <= right;
      if (text.includes('>=')) return left >= right;
      return Math.abs(left - right) <= 2 ** -51 * Math.max(...x.map(Math.abs), Math.abs(right));
    };
    if (!isKept()) expect.fail(`${text}: ${left} and ${right} at ${JSON.stringify(Array.from(x))}`);
  }
}

interface Kind {
  readonly variables: readonly Variable[];
  readonly constraints: readonly string[];
}

const shares = (count: number) => Array.from({ length: count }, (_, v) => `x${v + 1}`).join(' + ');

const kinds: Record<string, Kind> = {
  'a sum at least 5': { variables: [float(0, 7), float(0, 3.3)], constraints: ['x1 + x2 >= 5', 'x1 - 0.1*x2 <= 3.1'] },
  'shares of which some are switched off': {
    variables: [...Array.from({ length: 6 }, () => float(0, 1)), ...Array.from({ length: 6 }, () => bool)],
    constraints: [
      `${shares(6)} = 1`,
      'x7 + x8 + x9 + x10 + x11 + x12 <= 3',
      ...[1, 2, 3, 4, 5, 6].map((v) => `x${v} <= x${v + 6}`),
    ],
  },
  'a mixture with steps and ratios': {
    variables: [float(0, 1), float(0, 1), { ...float(0, 0.4), step: 0.05 }, float(5, 480, true)],
    constraints: [`${shares(3)} = 1`, 'x2 >= 0.1*x1', 'x2 <= 0.6*x1'],
  },
  'several equations that share inputs': {
    variables: Array.from({ length: 5 }, () => float(-1_000, 1_000)),
    constraints: [`${shares(5)} = 5`, 'x3 - 2*(x4 + x5) = -3', 'x1 <= 0.7*x2'],
  },
  'a border that is curved': {
    variables: [float(-2, 2), float(-2, 2)],
    constraints: ['x1^2 + x2^2 <= 1', 'exp(x1) >= 0.5 + x2'],
  },
  'products in farad': {
    variables: [float(1, 1_000, true), float(1e-15, 1e-12, true), float(1, 1_000, true), float(1e-15, 1e-12, true)],
    constraints: ['x1*x2 <= x3*x4', 'x2 + x4 <= 3e-13'],
  },
  'equal inputs': {
    variables: [float(0, 1), float(0.1, 0.9), { kind: 'integer', minimum: 0, maximum: 9 }],
    constraints: ['x1 <= x2', 'x1 >= x2', 'x3/10 + x1 <= 0.9'],
  },
  'a ladder of inequalities': {
    variables: Array.from({ length: 8 }, () => float(0, 10)),
    constraints: [...[1, 2, 3, 4, 5, 6, 7].map((v) => `x${v} <= 0.7*x${v + 1}`), `${shares(8)} >= 20.3`],
  },
};

/** Outputs whose targets lie beyond the borders, which draws suggestions to them. */
function requestOf(space: Space, rows: readonly Float64Array[], seed: number): SuggestRequest {
  const n = space.variables.length;
  const outputs = rows.map((x) => {
    const u = space.variables.map(({ minimum, maximum }, v) => (x[v]! - minimum) / (maximum - minimum));
    return [u.reduce((sum, one, v) => sum + Math.cos(seed + v) * one, 0), u[seed % n]! - 0.3 * u[(seed + 1) % n]!];
  });
  return {
    space,
    goal: { targets: [within(1.7 * (seed % 2 === 0 ? 1 : -1), 0.01), within(0.9, 0.01)], l1: null },
    history: {
      count: rows.length,
      X: Float64Array.from(rows.flatMap((x) => Array.from(x))),
      Y: Float64Array.from(outputs.flat()),
      failed: new Uint8Array(rows.length),
    },
    firstSuggested: 0,
    convergence: 1e-6,
    seed,
    workLimit: 60,
  };
}

describe('designed and suggested inputs', () => {
  it.each(Object.entries(kinds))('keep %s to the last bit', (_, { variables, constraints }) => {
    const space = { variables, conditions: constraints.map((text) => parse(text, variables.length)) };
    fc.assert(
      fc.property(fc.nat({ max: 1_000 }), (seed) => {
        const { X, count } = initialDesign({ space, outputCount: null, caseCount: 6, seed });
        const n = variables.length;
        const rows = Array.from({ length: count }, (_, i) => X.slice(i * n, (i + 1) * n));
        for (let k = 0; k < 3; k++) {
          const proposal = suggest(requestOf(space, rows, seed));
          if (proposal.kind !== 'candidate') break;
          rows.push(Float64Array.from(proposal.input));
        }
        for (const x of rows) {
          expectKept(constraints, x);
          variables.forEach(({ minimum, maximum, kind }, v) => {
            expect(x[v]! >= minimum && x[v]! <= maximum && (kind === 'float' || Number.isInteger(x[v]!))).toBe(true);
          });
        }
      }),
      { numRuns: 2 },
    );
  });

  it('are exactly 0 where a share is switched off', () => {
    const { variables, constraints } = kinds['shares of which some are switched off']!;
    const space = { variables, conditions: constraints.map((text) => parse(text, variables.length)) };
    const { X, count } = initialDesign({ space, outputCount: null, caseCount: 40, seed: 3 });
    let off = 0;
    for (let i = 0; i < count; i++) {
      const x = X.subarray(i * 12, (i + 1) * 12);
      for (let v = 0; v < 6; v++) if (x[v + 6] === 0) off += x[v] === 0 ? 1 : Number.NaN;
    }
    expect(off).toBeGreaterThan(100);
  });

  it('leave out steps whose sum breaks a bound by a rounding, unless there is nothing else', () => {
    const tenths: Variable = { kind: 'float', minimum: 0, maximum: 0.3, step: 0.1 };
    const broken = { variables: [tenths, tenths], conditions: [parse('x1 + x2 <= 0.3', 2)] };
    const { X, count } = initialDesign({ space: broken, outputCount: null, caseCount: 20, seed: 1 });
    for (let i = 0; i < count; i++) expectKept(['x1 + x2 <= 0.3'], X.subarray(2 * i, 2 * i + 2));
    // 0.1 + 0.2 is 0.30000000000000004 in doubles.
    expect(count).toBe(8);
    const single = {
      variables: [
        { ...tenths, minimum: 0.1, maximum: 0.1 },
        { ...tenths, minimum: 0.2, maximum: 0.2 },
      ],
    };
    const only = initialDesign({
      space: { ...single, conditions: broken.conditions },
      outputCount: null,
      caseCount: 3,
      seed: 1,
    });
    expect(Array.from(only.X)).toEqual([0.1, 0.2]);
  });
});
