import { LOG_SQRT_TWO_PI, logNormalCdf, normalCdf, normalDensity } from '../numerics/normal.ts';
import type { LogTerm } from './interval-probability.ts';

/** Below this many standard deviations an asymptotic series replaces the difference of nearly equal numbers. */
const FAR = -40;

/**
 * Writes the log of the expected improvement of a normal variable below `incumbent`, and its derivatives, to `out`.
 *
 * Finite however far the incumbent is out of reach. `spread` > 0 is the standard deviation.
 * Source: Jones, Schonlau and Welch 1998, Journal of Global Optimization 13, equation (15), for the improvement; Ament et
 * al. 2023 (arXiv 2310.20708), section 4.1, for its logarithm; Abramowitz and Stegun 1964, 26.2.12, for the series.
 */
export function logImprovementBelow(mean: number, spread: number, incumbent: number, out: LogTerm): void {
  const z = (incumbent - mean) / spread;
  // The improvement is spread h(z), h(z) = phi(z) + z Phi(z), h' = Phi, h'' = phi. Needed: log h, Phi / h and phi / h.
  let logH: number;
  let first: number;
  let second: number;
  if (z > -1) {
    const density = normalDensity(z);
    const below = normalCdf(z);
    const h = density + z * below;
    logH = Math.log(h);
    first = below / h;
    second = density / h;
  } else {
    const logDensity = -0.5 * z * z - LOG_SQRT_TWO_PI;
    const mills = Math.exp(logNormalCdf(z) - logDensity);
    const inverse = 1 / (z * z);
    const bracket = z < FAR ? inverse * (1 - inverse * (3 - 15 * inverse)) : 1 + z * mills;
    logH = logDensity + Math.log(bracket);
    first = mills / bracket;
    second = 1 / bracket;
  }
  out.value = logH + Math.log(spread);
  out.byMean = -first / spread;
  out.bySpread = (1 - z * first) / spread;
  out.curvature = Math.max(0, first * first - second) / (spread * spread);
}
