/** Estimates the work of evaluating constraints. Suggestions evaluate all of them hundreds of thousands of times. */
import type { Condition, Expression } from '../../optimizer/interface/problem.ts';
import { makeViolation, type Violation } from '../errors.ts';
import type { SentConstraint } from './input-space.ts';

/** Operations of all expressions of a search together; 250 sums of 25 products stay below it. */
const MAXIMUM_OPERATIONS = 25_000;
/** A power, or a function that is no comparison, counts as so many operations. */
const FUNCTION_OPERATIONS = 10;
const CHEAP = new Set<string>(['+', '-', '*', '/', 'min', 'max', 'abs']);

/**
 * The violation when the expressions among the constraints are too much work together. Lists of coefficients do not count: their
 * number limits them.
 *
 * @param conditions what the constraints mean, in their order
 * @param other      operations of the constraints that hold besides
 */
export function checkOperations(
  constraints: readonly SentConstraint[],
  conditions: readonly Condition[],
  other = 0,
): readonly Violation[] {
  const count = operationsOf(constraints, conditions);
  if (count === 0 || count + other <= MAXIMUM_OPERATIONS) return [];
  const beside = other === 0 ? '' : ` besides the ${other} of the project`;
  const message = `take ${count} operations together${beside}, may take ${MAXIMUM_OPERATIONS}; a number, a name or an operator is one, a function or a power ${FUNCTION_OPERATIONS}. Shorten the expressions, or state fewer.`;
  return [makeViolation(['constraints'], message)];
}

/** Operations of the expressions among the constraints. */
export function operationsOf(constraints: readonly SentConstraint[], conditions: readonly Condition[]): number {
  let count = 0;
  for (const [i, { left, right }] of conditions.entries()) {
    if (typeof constraints[i] === 'string') count += operationsIn(left) + operationsIn(right);
  }
  return count;
}

function operationsIn(expression: Expression): number {
  if (expression.kind === 'number' || expression.kind === 'input') return 1;
  const name = expression.kind === 'operation' ? expression.operator : expression.name;
  const own = CHEAP.has(name) ? expression.of.length - 1 || 1 : FUNCTION_OPERATIONS;
  return expression.of.reduce((sum, operand) => sum + operationsIn(operand), own);
}
