/** Outputs that stay at one value: in all cases, or cut off, as by a time limit that many runs reach or a flow that stops. */
import type { Cases } from './cases.ts';

/** Share of the cases at one and the same extreme value, and least number of them, from which an output counts as cut off there. */
const CUT_OFF = { share: 1 / 3, least: 3 };

/** The least or the largest value of output j where so many cases have it, to the bit, that the output seems unable to go beyond it. */
export function cutOffAt({ Y, N, intervals }: Pick<Cases, 'Y' | 'N' | 'intervals'>, j: number): number | null {
  const m = intervals.length;
  let [low, high, atLow, atHigh] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (let i = 0; i < N; i++) {
    const y = Y[i * m + j]!;
    if (y < low) [low, atLow] = [y, 0];
    if (y > high) [high, atHigh] = [y, 0];
    if (y === low) atLow++;
    if (y === high) atHigh++;
  }
  if (Math.max(atLow, atHigh) < Math.max(CUT_OFF.least, CUT_OFF.share * N)) return null;
  return atLow > atHigh ? low : high;
}

/** True if output j is the same in all cases, to the bit. */
export function isConstant({ Y, N, intervals }: Pick<Cases, 'Y' | 'N' | 'intervals'>, j: number): boolean {
  const m = intervals.length;
  for (let i = 1; i < N; i++) if (Y[i * m + j] !== Y[j]) return false;
  return true;
}
