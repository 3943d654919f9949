import type { Problem } from '../../bench/problems/problem.ts';
import { toDefinition } from '../../bench/problems/problem.ts';
import { makeUniform } from '../../bench/problems/random.ts';
import { compileGoal } from '../../src/domain/search/acceptance.ts';

/** Share of the points that a level keeps. */
const KEPT = 0.1;
/** Moves of every kept point at each level. */
const MOVES = 20;
const MOST_LEVELS = 60;

/**
 * Estimates the share of the box that meets all one-sided targets, by levels that each keep a tenth of the points and walk
 * on from there.
 *
 * Source: Au and Beck 2001, Probabilistic Engineering Mechanics 16 (subset simulation).
 *
 * @param count points of a level
 * @param enough a share below this is not estimated further
 */
export function shareFeasible(problem: Problem, count: number, seed: number, enough = 0): number {
  const uniform = makeUniform(seed);
  const { targets } = compileGoal(toDefinition(problem));
  const run = { seed, index: 0 };
  /** Largest violation, <= 0 inside; each output in units of its violation at the start. */
  const start = problem.evaluate(problem.start, run)!;
  const violation = (y: number, j: number) => Math.max(targets[j]!.lower - y, y - targets[j]!.upper);
  const unit = start.map((y, j) => Math.abs(violation(y, j)) || 1);
  const worst = (x: readonly number[]) =>
    Math.max(...problem.evaluate(x, run)!.map((y, j) => violation(y, j) / unit[j]!));
  const draw = () => problem.variables.map(({ minimum, maximum }) => minimum + uniform() * (maximum - minimum));
  const measured = (x: number[]) => ({ x, value: worst(x) });
  let points = Array.from({ length: count }, () => measured(draw()));
  let share = 1;
  for (let level = 0; level < MOST_LEVELS && share >= enough; level++) {
    points.sort((a, b) => a.value - b.value);
    const inside = points.filter(({ value }) => value <= 0).length;
    if (inside >= KEPT * count) return (share * inside) / count;
    share *= KEPT;
    const kept = points.slice(0, KEPT * count);
    const limit = kept.at(-1)!.value;
    points = Array.from({ length: count }, (_, i) => {
      let at = kept[i % kept.length]!;
      for (let move = 0; move < MOVES; move++) {
        const [a, b] = [kept[Math.floor(uniform() * kept.length)]!.x, kept[Math.floor(uniform() * kept.length)]!.x];
        const reach = 1.2 * (2 * uniform() - 1);
        const x = at.x.map((value, v) => value + reach * (a[v]! - b[v]!) + 1e-3 * (uniform() - 0.5));
        if (x.some((value, v) => value < problem.variables[v]!.minimum || value > problem.variables[v]!.maximum))
          continue;
        const next = measured(x);
        if (next.value <= limit) at = next;
      }
      return at;
    });
  }
  return share;
}
