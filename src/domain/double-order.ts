/**
 * Finds the end of an interval as the last double that satisfies a rule. An estimated end could disagree with the rule by
 * a rounding error.
 */
const float = new Float64Array(1);
const bits = new BigInt64Array(float.buffer);

/** Rank among all finite doubles: 0 for 0 and -0; the next double has the next rank. */
function rankOf(x: number): bigint {
  float[0] = Math.abs(x);
  return x < 0 ? -bits[0]! : bits[0]!;
}

function doubleAt(rank: bigint): number {
  bits[0] = rank < 0n ? -rank : rank;
  return rank < 0n ? -float[0]! : float[0]!;
}

const LAST = rankOf(Number.MAX_VALUE);

function clampRank(rank: bigint): bigint {
  if (rank > LAST) return LAST;
  return rank < -LAST ? -LAST : rank;
}

/**
 * The outermost double towards `side` that satisfies a rule. Going towards `side`, the rule must hold up to some double and
 * for none after it.
 *
 * @param estimate  finite; the closer to the end, the fewer evaluations: at most 64 doublings and 64 halvings
 * @returns undefined if no finite double satisfies the rule
 */
export function outermostDouble(estimate: number, side: 1 | -1, keeps: (x: number) => boolean): number | undefined {
  const sign = BigInt(side);
  const keepsAt = (reach: bigint): boolean => keeps(doubleAt(sign * reach));
  let inside = sign * rankOf(estimate);
  let outside = inside;
  for (let stride = 1n; !keepsAt(inside); stride *= 2n) {
    if (inside === -LAST) return undefined;
    outside = inside;
    inside = clampRank(inside - stride);
  }
  for (let stride = 1n; outside === inside; stride *= 2n) {
    if (inside === LAST) return doubleAt(sign * LAST);
    const further = clampRank(inside + stride);
    if (keepsAt(further)) inside = outside = further;
    else outside = further;
  }
  while (outside - inside > 1n) {
    const middle = inside + (outside - inside) / 2n;
    if (keepsAt(middle)) inside = middle;
    else outside = middle;
  }
  return doubleAt(sign * inside);
}
