/** Expressions compiled to instructions for a stack: conditions are evaluated hundreds of thousands of times per design. */
import type { Expression, FunctionName, Operator } from '../interface/problem.ts';

const NUMBER = 0;
const INPUT = 1;
const CODES = {
  '+': 2,
  '-': 3,
  '*': 4,
  '/': 5,
  '^': 6,
  min: 7,
  max: 8,
  abs: 9,
  sqrt: 10,
  exp: 11,
  log: 12,
  log10: 13,
  sin: 14,
  cos: 15,
  tan: 16,
  atan: 17,
} as const satisfies Record<Operator | FunctionName, number>;

/** Approximate flops of an instruction: most of the time of a simple one goes into fetching it. */
const SIMPLE_FLOPS = 5;
/** The same for powers, exponentials, logarithms and trigonometric functions. */
const FUNCTION_FLOPS = 40;

export class Program {
  readonly #codes: Uint8Array;
  /** Per instruction: a number, or the index of an input. */
  readonly #operands: Float64Array;
  readonly #stack: Float64Array;
  /** Approximate number of flops of one evaluation. */
  readonly flops: number;

  constructor(expression: Expression) {
    const codes: number[] = [];
    const operands: number[] = [];
    const depth = append(expression, codes, operands);
    this.#codes = Uint8Array.from(codes);
    this.#operands = Float64Array.from(operands);
    this.#stack = new Float64Array(depth);
    this.flops = codes.reduce((sum, code) => sum + flopsOf(code), 0);
  }

  /** The value at x, length n in natural units; NaN or infinite where the expression has none. */
  at(x: Float64Array): number {
    const codes = this.#codes;
    const operands = this.#operands;
    const stack = this.#stack;
    let top = -1;
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!;
      if (code === NUMBER) stack[++top] = operands[i]!;
      else if (code === INPUT) stack[++top] = x[operands[i]!]!;
      else if (code > CODES.max) stack[top] = callFunction(code, stack[top]!);
      else {
        top--;
        stack[top] = operate(code, stack[top]!, stack[top + 1]!);
      }
    }
    return stack[0]!;
  }
}

function flopsOf(code: number): number {
  return code === CODES['^'] || code > CODES.sqrt ? FUNCTION_FLOPS : SIMPLE_FLOPS;
}

/** Appends the instructions of an expression, operands first. @returns how deep its stack gets */
function append(expression: Expression, codes: number[], operands: number[]): number {
  if (expression.kind === 'number' || expression.kind === 'input') {
    codes.push(expression.kind === 'number' ? NUMBER : INPUT);
    operands.push(expression.kind === 'number' ? expression.value : expression.input);
    return 1;
  }
  const code = CODES[expression.kind === 'operation' ? expression.operator : expression.name];
  let depth = 1;
  for (const [k, operand] of expression.of.entries()) {
    depth = Math.max(depth, Math.min(k, 1) + append(operand, codes, operands));
    // min and max of many are those of two, again and again.
    if (k === 0 && expression.of.length > 1) continue;
    codes.push(code);
    operands.push(0);
  }
  return depth;
}

function operate(code: number, a: number, b: number): number {
  switch (code) {
    case CODES['+']:
      return a + b;
    case CODES['-']:
      return a - b;
    case CODES['*']:
      return a * b;
    case CODES['/']:
      return a / b;
    case CODES['^']:
      return a ** b;
    case CODES.min:
      return Math.min(a, b);
    default:
      return Math.max(a, b);
  }
}

function callFunction(code: number, a: number): number {
  switch (code) {
    case CODES.abs:
      return Math.abs(a);
    case CODES.sqrt:
      return Math.sqrt(a);
    case CODES.exp:
      return Math.exp(a);
    case CODES.log:
      return Math.log(a);
    case CODES.log10:
      return Math.log10(a);
    case CODES.sin:
      return Math.sin(a);
    case CODES.cos:
      return Math.cos(a);
    case CODES.tan:
      return Math.tan(a);
    default:
      return Math.atan(a);
  }
}
