/**
 * One output that may be the sum of the squares of many. A search that knows the parts of such a sum learns several numbers from each
 * run, and models that are nearly linear; one that knows the sum alone has to learn its curved valleys.
 */
import type { Advice } from '../interface/insights.ts';
import type { Target } from '../interface/problem.ts';
import type { Prepared } from '../search/prepare.ts';
import { movableCount } from '../space/encoding.ts';

/** A sum of squares is wanted near 0: below this share of what it is at the first inputs. */
const NEAR_ZERO = 0.01;

/**
 * Advice where the only goal is one output that never has the other sign, and is wanted near 0, or was brought there where it is to be minimized,
 * compared with its values at the first inputs. That no more is known is why the advice begins with "if".
 */
export function adviseOnSumOfSquares({ request, cases, encoding }: Prepared): readonly Advice[] {
  const { targets } = request.goal;
  const n = movableCount(encoding);
  if (targets.length !== 1 || n < 2 || cases.N < n + 2) return [];
  const { sign, low, high } = facingZero(targets[0]!);
  const values = cases.Y.map((y) => sign * y);
  const least = Math.min(...values);
  if (least < 0 || low > 0 || high < 0) return [];
  // The first inputs only: later ones are near the best one.
  const typical = median(values.subarray(0, 2 * n + 3));
  // An aspiration of 0 may be a way to say: as small as possible.
  const sought = targets[0]!.direction === 'none' ? high : least;
  return typical > 0 && sought <= NEAR_ZERO * typical ? [{ kind: 'sum-of-squares', outputs: [0] }] : [];
}

/** The interval and the sign of an output, mirrored where large values are wanted, as of a negative sum of squares. */
function facingZero({ lower, upper, direction }: Target) {
  const isMirrored = direction === 'maximize' || (upper === Number.POSITIVE_INFINITY && lower > -Infinity);
  return isMirrored ? { sign: -1, low: -upper, high: -lower } : { sign: 1, low: lower, high: upper };
}

function median(values: Float64Array): number {
  return values.toSorted()[values.length >> 1]!;
}
