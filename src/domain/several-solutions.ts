import type { Variable } from '../optimizer/problem.ts';

/**
 * How far two inputs lie apart, from 0 to 1 within the bounds: the root mean square over the inputs that may vary of the
 * difference as a share of the range, on a logarithm where the input is logarithmic; a change of a category counts 1.
 */
export function distanceBetween(variables: readonly Variable[], a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  let count = 0;
  variables.forEach(({ kind, minimum, maximum, isLogarithmic, fixedAt }, v) => {
    if (fixedAt !== undefined || minimum === maximum) return;
    const on = isLogarithmic ? Math.log : (value: number) => value;
    const difference = (on(a[v]!) - on(b[v]!)) / (on(maximum) - on(minimum));
    sum += kind === 'category' ? (a[v] === b[v] ? 0 : 1) : difference * difference;
    count++;
  });
  return count === 0 ? 0 : Math.sqrt(sum / count);
}
