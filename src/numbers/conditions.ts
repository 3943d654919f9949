/**
 * Conditions on inputs, and whether an input satisfies one up to roundings. Inputs have natural units.
 *
 * What is judged is data: an input with rounded decimals, or one that a program calculated. What is handed out is held to more
 * (optimizer/constraints/inwards.ts).
 */

/** The functions of an expression. */
export type FunctionName = 'sqrt' | 'exp' | 'log' | 'log10' | 'sin' | 'cos' | 'tan' | 'atan' | 'abs' | 'min' | 'max';
export type Operator = '+' | '-' | '*' | '/' | '^';

/** An expression over the inputs. Safe for JSON. `input` is the index of an input; an operation has two operands, a call one or more. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'input'; readonly input: number }
  | { readonly kind: 'operation'; readonly operator: Operator; readonly of: readonly Expression[] }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly of: readonly Expression[] };

/**
 * One condition on the inputs, in natural units. Linear ones may be equations; others are inequalities. Categories stand in
 * no condition.
 */
export interface Condition {
  readonly left: Expression;
  readonly relation: '<=' | '>=' | '=';
  readonly right: Expression;
}

/** The bounds of an input. */
interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** Violation, as a share of the terms of a condition, up to which it holds. */
const TOLERANCE = 1e-9;
/**
 * The same as a share of what its terms are elsewhere in the box: at an input that should be 0 a rounding is as large as all
 * terms together. In proportion to the condition, so that it means the same in farad and in femtofarad.
 */
const FLOOR = 1e-12;
/** Inputs of the box at which the terms are looked at. */
const LOOKS = 31;
/** From this quotient of positive bounds on, an input varies by factors rather than by differences. */
const WIDE = 1_000;

/** By how much the difference of the two sides violates a relation; negative where it leaves room. */
const EXCESS: Readonly<Record<Condition['relation'], (difference: number) => number>> = {
  '=': Math.abs,
  '<=': (difference) => difference,
  '>=': (difference) => -difference,
};

/** Whether the input x satisfies a condition up to roundings. @param box one range per input */
export function isConditionMet(
  { left, relation, right }: Condition,
  x: ArrayLike<number>,
  box: readonly Range[],
): boolean {
  const [a, b] = [evaluate(left, x), evaluate(right, x)];
  const excess = EXCESS[relation](a.value - b.value);
  // NaN and infinities are no values.
  if (!Number.isFinite(excess)) return false;
  if (excess <= TOLERANCE * Math.max(a.terms, b.terms)) return true;
  return excess <= FLOOR * typicalTerms(left, right, box);
}

/** The larger one of the sums of the terms of the two sides, to which roundings are in proportion. */
export function termsOf({ left, right }: Pick<Condition, 'left' | 'right'>, x: ArrayLike<number>): number {
  return Math.max(evaluate(left, x).terms, evaluate(right, x).terms);
}

/** The median of the terms over the box; 0 where they have no values. */
function typicalTerms(left: Expression, right: Expression, box: readonly Range[]): number {
  const found = Array.from({ length: LOOKS }, (_, k) =>
    termsOf(
      { left, right },
      box.map((range, v) => valueIn(range, shareOf(k, v))),
    ),
  ).filter(Number.isFinite);
  return found.sort((a, b) => a - b)[found.length >> 1] ?? 0;
}

/** From 0 to 1, evenly spread over the looks for each input, in an order that differs from input to input. */
function shareOf(look: number, input: number): number {
  return ((look * ((input % (LOOKS - 1)) + 1)) % LOOKS) / (LOOKS - 1);
}

function valueIn({ minimum, maximum }: Range, share: number): number {
  if (minimum > 0 && maximum >= WIDE * minimum) return minimum * (maximum / minimum) ** share;
  return (1 - share) * minimum + share * maximum;
}

/** A value with the sum of the magnitudes of its terms, to which roundings are in proportion. */
interface Sized {
  readonly value: number;
  readonly terms: number;
}

function evaluate(expression: Expression, x: ArrayLike<number>): Sized {
  if (expression.kind === 'number') return sized(expression.value);
  if (expression.kind === 'input') return sized(x[expression.input]!);
  const of = expression.of.map((operand) => evaluate(operand, x));
  if (expression.kind === 'call') {
    return sized((Math[expression.name] as (...values: readonly number[]) => number)(...of.map(({ value }) => value)));
  }
  const [a, b] = of as [Sized, Sized];
  switch (expression.operator) {
    case '+':
      return { value: a.value + b.value, terms: a.terms + b.terms };
    case '-':
      return { value: a.value - b.value, terms: a.terms + b.terms };
    case '*':
      return { value: a.value * b.value, terms: a.terms * b.terms };
    case '/':
      return { value: a.value / b.value, terms: a.terms / Math.abs(b.value) };
    case '^':
      return sized(a.value ** b.value);
  }
}

function sized(value: number): Sized {
  return { value, terms: Math.abs(value) };
}
