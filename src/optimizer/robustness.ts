import type { Robustness } from './interface/insights.ts';
import type { InputTolerances, SuggestRequest } from './interface/problem.ts';
import { robustnessOf } from './robustness/probability.ts';
import { prepare } from './search/prepare.ts';

/**
 * Estimates how surely an input meets the goal of a request when it is made with tolerances, by the models of the request; null while
 * they predict less than half of the variance of an output.
 *
 * A pure function, like `suggest`, and throws as it does; also for an input or tolerances whose lengths do not match.
 *
 * @param input length n, natural units
 */
export function robustness(
  request: SuggestRequest,
  input: readonly number[],
  tolerances: InputTolerances,
): Robustness | null {
  return robustnessOf(prepare(request), Float64Array.from(input), tolerances);
}
