import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParseResult, parseCondition } from '../../../src/domain/problem/expression.ts';
import { linearFormOf } from '../../../src/optimizer/constraints/expression.ts';
import { Program } from '../../../src/optimizer/constraints/program.ts';
import type { Expression } from '../../../src/optimizer/interface/problem.ts';

const INPUTS = new Map([
  ['a', 0],
  ['b', 1],
  ['c', 2],
]);

function left(text: string) {
  const parsed = parseCondition(`${text} <= 1`, INPUTS);
  if (parsed.kind === 'refused') throw new Error(parsed.fault.message);
  return parsed.condition.left;
}

/** The value, from the definition of each operation. */
function treeAt(expression: Expression, x: readonly number[]): number {
  if (expression.kind === 'number') return expression.value;
  if (expression.kind === 'input') return x[expression.input]!;
  const of = expression.of.map((one) => treeAt(one, x));
  const [a, b] = of as [number, number];
  if (expression.kind === 'call') return (Math[expression.name] as (...values: number[]) => number)(...of);
  return { '+': a + b, '-': a - b, '*': a * b, '/': a / b, '^': a ** b }[expression.operator];
}

/** Numbers, inputs, and operands of operations and functions. */
function countOf(expression: Expression): number {
  if (expression.kind === 'number' || expression.kind === 'input') return 1;
  return expression.of.reduce((sum, one) => sum + 1 + countOf(one), 0);
}

const at = (text: string, ...x: number[]) => new Program(left(text)).at(Float64Array.from(x));

describe('an expression', () => {
  it.each([
    ['2 + 3 * 4', 14],
    ['(2 + 3) * 4', 20],
    ['2 - 3 - 4', -5],
    ['12 / 3 / 2', 2],
    ['-2 ^ 2', -4],
    ['(-2) ^ 2', 4],
    ['2 ^ 3 ^ 2', 512],
    ['2 ^ -1', 0.5],
    ['- -3', 3],
    ['+3 - -3', 6],
    ['.5 + 1e3 + 2.', 1002.5],
    ['min(3, 1, 2) + max(4, 5)', 6],
    ['sqrt(abs(-16)) + log10(1000) + log(exp(2))', 9],
    ['sin(0) + cos(0) + tan(0) + atan(0)', 1],
    ['a - 2*b + c^2', 1 - 4 + 9],
  ])('%s is %d', (text, expected) => {
    expect(at(text, 1, 2, 3)).toBeCloseTo(expected, 12);
  });

  it('has the same bits as its tree, operation by operation, and work that grows with its size', () => {
    const { operation } = fc.letrec<{ operation: Expression; leaf: Expression }>((tie) => ({
      leaf: fc.oneof(
        fc.double().map((value) => ({ kind: 'number' as const, value })),
        fc.nat(2).map((input) => ({ kind: 'input' as const, input })),
      ),
      operation: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        tie('leaf'),
        fc.record({
          kind: fc.constant('operation' as const),
          operator: fc.constantFrom('+', '-', '*', '/', '^'),
          of: fc.tuple(tie('operation'), tie('operation')),
        }),
        fc.record({
          kind: fc.constant('call' as const),
          name: fc.constantFrom('min', 'max'),
          of: fc.array(tie('operation'), { minLength: 2, maxLength: 4 }),
        }),
        fc.record({
          kind: fc.constant('call' as const),
          name: fc.constantFrom('sqrt', 'exp', 'log', 'log10', 'sin', 'cos', 'tan', 'atan', 'abs'),
          of: fc.tuple(tie('operation')),
        }),
      ),
    }));
    fc.assert(
      fc.property(operation, fc.array(fc.double(), { minLength: 3, maxLength: 3 }), (one, x) => {
        const program = new Program(one);
        expect(program.at(Float64Array.from(x))).toBe(treeAt(one, x));
        expect(program.flops).toBeLessThanOrEqual(40 * countOf(one));
      }),
      { numRuns: 500 },
    );
  });

  it.each(['1 / (a - a)', 'log(0 - a)', 'sqrt(0 - a)', '0 / (a - a)', 'exp(1000 * a)'])(
    '%s has no finite value',
    (text) => {
      expect(Number.isFinite(at(text, 1))).toBe(false);
    },
  );

  it('that is written as a sum of multiples has these as its linear form', () => {
    const form = linearFormOf(left('(a + 2*(b - 3)) / 4 - log(exp(1)) * c + a'))!;
    expect([...form.coefficients]).toEqual([
      [0, 1.25],
      [1, 0.5],
      [2, -1],
    ]);
    expect(form.constant).toBe(-1.5);
  });

  it.each(['a*b', 'a / b', 'a^2', 'sin(a)', 'min(a, b)', '1 / a', 'a / 0'])('%s has no linear form', (text) => {
    expect(linearFormOf(left(text))).toBeNull();
  });
});

