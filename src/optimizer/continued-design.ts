import { initialDesign } from './initial-design.ts';
import { joined, squareToNearest } from './linalg/dense.ts';
import type { Prepared } from './search/prepare.ts';
import { featuresOf, movableCount } from './space/encoding.ts';
import type { Seen } from './space/seen.ts';

/** Largest number of cases that are designed: with many inputs models of fewer cases are worth more than designed ones. */
const MOST_DESIGNED = 16;
/** Largest difference of the features of inputs that are beside each other: a twentieth of the bounds. */
const BESIDE = 0.1;

/**
 * The input that continues the design while others are pending; null when the models choose. The design goes on until, with the
 * pending inputs, as many cases are known as a linear model and a check of it need (n + 2). Until as many are known
 * without them it also replaces what the models suggest beside a pending input: models of so few cases are surer than they
 * may be, and all their suggestions would crowd around one wrong solution.
 *
 * Of a further design it is the point farthest from all known and pending inputs; null also when there is none.
 *
 * @param x what the models suggest, length n; null before they are asked
 */
export function nextDesigned(prepared: Prepared, seen: Seen, x: Float64Array | null): Float64Array | null {
  const { encoding, cases, pending } = prepared;
  const enough = Math.min(movableCount(encoding) + 2, MOST_DESIGNED);
  if (pending.count === 0 || cases.N > enough) return null;
  const isTooEarly = cases.N + pending.count < enough;
  return isTooEarly || (x !== null && isBeside(featuresOf(encoding, x), pending.U)) ? farthest(prepared, seen) : null;
}

/** Whether a row of U differs from u by at most `BESIDE` in every feature. */
function isBeside(u: Float64Array, U: Float64Array): boolean {
  const p = u.length;
  for (let i = 0; i < U.length; i += p) {
    if (u.every((value, f) => Math.abs(value - U[i + f]!) <= BESIDE)) return true;
  }
  return false;
}

function farthest({ request, encoding, cases, pending }: Prepared, seen: Seen): Float64Array | null {
  const { n } = encoding;
  const { space, seed } = request;
  const wanted = cases.N + 2 * pending.count + 2;
  // The last case of a design looks out of the likely ranges, as that of the first design did.
  const { X, count } = initialDesign({ space, seed, caseCount: wanted + 1, outputCount: null });
  const known = joined(joined(cases.U, cases.failedU), pending.U);
  let best: Float64Array | null = null;
  let apart = -1;
  for (let i = 0; i < Math.min(count, wanted); i++) {
    const x = X.slice(i * n, (i + 1) * n);
    const distance = squareToNearest(featuresOf(encoding, x), known);
    if (distance <= apart || seen.has(x)) continue;
    apart = distance;
    best = x;
  }
  return best;
}
