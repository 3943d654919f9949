import type { RandomStream } from '../numerics/random.ts';
import { type Encoding, levelAt, levelCount, nearestLevel } from '../space/encoding.ts';

/** An integer with more levels than this has the neighbours at distances 1 and 2; with fewer, all levels. */
const FEW_LEVELS = 5;

/**
 * All inputs that differ from x (length n) in one discrete variable: by 1 or 2 in an integer with many levels, to any level
 * in every other variable.
 */
export function neighboursOf(encoding: Encoding, x: Float64Array): Float64Array[] {
  const out: Float64Array[] = [];
  encoding.variables.forEach((variable, v) => {
    if (encoding.discrete[v] === 0 || variable.fixedAt !== undefined) return;
    const current = nearestLevel(variable, x[v]!);
    const levels = levelCount(variable);
    const all = variable.kind === 'category' || levels <= FEW_LEVELS;
    const near = all ? Array.from({ length: levels }, (_, k) => k) : [-2, -1, 1, 2].map((d) => current + d);
    for (const level of near) {
      if (level === current || level < 0 || level >= levels) continue;
      const next = x.slice();
      next[v] = levelAt(variable, level);
      out.push(next);
    }
  });
  return out;
}

/** At most `count` random inputs that differ from x (length n) in two discrete variables, in each as `neighboursOf` does. */
export function pairNeighboursOf(
  encoding: Encoding,
  x: Float64Array,
  count: number,
  random: RandomStream,
): Float64Array[] {
  const singles = neighboursOf(encoding, x);
  const moved = singles.map((one) => one.findIndex((value, v) => value !== x[v]));
  if (new Set(moved).size < 2) return [];
  const out = new Map<string, Float64Array>();
  for (let k = 0; k < 2 * count && out.size < count; k++) {
    const [a, b] = [random.below(singles.length), random.below(singles.length)];
    if (moved[a] === moved[b]) continue;
    const next = singles[a]!.slice();
    next[moved[b]!] = singles[b]![moved[b]!]!;
    out.set(next.join(), next);
  }
  return [...out.values()];
}
