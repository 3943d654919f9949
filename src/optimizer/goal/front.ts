/** The front of a search with outputs to minimize or maximize without aspiration. */

import { nonDominated } from '../../numbers/pareto.ts';
import type { Goal } from '../interface/problem.ts';
import type { Cases } from './cases.ts';
import { isOpenEnded } from './targets.ts';

/** An output without aspiration: a coordinate of the front, which is its sign times the output. */
export interface OpenOutput {
  /** Its number. */
  readonly j: number;
  readonly sign: 1 | -1;
  /** As a coordinate; null where none is stated. */
  readonly reference: number | null;
}

/** The outputs without aspiration; empty for a goal without front. */
export function openOutputs(goal: Goal): OpenOutput[] {
  return goal.targets.flatMap((target, j) => {
    if (!isOpenEnded(target)) return [];
    const sign = target.direction === 'minimize' ? 1 : -1;
    return [{ j, sign, reference: target.reference === undefined ? null : sign * target.reference }];
  });
}

export interface Front {
  /** Numbers of the cases on it, ascending. */
  readonly rows: readonly number[];
  /** Their coordinates. */
  readonly points: readonly (readonly number[])[];
}

/** Cases that meet the conditions and every target: a front holds no others. */
export function feasibleCases({ N, isAdmissible, loss }: Cases): number[] {
  return Array.from({ length: N }, (_, i) => i).filter((i) => isAdmissible[i] === 1 && loss[i] === 0);
}

/** The coordinates of rows of m outputs. */
export function pointsOf(open: readonly OpenOutput[], Y: Float64Array, m: number): number[][] {
  return Array.from({ length: Y.length / m }, (_, i) => open.map(({ j, sign }) => sign * Y[i * m + j]!));
}

export function frontOf(cases: Cases, open: readonly OpenOutput[]): Front {
  const feasible = feasibleCases(cases);
  const everywhere = pointsOf(open, cases.Y, cases.intervals.length);
  const all = feasible.map((i) => everywhere[i]!);
  const kept = nonDominated(all);
  return { rows: kept.map((k) => feasible[k]!), points: kept.map((k) => all[k]!) };
}

/**
 * Length N: how far each case lies behind the front, as a share of its ranges: by so much it is worse than some point of the front in
 * every output; a miss of other targets counts besides, in units of what the output varies by. 0 on the front.
 *
 * @param points of the front, at least one
 */
export function distancesBehind(
  cases: Cases,
  open: readonly OpenOutput[],
  points: readonly (readonly number[])[],
): Float64Array {
  const ranges = open.map((_, c) => {
    const values = points.map((point) => point[c]!);
    return Math.max(...values) - Math.min(...values) || 1;
  });
  const all = pointsOf(open, cases.Y, cases.intervals.length);
  return Float64Array.from(all, (at, i) => {
    let behind = Number.POSITIVE_INFINITY;
    for (const point of points) {
      let worst = 0;
      for (let c = 0; c < at.length; c++) worst = Math.max(worst, (at[c]! - point[c]!) / ranges[c]!);
      behind = Math.min(behind, worst);
    }
    return behind + Math.sqrt(cases.loss[i]!);
  });
}

/** Share of the range of the front by which a reference that is not stated lies beyond its worst values. */
const BEYOND = 0.1;

/**
 * The point below which a front is measured: what is stated, else a tenth of the front's range beyond its worst value; of a
 * front without range, a tenth of the range of all points.
 *
 * @param points of the front, at least one
 * @param all of every run
 */
export function referenceOf(
  open: readonly OpenOutput[],
  points: readonly (readonly number[])[],
  all: readonly (readonly number[])[],
): number[] {
  return open.map(({ reference }, c) => {
    if (reference !== null) return reference;
    const worst = Math.max(...points.map((point) => point[c]!));
    const range = worst - Math.min(...points.map((point) => point[c]!));
    const spread =
      range > 0 ? range : Math.max(...all.map((point) => point[c]!)) - Math.min(...all.map((point) => point[c]!));
    return worst + BEYOND * (spread > 0 ? spread : Math.abs(worst) || 1);
  });
}
