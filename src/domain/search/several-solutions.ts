/**
 * Objectives that go on after their first solution until several are found that lie apart. An inverse that satisfies everything
 * within all limits is a solution when it lies apart from every solution completed before it.
 */
import type { Variable } from '../../optimizer/interface/problem.ts';
import { makeViolation, type Violation } from '../errors.ts';

export interface SolutionsOption {
  /** From 2 to `MOST_SOLUTIONS`. */
  readonly count: number;
  /** Least distance of two solutions, from `APART.least` to `APART.largest`; see `distanceBetween`. */
  readonly apart: number;
}

export const MOST_SOLUTIONS = 20;
export const APART = { least: 0.01, largest: 0.5 };
export const DEFAULT_SOLUTIONS: SolutionsOption = { count: 5, apart: 0.1 };

export function checkSolutions({ count, apart }: SolutionsOption): readonly Violation[] {
  const violations: Violation[] = [];
  if (!(Number.isInteger(count) && count >= 2 && count <= MOST_SOLUTIONS)) {
    const message = `must be a whole number from 2 to ${MOST_SOLUTIONS}, is ${count}.`;
    violations.push(makeViolation(['solutions', 'count'], message));
  }
  if (!(apart >= APART.least && apart <= APART.largest)) {
    const message = `must be from ${APART.least} to ${APART.largest}, is ${apart}.`;
    violations.push(makeViolation(['solutions', 'apart'], message));
  }
  return violations;
}

/** Whether an input lies apart from all solutions found. */
export function isApart(
  variables: readonly Variable[],
  { apart }: Pick<SolutionsOption, 'apart'>,
  found: readonly (readonly number[])[],
  input: readonly number[],
): boolean {
  return found.every((one) => distanceBetween(variables, one, input) >= apart);
}

/** Chooses the solutions from runs that satisfy everything, in the order of their completion: each apart from all before it. */
export function solutionsAmong<Run extends { readonly input: readonly number[] }>(
  variables: readonly Variable[],
  option: SolutionsOption,
  runs: readonly Run[],
): Run[] {
  const solutions: Run[] = [];
  const found: (readonly number[])[] = [];
  for (const run of runs) {
    if (!isApart(variables, option, found, run.input)) continue;
    solutions.push(run);
    found.push(run.input);
  }
  return solutions;
}

/**
 * Distance of two inputs, from 0 to 1 within the bounds: the root mean square over the inputs that may vary of the
 * difference as a share of the range, on a logarithm if the input is logarithmic; a change of a category counts 1.
 */
export function distanceBetween(variables: readonly Variable[], a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  let count = 0;
  variables.forEach(({ kind, minimum, maximum, isLogarithmic, fixedAt }, v) => {
    if (fixedAt !== undefined || minimum === maximum) return;
    const on = isLogarithmic ? Math.log : (value: number) => value;
    const difference = (on(a[v]!) - on(b[v]!)) / (on(maximum) - on(minimum));
    sum += kind === 'category' ? Number(a[v] !== b[v]) : difference * difference;
    count++;
  });
  return count === 0 ? 0 : Math.sqrt(sum / count);
}
