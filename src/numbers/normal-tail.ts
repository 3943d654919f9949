/**
 * The probability that a standard normal variable exceeds z, to seven digits.
 *
 * Source: Abramowitz and Stegun 1964, Handbook of Mathematical Functions, 7.1.26.
 */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return 0.5 * series * Math.exp(-x * x);
}
