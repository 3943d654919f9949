/** A model with data: a curve to fit from bounds alone. */
import type { FitGoal } from '../../src/numbers/misfit.ts';
import { misfitOf } from '../../src/numbers/misfit.ts';
import type { Variable } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';

export interface FitProblem {
  readonly name: string;
  readonly variables: readonly Variable[];
  /** Origin of the data, or the certified values. */
  readonly truth: readonly number[];
  readonly model: (x: ArrayLike<number>) => number[];
  readonly fits: readonly FitGoal[];
}

export function real(minimum: number, maximum: number): Variable {
  return { kind: 'float', minimum, maximum };
}

export function log(minimum: number, maximum: number): Variable {
  return { kind: 'float', minimum, maximum, isLogarithmic: true };
}

/** Values of the model at the truth with normal noise. @param seed of the noise */
export function simulated(model: FitProblem['model'], truth: readonly number[], sigma: number, seed: number): number[] {
  const random = makeRandom(seed, 1);
  return model(truth).map((y) => y + sigma * random.normal());
}

/** One data set over all outputs. */
export function oneSet(values: readonly number[], sigma: number | null, loss: FitGoal['loss'] = 'linear'): FitGoal[] {
  const sigmas = sigma === null ? null : values.map(() => sigma);
  return [{ outputs: values.map((_, j) => j), values, sigmas, weight: 1, loss }];
}

/** The least misfit, by coordinate and random search from the truth: slow and sure near it. */
export function leastMisfit({ model, fits, truth, variables }: FitProblem): number {
  const random = makeRandom(7, 2);
  let best = truth.slice();
  let least = misfitOf(fits, model(best));
  let step = 0.05;
  for (let k = 0; k < 6000; k++) {
    const trial = best.map((x, v) => clipped(x * (1 + step * random.normal()) + 1e-12, variables[v]!));
    const misfit = misfitOf(fits, model(trial));
    if (misfit < least) {
      [best, least] = [trial, misfit];
      step *= 1.3;
    } else step = Math.max(1e-9, step * 0.985);
  }
  return least;
}

function clipped(x: number, { minimum, maximum }: Variable): number {
  return Math.min(maximum, Math.max(minimum, x));
}
