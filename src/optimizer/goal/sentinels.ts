/**
 * Answers of programs that are no values, which would leave nothing else of an output to the models.
 *
 * A huge number, such as 1e20, stands where nothing was calculated: it becomes a value as bad as the worst one that was calculated. Several
 * different absurd ones, such as 1e300 and -2e290, are a calculation that has run away: such a run tells no more than one that failed. A row
 * with one absurd value is rather a slip of the pen, and set aside (contradictions.ts).
 */
import type { SuggestRequest, Target } from '../interface/problem.ts';

/** A value of such a magnitude stands for none where it is so many times larger than all smaller ones. Larger ones are absurd. */
const SENTINEL = { least: 1e19, most: 1e30, ratio: 1e6 };
/** A value so many times what the output and its target otherwise are is absurd. */
const ABSURD_RATIO = 1e30;

/** The request with such answers replaced; the same request without any. */
export function withoutSentinels(asked: SuggestRequest): SuggestRequest {
  const request = withoutRunaways(asked);
  const { goal, history } = request;
  const m = goal.targets.length;
  let Y: Float64Array | null = null;
  for (const [j, target] of goal.targets.entries()) {
    const values = usable(request, j);
    const sentinel = sentinelIn(values);
    if (sentinel === null) continue;
    Y ??= history.Y.slice();
    const others = values.filter((y) => Math.abs(y) !== sentinel);
    for (const sign of [1, -1]) {
      const instead = worstOf(others, sign, target);
      for (let i = 0; i < history.count; i++) if (Y[i * m + j] === sign * sentinel) Y[i * m + j] = instead;
    }
  }
  return Y === null ? request : { ...request, history: { ...history, Y } };
}

/** The request with rows that have several different absurd values as failed ones; the same request without any. */
function withoutRunaways(request: SuggestRequest): SuggestRequest {
  const { goal, history } = request;
  const { count, Y, failed } = history;
  const m = goal.targets.length;
  const limits = goal.targets.map((target, j) => absurdFrom(usable(request, j), sizeOfTarget(target)));
  if (limits.every((limit) => limit === Number.POSITIVE_INFINITY)) return request;
  const isAbsurd = (i: number, j: number) => Math.abs(Y[i * m + j]!) >= limits[j]!;
  const rows = Array.from({ length: count }, (_, i) => i).filter((i) => {
    const absurd = goal.targets.flatMap((_, j) => (failed[i] === 0 && isAbsurd(i, j) ? [Y[i * m + j]!] : []));
    return new Set(absurd).size > 1;
  });
  if (rows.length === 0) return request;
  const gone = failed.slice();
  for (const i of rows) gone[i] = 1;
  return { ...request, history: { ...history, failed: gone } };
}

function sizeOfTarget({ lower, upper }: Target): number {
  return Math.max(0, ...[lower, upper].filter(Number.isFinite).map(Math.abs));
}

/**
 * The magnitude from which values of an output are absurd; Infinity where none is. Three quarters of the values are not, or all that a
 * calculation may have found: of few cases most may be absurd.
 *
 * @param target  the magnitude of its target, 0 for none
 */
export function absurdFrom(values: ArrayLike<number>, target: number): number {
  const sizes = Float64Array.from(values, Math.abs).sort();
  const ordinary = sizes.filter((size) => size < SENTINEL.most).at(-1);
  const among = [
    Math.max(target, sizes[Math.ceil(0.75 * sizes.length) - 1] ?? 0),
    ...(ordinary === undefined ? [] : [Math.max(target, ordinary, SENTINEL.most / ABSURD_RATIO)]),
  ];
  return Math.min(...among.map((size) => (size > 0 ? ABSURD_RATIO * size : Number.POSITIVE_INFINITY)));
}

function usable({ goal, history }: SuggestRequest, j: number): number[] {
  const m = goal.targets.length;
  return Array.from({ length: history.count }, (_, i) => history.Y[i * m + j]!).filter(
    (y, i) => history.failed[i] === 0 && Number.isFinite(y),
  );
}

/** The magnitude of the answers without a value; null for none. */
function sentinelIn(values: readonly number[]): number | null {
  const sizes = values.map(Math.abs);
  const largest = Math.max(...sizes, 0);
  if (largest < SENTINEL.least || largest > SENTINEL.most) return null;
  const others = sizes.filter((size) => size < largest);
  return others.length > 0 && Math.max(...others) * SENTINEL.ratio <= largest ? largest : null;
}

/** The calculated value nearest to an infinite one of this sign; one outside of the target where all lie inside. */
function worstOf(values: readonly number[], sign: number, { lower, upper }: Target): number {
  const ends = { most: Math.max(...values), least: Math.min(...values) };
  const worst = sign > 0 ? ends.most : ends.least;
  if (worst < lower || worst > upper) return worst;
  const end = sign > 0 ? upper : lower;
  return Number.isFinite(end) ? end + sign * (ends.most - ends.least || Math.abs(end) || 1) : worst;
}
