import type { RandomStream } from '../numerics/random.ts';
import { type Coding, levelCount } from '../space.ts';

/** Whole steps tried for an ordered variable with more levels than this; with fewer, every level. */
const FEW_LEVELS = 5;

/**
 * All inputs that differ from x (length n) in one discrete variable: neighbours at 1 and 2 for integers, all levels
 * of booleans, categories and short integers.
 */
export function neighboursOf(coding: Coding, x: Float64Array): Float64Array[] {
  const out: Float64Array[] = [];
  coding.variables.forEach((variable, v) => {
    if (coding.discrete[v] === 0) return;
    const low = Math.ceil(variable.minimum);
    const levels = levelCount(variable);
    const all = variable.kind === 'category' || levels <= FEW_LEVELS;
    const values = all ? Array.from({ length: levels }, (_, k) => low + k) : [-2, -1, 1, 2].map((d) => x[v]! + d);
    for (const value of values) {
      if (value === x[v] || value < low || value >= low + levels) continue;
      const next = x.slice();
      next[v] = value;
      out.push(next);
    }
  });
  return out;
}

/** At most `count` random inputs that differ from x (length n) in two discrete variables, each as in `neighboursOf`. */
export function pairNeighboursOf(coding: Coding, x: Float64Array, count: number, random: RandomStream): Float64Array[] {
  const singles = neighboursOf(coding, x);
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
