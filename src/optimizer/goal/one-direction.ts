import type { Goal, History, SuggestRequest, Target } from '../problem.ts';
import { isOpenEnded } from './targets.ts';

/**
 * An aspiration out of reach: a positive output divided by this, else so many ranges of the outputs beyond the best. Ten ranges away all
 * good values look alike, and with the square of the distance a search follows the slopes of bad ones.
 */
const BEYOND = { factor: 1e3, ranges: 1e-3 };

/**
 * A request whose one output without aspiration gets one that is out of reach: with one coordinate a front is a single best value, and the
 * search for that ends by evidence. The same request with several of them, with none, and before a run succeeded.
 */
export function withOneDirection(request: SuggestRequest): SuggestRequest {
  const { goal, history } = request;
  const open = goal.targets.flatMap((target, j) => (isOpenEnded(target) ? [j] : []));
  if (open.length !== 1) return request;
  const values = valuesOf(history, goal, open[0]!);
  if (values.length === 0) return request;
  const targets = goal.targets.with(open[0]!, aspiring(goal.targets[open[0]!]!, values));
  return { ...request, goal: { ...goal, targets } };
}

function valuesOf({ count, Y, failed }: History, { targets }: Goal, j: number): number[] {
  const m = targets.length;
  return Array.from({ length: count }, (_, i) => Y[i * m + j]!).filter((y, i) => failed[i] === 0 && Number.isFinite(y));
}

function aspiring(target: Target, values: readonly number[]): Target {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const beyond = BEYOND.ranges * (high - low || Math.abs(high) || 1);
  if (target.direction === 'maximize') return { ...target, lower: Math.min(Number.MAX_VALUE, high + beyond) };
  return { ...target, upper: low > 0 ? low / BEYOND.factor : Math.max(-Number.MAX_VALUE, low - beyond) };
}
