/** Measures how far outputs are from measured data: the one number that a fit makes small. */

export const FIT_LOSSES = ['linear', 'soft_l1', 'huber', 'cauchy'] as const;
export type FitLoss = (typeof FIT_LOSSES)[number];

/** Measured values that some outputs are to come near to, all together. */
export interface FitGoal {
  /** Numbers of the outputs, from 0, one per value. */
  readonly outputs: readonly number[];
  readonly values: readonly number[];
  /** Standard errors of the values, positive, one each; null: equal and unknown. */
  readonly sigmas: readonly number[] | null;
  /** Positive: how much the data set counts. */
  readonly weight: number;
  /** Function from a squared residual, in standard errors, to its share of the misfit; `linear` if the errors are unknown. */
  readonly loss: FitLoss;
}

/** A residual below this share of the largest value is rounding: an exact fit has no smaller scale. */
const ROUNDING = 1e-12;

/** rho(z) and its slope at a squared residual z; names and formulas of scipy.optimize.least_squares. */
export const LOSSES: Readonly<
  Record<FitLoss, { readonly of: (z: number) => number; readonly slope: (z: number) => number }>
> = {
  linear: { of: (z) => z, slope: () => 1 },
  soft_l1: { of: (z) => 2 * (Math.sqrt(1 + z) - 1), slope: (z) => 1 / Math.sqrt(1 + z) },
  huber: { of: (z) => (z <= 1 ? z : 2 * Math.sqrt(z) - 1), slope: (z) => (z <= 1 ? 1 : 1 / Math.sqrt(z)) },
  cauchy: { of: (z) => Math.log1p(z), slope: (z) => 1 / (1 + z) },
};

/** Residuals of one data set, in units of its standard errors where these are known; model minus data. */
export function residualsOf({ outputs, values, sigmas }: FitGoal, output: ArrayLike<number>, offset = 0): Float64Array {
  return Float64Array.from(outputs, (j, i) => (output[offset + j]! - values[i]!) / (sigmas?.[i] ?? 1));
}

/** Sum of squares, finite. */
export function sumOfSquares(residuals: Float64Array): number {
  let sum = 0;
  for (const r of residuals) sum += r * r;
  return Math.min(Number.MAX_VALUE, sum);
}

/** The standard error that residuals with an unknown one show: their root mean square, at least rounding. */
export function scaleOf(fit: FitGoal, residuals: Float64Array): number {
  const largest = fit.values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return Math.max(ROUNDING * largest, Math.sqrt(sumOfSquares(residuals) / residuals.length));
}

/**
 * The number that a fit makes small, minus twice the log likelihood up to a constant: chi-square, or the sum of a robust loss, where
 * the standard errors are known, and 2 k log(scale) of k residuals where they are not. Finite.
 */
export function misfitOf(fits: readonly FitGoal[], output: ArrayLike<number>, offset = 0): number {
  let total = 0;
  for (const fit of fits) {
    const residuals = residualsOf(fit, output, offset);
    const loss = LOSSES[fit.loss];
    const own =
      fit.sigmas === null
        ? 2 * residuals.length * Math.log(scaleOf(fit, residuals))
        : residuals.reduce((sum, r) => sum + loss.of(r * r), 0);
    total += fit.weight * own;
  }
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, total));
}
