import type { Goal, History, SuggestRequest, Target } from '../problem.ts';
import { isOpenEnded } from './targets.ts';

/**
 * An aspiration out of reach: a positive output divided by this, else so many ranges of the outputs beyond the best. Ten ranges away all
 * good values look alike, and with the square of the distance a search follows the slopes of bad ones.
 */
const BEYOND = { factor: 1e3, ranges: 1e-3 };
/**
 * How far the aspiration lies from the one of the runs that keep all limits towards the one of all runs, 0 to 1. A value that only breaking
 * limits attains draws the search to where they are broken; the best value within them says too little of how far it can get.
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
  const { all, kept } = valuesOf(history, goal, j);
  if (all.length === 0) return request;
  const beyondAll = aspiring(goal.targets[j]!, all);
  const beyondKept = kept.length === 0 ? beyondAll : aspiring(goal.targets[j]!, kept);
  const targets = goal.targets.with(j, between(beyondKept, beyondAll));
  return { ...request, goal: { ...goal, targets } };
}

/** The values of output j in all runs, and in those that keep all limits. */
function valuesOf({ count, Y, failed }: History, { targets }: Goal, j: number) {
  const m = targets.length;
  const known = Array.from({ length: count }, (_, i) => i).filter(
    (i) => failed[i] === 0 && Number.isFinite(Y[i * m + j]!),
  );
  const kept = known.filter((i) => targets.every((target, k) => isOpenEnded(target) || isKept(target, Y[i * m + k]!)));
  return { all: known.map((i) => Y[i * m + j]!), kept: kept.map((i) => Y[i * m + j]!) };
}

function isKept({ lower, upper, sigma }: Target, y: number): boolean {
  return sigma !== undefined || (y >= lower && y <= upper);
}

function aspiring(target: Target, values: readonly number[]): Target {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const beyond = BEYOND.ranges * (high - low || Math.abs(high) || 1);
  if (target.direction === 'maximize') return { ...target, lower: Math.min(Number.MAX_VALUE, high + beyond) };
  return { ...target, upper: low > 0 ? low / BEYOND.factor : Math.max(-Number.MAX_VALUE, low - beyond) };
}

function between(kept: Target, all: Target): Target {
  if (kept.direction === 'maximize') return { ...kept, lower: mean(kept.lower, all.lower) };
  return { ...kept, upper: mean(kept.upper, all.upper) };
}

/** The same to the last bit where both are equal. */
function mean(kept: number, all: number): number {
  return kept === all ? kept : (1 - TOWARDS_BROKEN) * kept + TOWARDS_BROKEN * all;
}
