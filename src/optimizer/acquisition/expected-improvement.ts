import { LOG_SQRT_TWO_PI, logNormalCdf } from '../numerics/normal.ts';
import type { LogTerm } from './interval-probability.ts';

/** Beyond this many deviations the difference of nearly equal terms is replaced by its asymptotic series. */
const FAR = -40;

/**
 * Log of the expected improvement of a normal variable below `incumbent`, with its derivatives, into `out`.
 *
 * Finite however far the incumbent is out of reach. `spread` > 0.
 * Source: Ament et al. 2023 (arXiv 2310.20708), section 4.1.
 */
export function logImprovementBelow(mean: number, spread: number, incumbent: number, out: LogTerm): void {
  const z = (incumbent - mean) / spread;
  const logDensity = -0.5 * z * z - LOG_SQRT_TWO_PI;
  // h(z) = phi(z) + z Phi(z); h' = Phi, h'' = phi.
  const mills = Math.exp(logNormalCdf(z) - logDensity);
  const inverse = 1 / (z * z);
  const bracket = z < FAR ? inverse * (1 - inverse * (3 - 15 * inverse)) : 1 + z * mills;
  const first = mills / bracket;
  out.value = logDensity + Math.log(bracket) + Math.log(spread);
  out.byMean = -first / spread;
  out.bySpread = (1 - z * first) / spread;
  out.curvature = Math.max(0, first * first - 1 / bracket) / (spread * spread);
}
