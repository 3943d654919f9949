import { initialDesign } from './initial-design.ts';
import { joined, squareBetween } from './linalg/dense.ts';
import type { Prepared } from './prepare.ts';
import { featuresOf, movableCount } from './space/encoding.ts';
import type { Seen } from './space/seen.ts';

/** Largest number of cases that are designed: with many inputs models of fewer cases are worth more than further designed ones. */
const MOST_DESIGNED = 16;

/**
 * The input that continues the design while others are pending and, with them, fewer cases are known than a linear model and a
 * check of it need (n + 2): outputs imagined by a model that knows nothing would only repeat its mistakes. Of a further design
 * it is the point farthest from all known and pending inputs. null from then on, without pending inputs, and when the
 * space has no further designed point.
 */
export function nextDesigned({ request, encoding, cases, pending }: Prepared, seen: Seen): Float64Array | null {
  const enough = Math.min(movableCount(encoding) + 2, MOST_DESIGNED);
  if (pending.count === 0 || cases.N + pending.count >= enough) return null;
  const { n } = encoding;
  const { space, seed } = request;
  const wanted = cases.N + 2 * pending.count + 2;
  // The last case of a design looks out of the likely ranges, as that of the first design did.
  const { X, count } = initialDesign({ space, seed, caseCount: wanted + 1, outputCount: null });
  const known = joined(joined(cases.U, cases.failedU), pending.U);
  let best: Float64Array | null = null;
  let farthest = -1;
  for (let i = 0; i < Math.min(count, wanted); i++) {
    const x = X.slice(i * n, (i + 1) * n);
    const distance = squareToNearest(featuresOf(encoding, x), known);
    if (distance <= farthest || seen.has(x)) continue;
    farthest = distance;
    best = x;
  }
  return best;
}

/** Squared distance of u from the nearest row of U. */
function squareToNearest(u: Float64Array, U: Float64Array): number {
  const p = u.length;
  let nearest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < U.length; i += p) nearest = Math.min(nearest, squareBetween(U.subarray(i, i + p), u));
  return nearest;
}
