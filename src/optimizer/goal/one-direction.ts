import type { Goal, History, SuggestRequest, Target } from '../interface/problem.ts';
import { isOpenEnded, meetsLimits, toIntervals } from './targets.ts';

/**
 * Without limits the aspiration lies a share of the range of so many best values beyond the best. It comes nearer as they do, so that a
 * search goes on to small differences. Farther off from `inputs` on: among several inputs a near aim leads to small steps.
 */
const ALONE = { best: 12, share: 0.02, farther: { inputs: 4, share: 0.1 } };
/**
 * Beside limits: a positive output divided by this, else so many ranges of the outputs beyond the best. Ten ranges away all good values look
 * alike, and with the square of the distance a search follows the slopes of bad ones.
 */
const WITHIN_LIMITS = { factor: 1e3, ranges: 1e-3 };
/**
 * Position of the aspiration between the one from the runs that keep all limits (0) and the one from all runs (1). A value that only
 * breaking limits attains draws the search to where they are broken; the best value within them says too little of how far it can get.
 */
const TOWARDS_BROKEN = 0.5;

/**
 * A request whose one output without aspiration gets one that is out of reach: with one coordinate a front is a single best value, and the
 * search for that ends by evidence. The same request with several of them, with none, and before a run succeeded.
 */
export function withOneDirection(request: SuggestRequest): SuggestRequest {
  const { goal, history } = request;
  const open = goal.targets.flatMap((target, j) => (isOpenEnded(target) ? [j] : []));
  if (open.length !== 1) return request;
  const j = open[0]!;
  const target = goal.targets[j]!;
  const { all, kept } = valuesOf(history, goal, j);
  if (all.length === 0) return request;
  const aspired =
    goal.targets.length === 1
      ? aspiringAlone(target, all, request.space.variables.length)
      : aspiringWithin(target, all, kept);
  return { ...request, goal: { ...goal, targets: goal.targets.with(j, aspired) } };
}

/** The values of output j in all runs, and in those that meet all limits. */
function valuesOf({ count, Y, failed }: History, goal: Goal, j: number) {
  const m = goal.targets.length;
  const runs = Array.from({ length: count }, (_, i) => Y.subarray(i * m, (i + 1) * m)).filter(
    (run, i) => failed[i] === 0 && Number.isFinite(run[j]!),
  );
  const whole = runs.filter((run) => run.every(Number.isFinite));
  const intervals = toIntervals(goal, Float64Array.from(whole.flatMap((run) => Array.from(run))), whole.length);
  const kept = whole.filter((run) => meetsLimits(intervals, run));
  return { all: runs.map((run) => run[j]!), kept: kept.map((run) => run[j]!) };
}

/** @param n number of inputs */
function aspiringAlone(target: Target, values: readonly number[], n: number): Target {
  const sign = target.direction === 'maximize' ? -1 : 1;
  const rising = Float64Array.from(values, (y) => sign * y).sort();
  const best = rising[0]!;
  const range = rising[Math.min(ALONE.best, rising.length) - 1]! - best || rising.at(-1)! - best || Math.abs(best) || 1;
  const { share } = n < ALONE.farther.inputs ? ALONE : ALONE.farther;
  const aspiration = Math.max(-Number.MAX_VALUE, best - share * range);
  return { ...target, ...(sign > 0 ? { upper: aspiration } : { lower: -aspiration }), isUnstated: true };
}

function aspiringWithin(target: Target, all: readonly number[], kept: readonly number[]): Target {
  const beyondAll = beyond(target, all);
  const beyondKept = kept.length === 0 ? beyondAll : beyond(target, kept);
  // The same to the last bit where both are equal.
  const aspiration =
    beyondKept === beyondAll ? beyondAll : (1 - TOWARDS_BROKEN) * beyondKept + TOWARDS_BROKEN * beyondAll;
  return { ...target, ...(target.direction === 'maximize' ? { lower: aspiration } : { upper: aspiration }) };
}

function beyond({ direction }: Target, values: readonly number[]): number {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const step = WITHIN_LIMITS.ranges * (high - low || Math.abs(high) || 1);
  if (direction === 'maximize') return Math.min(Number.MAX_VALUE, high + step);
  return low > 0 ? low / WITHIN_LIMITS.factor : Math.max(-Number.MAX_VALUE, low - step);
}
