/** Whether expressions over the inputs are linear, and the coefficients of those that are. */

import type { Expression, FunctionName, Operator } from '../interface/problem.ts';

/** A linear expression: the sum of coefficient times input, plus a constant. */
export interface LinearForm {
  readonly constant: number;
  readonly coefficients: ReadonlyMap<number, number>;
}

/** The linear form of an expression that is written as one; null for any other, also one that is linear by chance. */
export function linearFormOf(expression: Expression): LinearForm | null {
  return ownFormOf(expression);
}

/** A form of which nobody else holds the map. */
interface OwnForm {
  readonly constant: number;
  readonly coefficients: Map<number, number>;
}

function ownFormOf(expression: Expression): OwnForm | null {
  if (expression.kind === 'number') return { constant: expression.value, coefficients: new Map() };
  if (expression.kind === 'input') return { constant: 0, coefficients: new Map([[expression.input, 1]]) };
  const forms = expression.of.map(ownFormOf);
  if (forms.includes(null)) return null;
  const parts = forms as readonly OwnForm[];
  if (parts.every(isConstant)) {
    const values = parts.map(({ constant }) => constant);
    const constant =
      expression.kind === 'call'
        ? callFunction(expression.name, values)
        : operate(expression.operator, values[0]!, values[1]!);
    return Number.isFinite(constant) ? { constant, coefficients: new Map() } : null;
  }
  if (expression.kind === 'call') return null;
  const [left, right] = parts as readonly [OwnForm, OwnForm];
  switch (expression.operator) {
    case '+':
      return combine(left, right, 1);
    case '-':
      return combine(left, right, -1);
    case '*':
      if (isConstant(left)) return times(right, left.constant);
      return isConstant(right) ? times(left, right.constant) : null;
    case '/':
      return isConstant(right) && right.constant !== 0 ? times(left, 1 / right.constant) : null;
    case '^':
      return isConstant(right) && right.constant === 1 ? left : null;
  }
}

function callFunction(name: FunctionName, values: readonly number[]): number {
  return (Math[name] as (...of: readonly number[]) => number)(...values);
}

function operate(operator: Operator, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '^':
      return a ** b;
  }
}

function isConstant({ coefficients }: LinearForm): boolean {
  return coefficients.size === 0;
}

function times({ constant, coefficients }: OwnForm, factor: number): OwnForm {
  return {
    constant: constant * factor,
    coefficients: new Map(Array.from(coefficients, ([input, value]) => [input, value * factor])),
  };
}

/** a + factor b, in the map of a: a new one for each summand would take the square of their number. */
function combine(a: OwnForm, b: OwnForm, factor: number): OwnForm {
  const { coefficients } = a;
  for (const [input, value] of b.coefficients) {
    const sum = (coefficients.get(input) ?? 0) + factor * value;
    if (sum === 0) coefficients.delete(input);
    else coefficients.set(input, sum);
  }
  return { constant: a.constant + factor * b.constant, coefficients };
}
