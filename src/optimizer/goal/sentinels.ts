/**
 * Programs that answer a huge number, such as 1e20, where they have calculated nothing. Models take it for a value, and nothing else in the
 * output counts beside it. Such an answer becomes a value as bad as the worst one that was calculated.
 */
import type { SuggestRequest, Target } from '../problem.ts';

/** A value of such a magnitude stands for none where it is so many times larger than all smaller ones. Larger ones are absurd. */
const SENTINEL = { least: 1e19, most: 1e30, ratio: 1e6 };

/** The request with such answers replaced; the same request without any. */
export function withoutSentinels(request: SuggestRequest): SuggestRequest {
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
