/**
 * Finds the values of an output that satisfy a target, to be drawn before the service knows of it. Follows the table of
 * docs/judging.md, up to rounding; the service judges.
 */
import { GOAL_TYPES } from '../../../../clients/typescript/src/generated/goal-types.ts';
import type { Ends } from '../../../presentation/formats.ts';
import { readNumber } from '../../parts/read-number.ts';
import type { OutputDraft } from './draft.ts';

/** The service's criterion for exact objectives, unless stated. */
const CONVERGENCE = 1e-6;

/**
 * The values of each output that satisfy it; undefined while a number is missing, and for a fit.
 *
 * @param desiredL1Norm  the sum of differences up to which exact objectives are satisfied together
 */
export function intervalsOf(outputs: readonly OutputDraft[], desiredL1Norm: string): readonly (Ends | undefined)[] {
  const objectives = outputs.map(({ target }) => toNumber(target));
  const sum = objectives.reduce((total, target) => total + Math.abs(target), 0);
  const share = Math.max(toNumber(desiredL1Norm), CONVERGENCE * (sum === 0 ? 1 : sum)) / outputs.length;
  return outputs.map(({ type, target: text, from, to, deviation }, j) => {
    const { met, isStrict, offsets } = GOAL_TYPES[type];
    const texts = offsets !== null ? [text, from, to] : [text];
    if (met === 'never' || texts.some((one) => readNumber(one).fault !== undefined)) return undefined;
    const target = objectives[j]!;
    if (offsets !== null) {
      const gauge = { target, deviation: toNumber(deviation) };
      const end = (offset: string) => target + offsets.toUnits(toNumber(offset), gauge);
      return { lower: end(from), upper: end(to), lowerOpen: false, upperOpen: false };
    }
    const room = met === 'together' ? share : 0;
    return {
      lower: met === 'below' ? null : target - room,
      upper: met === 'above' ? null : target + room,
      lowerOpen: met === 'above' && isStrict,
      upperOpen: met === 'below' && isStrict,
    };
  });
}

function toNumber(text: string): number {
  return readNumber(text).value ?? 0;
}
