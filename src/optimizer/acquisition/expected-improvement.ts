import { LOG_SQRT_TWO_PI, logNormalCdf, normalCdf, normalDensity } from '../numerics/normal.ts';
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
  // h(z) = phi(z) + z Phi(z), h' = Phi, h'' = phi; here log h, Phi / h and phi / h.
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
