/** Whether an input satisfies conditions: the check before anything is handed out, independent of the search. */
import type { Condition, Expression } from '../optimizer/problem.ts';

/** Violation, relative to the terms of the condition and at least 1, up to which it holds. */
const TOLERANCE = 1e-9;

/** Whether the input, length n in natural units, satisfies every condition. */
export function areConditionsMet(conditions: readonly Condition[], input: ArrayLike<number>): boolean {
  return conditions.every((condition) => isConditionMet(condition, input));
}

function isConditionMet({ left, relation, right }: Condition, input: ArrayLike<number>): boolean {
  const [a, b] = [evaluate(left, input), evaluate(right, input)];
  const excess =
    relation === '=' ? Math.abs(a.value - b.value) : relation === '<=' ? a.value - b.value : b.value - a.value;
  // NaN and infinities are no values.
  return Number.isFinite(excess) && excess <= TOLERANCE * Math.max(1, a.terms, b.terms);
}

/** A value with the sum of the magnitudes of its terms, to which roundings are in proportion. */
interface Sized {
  readonly value: number;
  readonly terms: number;
}

function evaluate(expression: Expression, input: ArrayLike<number>): Sized {
  if (expression.kind === 'number') return sized(expression.value);
  if (expression.kind === 'input') return sized(input[expression.input]!);
  const of = expression.of.map((operand) => evaluate(operand, input));
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
