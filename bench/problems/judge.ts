/** The verdict on one evaluation, by the rule of the service. */
import { evaluateOutput } from '../../src/domain/search/acceptance.ts';
import { type Outputs, type Problem, toDefinition } from './problem.ts';

/** True when the output meets every objective; a failed run and a number that is not finite meet none. */
export function judge(problem: Problem, output: Outputs): boolean {
  if (output === null || !output.every(Number.isFinite)) return false;
  return evaluateOutput(toDefinition(problem), output).isSatisfied;
}
