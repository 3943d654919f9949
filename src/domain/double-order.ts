/**
 * Doubles in their order, so that the end of an interval can be found as the last double that keeps a rule instead of
 * being estimated: rounding then cannot make the interval and the rule disagree.
 */
const float = new Float64Array(1);
const bits = new BigInt64Array(float.buffer);

/** Position among all finite doubles, 0 for 0 (of either sign); the next double has the next position. */
function positionOf(x: number): bigint {
  float[0] = Math.abs(x);
  return x < 0 ? -bits[0]! : bits[0]!;
}

function doubleAt(position: bigint): number {
  bits[0] = position < 0n ? -position : position;
  return position < 0n ? -float[0]! : float[0]!;
}

const LAST = positionOf(Number.MAX_VALUE);

function clampPosition(position: bigint): bigint {
  if (position > LAST) return LAST;
  return position < -LAST ? -LAST : position;
}

/**
 * The outermost double towards `side` that keeps a rule which, going towards `side`, holds up to some double and for
 * none after it.
 *
 * @param estimate  finite; the nearer to the end, the fewer steps: at most 64 doublings and 64 halvings
 * @returns undefined when no finite double keeps the rule
 */
export function outermostDouble(estimate: number, side: 1 | -1, keeps: (x: number) => boolean): number | undefined {
  const sign = BigInt(side);
  const keepsAt = (reach: bigint): boolean => keeps(doubleAt(sign * reach));
  let inside = sign * positionOf(estimate);
  let outside = inside;
  for (let step = 1n; !keepsAt(inside); step *= 2n) {
    if (inside === -LAST) return undefined;
    outside = inside;
    inside = clampPosition(inside - step);
  }
  for (let step = 1n; outside === inside; step *= 2n) {
    if (inside === LAST) return doubleAt(sign * LAST);
    const further = clampPosition(inside + step);
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
