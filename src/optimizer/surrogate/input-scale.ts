/**
 * The logarithmic scale of the inputs. Products of powers, the commonest laws of physics and engineering, are linear on
 * it, so the models of an output choose between it and the plain scale as they choose between kernels.
 */
import type { Encoding } from '../space/encoding.ts';

export interface InputScale {
  /** Length p: upper over lower bound of the variable behind a feature; 0 for a feature that stays as it is. */
  readonly ratio: Float64Array;
}

/**
 * Ratios of the bounds of a positive variable that are worth a logarithm: below, it hardly bends the feature; above, the
 * encoded feature has too few digits left near the lower bound.
 */
const RATIO = { min: 2, max: 1e6 };

/** null when no variable is worth a logarithm. */
export function logScale(encoding: Encoding): InputScale | null {
  const ratio = new Float64Array(encoding.p);
  encoding.variables.forEach((variable, v) => {
    const { kind } = variable;
    const { minimum, maximum } = encoding.scales[v]!;
    if (encoding.movable[v] === 0 || encoding.logarithmic[v] === 1 || kind === 'category' || kind === 'boolean') return;
    const factor = maximum / minimum;
    if (minimum > 0 && factor >= RATIO.min && factor <= RATIO.max) ratio[encoding.first[v]!] = factor;
  });
  return ratio.some((factor) => factor > 0) ? { ratio } : null;
}

/** First and second derivative of each scaled feature by the encoded one, length p each. */
export interface ScaleDerivatives {
  readonly slope: Float64Array;
  readonly curvature: Float64Array;
}

/**
 * Maps encoded features to the scale: the logarithm of the variable, brought to [-1, 1] like the feature itself. Below the
 * lower bound, where the variable may be negative, the scale continues as a straight line.
 *
 * @param u length p
 * @param scaled length p, overwritten
 * @param derivatives overwritten when given
 */
export function toScale(
  { ratio }: InputScale,
  u: Float64Array,
  scaled: Float64Array,
  derivatives: ScaleDerivatives | null,
): void {
  for (let f = 0; f < ratio.length; f++) {
    const factor = ratio[f]!;
    if (factor === 0) {
      scaled[f] = u[f]!;
      if (derivatives) {
        derivatives.slope[f] = 1;
        derivatives.curvature[f] = 0;
      }
      continue;
    }
    const half = (factor - 1) / 2;
    const steepest = (2 * half) / Math.log(factor);
    const above = u[f]! + 1;
    // The variable in units of its lower bound.
    const number = 1 + Math.max(0, above) * half;
    scaled[f] = (2 * Math.log(number)) / Math.log(factor) - 1 + steepest * Math.min(0, above);
    if (!derivatives) continue;
    derivatives.slope[f] = steepest / number;
    derivatives.curvature[f] = above < 0 ? 0 : (-steepest * half) / (number * number);
  }
}