describe('a condition', () => {
  const refused = (parsed: ParseResult) => (parsed.kind === 'refused' ? parsed.fault : undefined);

  it.each([
    ['', 'expected a number, a name or (, found the end', 0],
    ['a + b', 'expected <=, >= or =, found the end', 5],
    ['a < 1', 'write <= instead of <: floating-point inputs cannot be told from the limit', 2],
    ['a <= 1 <= b', 'expected the end, found <=', 7],
    ['2a <= 1', 'expected <=, >= or =, found a', 1],
    ['a.b <= 1', '"." has no meaning here', 1],
    ['a[0] <= 1', '"[" has no meaning here', 1],
    ['`a` <= 1', '"`" has no meaning here', 0],
    ['sqrt(a, b) <= 1', 'sqrt takes 1 argument, has 2', 0],
    ['max(a) <= 1', 'max takes 2 to 20 arguments, has 1', 0],
    ['a <= 1e999', '1e999 is too large', 5],
    ['T <= 1', 'there is no input T', 0],
    ['(a <= 1', 'expected ), found <=', 3],
    [`${'('.repeat(100)}a`, 'is nested more than 60 levels deep', 60],
    [`${'-'.repeat(1_000)}a`, 'is nested more than 60 levels deep', 60],
    [`${'a + '.repeat(300)}a <= 1`, 'has more than 500 numbers, names and operators', 1_002],
    ['a'.repeat(1_000_000), 'has 1000000 characters, may have 2000', 2_000],
  ])('that reads %.30s is refused with its fault and its position', (text, message, position) => {
    expect(refused(parseCondition(text, INPUTS))).toMatchObject({ message, position });
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'cannot call or name %s, which every object has',
    (name) => {
      expect(refused(parseCondition(`${name}(1) <= 1`, INPUTS))?.message).toMatch(/^there is no function/);
      expect(refused(parseCondition(`${name} <= 1`, INPUTS))).toMatchObject({ unknownName: name });
    },
  );

  it('is parsed or refused, and never throws, whatever the text', () => {
    const pieces = fc.constantFrom('a', 'b', '1', '2.5e3', '+', '-', '*', '/', '^', '(', ')', ',', '<=', '=', 'sqrt(');
    // The units of fast-check take a second to list all code points.
    const unit = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));
    const text = fc.oneof(
      fc.string({ unit }),
      fc.array(pieces, { maxLength: 40 }).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(text, (one) => {
        const parsed = parseCondition(one, INPUTS);
        if (parsed.kind === 'parsed') new Program(parsed.condition.left).at(Float64Array.of(1, 2, 3));
        else expect(parsed.fault.position).toBeLessThanOrEqual(one.length);
      }),
      { numRuns: 500 },
    );
  });

  it('is parsed or refused within its limits, also when it is long and made to be slow', () => {
    const pieces = [
      'a',
      '1',
      '.',
      '1e999',
      '+',
      '-',
      '*',
      '/',
      '^',
      '(',
      ')',
      ',',
      '<=',
      '=',
      '<',
      'sqrt(',
      'min(',
      '"',
    ];
    const names = [
      'constructor',
      '__proto__',
      'toString(',
      '\u2028',
      '\ud800',
      '\u{1f600}',
      ' '.repeat(50),
      '9'.repeat(50),
    ];
    const piece = fc.constantFrom(...pieces, ...names);
    const text = fc.oneof(
      fc.tuple(piece, piece).map(([first, one]) => first + one.repeat(2_000)),
      fc.array(piece, { minLength: 1, maxLength: 2_000, size: 'max' }).map((all) => all.join('')),
      fc
        .array(fc.constantFrom('+', '-', '*', '/', '^'), { maxLength: 990, size: 'max' })
        .map((all) => `a${all.join('b')}b`),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 2_000 }), (one, length) => {
        const sent = one.slice(0, length);
        const parsed = parseCondition(sent, INPUTS);
        if (parsed.kind === 'parsed') linearFormOf(parsed.condition.left);
        else expect(parsed.fault.position).toBeLessThanOrEqual(sent.length);
      }),
      { numRuns: 500 },
    );
  });

  it('of many summands has the sum of their coefficients as its linear form', () => {
    const parsed = parseCondition('a + 2*b - (a - 3*c) + 0*b + 1 <= 4 - b', INPUTS);
    if (parsed.kind === 'refused') throw new Error(parsed.fault.message);
    const form = linearFormOf(parsed.condition.left);
    expect(form).toEqual({
      constant: 1,
      coefficients: new Map([
        [1, 2],
        [2, 3],
      ]),
    });
    expect(linearFormOf(parsed.condition.left)).toEqual(form);
  });
});
