/**
 * Whether the models know an end of a profile. They rest on few runs: where inputs take the place of one another, slopes that are off by
 * little make an end where the real misfit does not rise at all.
 */
import type { ProfileEnd } from '../interface/insights.ts';
import type { Work } from '../numerics/work.ts';
import { type MisfitModel, misfitModel } from '../search/least-misfit.ts';
import type { Prepared } from '../search/prepare.ts';
import { trustedRows } from '../search/trusted-region.ts';
import { movableCount } from '../space/encoding.ts';
import type { Box } from '../space/search-space.ts';
import { type Held, leastFrom, pinned, type Side } from './misfit-profile.ts';

/**
 * An input whose effect the others cancel: moved alone, they would raise the misfit by more than this many times the rise that is left. Slopes
 * must then be right to one part in seven, and other models have to agree. Ordinary fits cancel 1 to 60 times.
 */
const CANCELLED = 50;
/** The same with so few runs that there are no other models. */
const CANCELLED_BY_FEW = 8;
/** Other models agree with an end where they see this share of its rise. */
const AGREED = 0.5;
/** They learn from the best runs: so many more than inputs, and those of the trusted region. */
const FURTHER_RUNS = 3;

interface Known {
  readonly prepared: Prepared;
  /** Number of the best case. */
  readonly best: number;
  readonly model: MisfitModel;
  readonly least: Held;
  readonly box: Box;
  /** Length p: half the second derivative of the misfit by each feature alone. */
  readonly steepness: Float64Array;
  /** Increase of the misfit at an end. */
  readonly threshold: number;
  readonly work: Work;
}

/** Standard deviation of the misfit at the features u, by the models. */
export function spreadAt({ predictor, aim }: MisfitModel, u: Float64Array): number {
  predictor.predict(u);
  const sigma = predictor.sigma.slice();
  aim.evaluate(u);
  return aim.spreadOf(sigma);
}

/** Whether a move raises the misfit much less than its parts would alone. @param rise that of the whole move */
export function isCancelled(
  steepness: Float64Array,
  move: (f: number) => number,
  rise: number,
  times = CANCELLED,
): boolean {
  return steepness.reduce((sum, one, f) => sum + one * move(f) ** 2, 0) > times * rise;
}

/** Judges the ends of profiles, feature by feature. */
export function makeEndJudge({ prepared, best, model, least, box, steepness, threshold, work }: Known) {
  let others: readonly { readonly model: MisfitModel; readonly least: Held }[] | null = null;
  const makeOthers = () => {
    const rows = trustedRows(prepared);
    return [rows, rows.subarray(0, movableCount(prepared.encoding) + FURTHER_RUNS)].map((some) => {
      const other = misfitModel(prepared, best, some, work);
      return { model: other, least: leastFrom(other, least.u, box, work) };
    });
  };
  // Models of the same runs are no second opinion.
  const areFew = prepared.cases.N <= movableCount(prepared.encoding) + FURTHER_RUNS;
  const isAgreed = (f: number, { u }: Held) => {
    others ??= makeOthers();
    return others.every(
      (other) => pinned(other.model, u, f, u[f]!, box, work).misfit - other.least.misfit >= AGREED * threshold,
    );
  };
  return (f: number, { end, points }: Side): ProfileEnd => {
    const { u } = end ?? points.at(-1)!;
    if (spreadAt(model, u) > threshold) return 'not-known';
    if (end === null) return u[f] === box.lower[f] || u[f] === box.upper[f] ? 'bound' : 'not-known';
    const move = (g: number) => u[g]! - least.u[g]!;
    if (!isCancelled(steepness, move, threshold, areFew ? CANCELLED_BY_FEW : CANCELLED)) return 'found';
    return !areFew && isAgreed(f, end) ? 'found' : 'not-known';
  };
}
