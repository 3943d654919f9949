/** Knowledge about the noise of one output at one input. */
export interface Scatter {
  /** Variance, and the degrees of freedom that this value is worth; infinite for a known one. */
  readonly noise: number;
  readonly freedom: number;
  /** The sum of squared deviations of the runs at the input from their mean. */
  readonly squares: number;
}

/** A draw of the noise variance of one output given the runs. @param normal standard normal number */
export function drawNoise({ noise, freedom, squares }: Scatter, runs: number, normal: number): number {
  if (freedom === Number.POSITIVE_INFINITY) return noise;
  const total = freedom + Math.max(0, runs - 1);
  return (freedom * noise + squares) / chiSquare(total, normal);
}

/** A draw of chi square. Source: Wilson and Hilferty 1931. */
export function chiSquare(freedom: number, normal: number): number {
  const share = 2 / (9 * freedom);
  return freedom * Math.max(0.02, 1 - share + normal * Math.sqrt(share)) ** 3;
}
