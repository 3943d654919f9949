/**
 * Expressions over the inputs, as plain data: their value, their gradient, and whether they are linear.
 */

import type { Expression, FunctionName, Operator } from '../problem.ts';

/** The value at x, length n in natural units; NaN or infinite where the expression has none. */
export function evaluate(expression: Expression, x: Float64Array): number {
  if (expression.kind === 'number') return expression.value;
  if (expression.kind === 'input') return x[expression.input]!;
  const values = expression.of.map((operand) => evaluate(operand, x));
  return expression.kind === 'call' ? callFunction(expression.name, values) : operate(expression.operator, values);
}

/**
 * The value at x, with its gradient added to `gradient` (both length n) times `factor`. Where a function has a kink
 * (abs at 0, min and max at ties) the gradient is that of one side.
 *
 * Reverse mode: the derivative of the whole with respect to each operand is handed down, so an input that occurs k times
 * collects k summands. Source: Griewank and Walther, Evaluating Derivatives, 2nd ed. (2008), section 3.2.
 */
export function addGradient(expression: Expression, x: Float64Array, factor: number, gradient: Float64Array): number {
  if (expression.kind === 'number') return expression.value;
  if (expression.kind === 'input') {
    gradient[expression.input]! += factor;
    return x[expression.input]!;
  }
  const values = expression.of.map((operand) => evaluate(operand, x));
  const partials =
    expression.kind === 'call' ? callPartials(expression.name, values) : partialsOf(expression.operator, values);
  expression.of.forEach((operand, k) => {
    // 0 times an infinite slope elsewhere would spoil the sum.
    if (partials[k] !== 0) addGradient(operand, x, factor * partials[k]!, gradient);
  });
  return expression.kind === 'call' ? callFunction(expression.name, values) : operate(expression.operator, values);
}

function partialsOf(operator: Operator, values: readonly number[]): readonly number[] {
  const [a, b] = values as readonly [number, number];
  switch (operator) {
    case '+':
      return [1, 1];
    case '-':
      return [1, -1];
    case '*':
      return [b, a];
    case '/':
      return [1 / b, -a / (b * b)];
    case '^':
      return [b === 0 ? 0 : b * a ** (b - 1), a > 0 ? a ** b * Math.log(a) : 0];
  }
}

function callPartials(name: FunctionName, values: readonly number[]): readonly number[] {
  const [a] = values as readonly [number];
  switch (name) {
    case 'sqrt':
      return [0.5 / Math.sqrt(a)];
    case 'exp':
      return [Math.exp(a)];
    case 'log':
      return [1 / a];
    case 'log10':
      return [1 / (a * Math.LN10)];
    case 'sin':
      return [Math.cos(a)];
    case 'cos':
      return [-Math.sin(a)];
    case 'tan':
      return [1 + Math.tan(a) ** 2];
    case 'atan':
      return [1 / (1 + a * a)];
    case 'abs':
      return [Math.sign(a)];
    case 'min':
    case 'max': {
      const chosen = values.indexOf(Math[name](...values));
      return values.map((_, k) => (k === chosen ? 1 : 0));
    }
  }
}

/** A linear expression: the sum of coefficient times input, plus a constant. */
export interface LinearForm {
  readonly constant: number;
  readonly coefficients: ReadonlyMap<number, number>;
}

/** The linear form of an expression that is written as one; null for any other, also one that is linear by chance. */
export function linearFormOf(expression: Expression): LinearForm | null {
  if (expression.kind === 'number') return { constant: expression.value, coefficients: new Map() };
  if (expression.kind === 'input') return { constant: 0, coefficients: new Map([[expression.input, 1]]) };
  const forms = expression.of.map(linearFormOf);
  if (forms.includes(null)) return null;
  const parts = forms as readonly LinearForm[];
  if (parts.every(isConstant)) {
    const values = parts.map(({ constant }) => constant);
    const constant =
      expression.kind === 'call' ? callFunction(expression.name, values) : operate(expression.operator, values);
    return Number.isFinite(constant) ? { constant, coefficients: new Map() } : null;
  }
  if (expression.kind === 'call') return null;
  const [left, right] = parts as readonly [LinearForm, LinearForm];
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

function operate(operator: Operator, [a, b]: readonly number[]): number {
  switch (operator) {
    case '+':
      return a! + b!;
    case '-':
      return a! - b!;
    case '*':
      return a! * b!;
    case '/':
      return a! / b!;
    case '^':
      return a! ** b!;
  }
}

function isConstant({ coefficients }: LinearForm): boolean {
  return coefficients.size === 0;
}

function times({ constant, coefficients }: LinearForm, factor: number): LinearForm {
  return {
    constant: constant * factor,
    coefficients: new Map(Array.from(coefficients, ([input, value]) => [input, value * factor])),
  };
}

function combine(a: LinearForm, b: LinearForm, factor: number): LinearForm {
  const coefficients = new Map(a.coefficients);
  for (const [input, value] of b.coefficients) coefficients.set(input, (coefficients.get(input) ?? 0) + factor * value);
  for (const [input, value] of coefficients) if (value === 0) coefficients.delete(input);
  return { constant: a.constant + factor * b.constant, coefficients };
}
