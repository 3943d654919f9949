/**
 * The logarithmic scale of the inputs. Products of powers, the commonest laws of physics and engineering, are linear
 * on it, so the models of an output may choose it as they choose their kernel.
 */
import type { Coding } from '../space.ts';

export interface InputScale {
  /** Length p: upper over lower bound of the number behind a feature; 0 for a feature that stays as it is. */
  readonly ratio: Float64Array;
}

/**
 * Factors between the bounds of a positive variable: with a smaller one a logarithm hardly bends, with a larger one
 * the encoded feature lacks the digits.
 */
const RATIO = { least: 2, most: 1e6 };

/** null when no variable is worth a logarithm. */
export function logScale(coding: Coding): InputScale | null {
  const ratio = new Float64Array(coding.p);
  coding.variables.forEach(({ kind, minimum, maximum }, v) => {
    if (coding.movable[v] === 0 || kind === 'category' || kind === 'boolean') return;
    const factor = maximum / minimum;
    if (minimum > 0 && factor >= RATIO.least && factor <= RATIO.most) ratio[coding.first[v]!] = factor;
  });
  return ratio.some((factor) => factor > 0) ? { ratio } : null;
}

/**
 * Maps encoded features to the scale: log of the number, brought to [-1, 1] like the feature itself. Below the lower
 * bound, where the number may be negative, the scale goes on straight.
 *
 * @param u length p
 * @param scaled filled, and with them the first and second derivatives of each feature when given (length p each)
 */
export function toScale(
  { ratio }: InputScale,
  u: Float64Array,
  scaled: Float64Array,
  slope: Float64Array | null,
  bend: Float64Array | null,
): void {
  for (let f = 0; f < ratio.length; f++) {
    const factor = ratio[f]!;
    if (factor === 0) {
      scaled[f] = u[f]!;
      if (slope) slope[f] = 1;
      if (bend) bend[f] = 0;
      continue;
    }
    const half = (factor - 1) / 2;
    const steepest = (2 * half) / Math.log(factor);
    const above = u[f]! + 1;
    // The number in units of its lower bound.
    const number = 1 + Math.max(0, above) * half;
    scaled[f] = (2 * Math.log(number)) / Math.log(factor) - 1 + steepest * Math.min(0, above);
    if (slope) slope[f] = steepest / number;
    if (bend) bend[f] = above < 0 ? 0 : (-steepest * half) / (number * number);
  }
}
