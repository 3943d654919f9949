/**
 * Finds the run that comes nearest to an objective, whether or not any satisfies it. The miss of an output is 0 where it is satisfied,
 * otherwise its distance from its acceptance interval in units of its tolerance:
 *
 * - types with bounds: half the width between the bounds, in output units.
 * - inequalities, minimize, maximize: they have no tolerance; 1 percent of the absolute target (0.01 for a target of 0).
 * - exact: all outputs miss together; the L1 norm's excess over the threshold, in thresholds.
 * - fit: no miss, but the misfit (readableMisfit) is part of the sum.
 *
 * The nearest run has the smallest worst miss; among equals the smallest sum of misses; among those, where one output is to be minimized or
 * maximized without a target, the best value of it; among those the earliest. Cases come before iterations. Only what may be the answer
 * counts (search/ledger-run.ts). Weights and priorities say how much the misses count in this comparison (numbers/miss-shares.ts, by which
 * the optimizer compares as well); exact objectives are judged by one sum, which they leave alone.
 */

import { type Importance, missShares } from '../../numbers/miss-shares.ts';
import type { Matrix } from '../matrix.ts';
import { isCoarse } from '../problem/sources.ts';
import { toFinite } from '../vectors.ts';
import { compileGoal, distanceToInterval, exactThreshold, isInside } from './acceptance.ts';
import { fitGoalsOf, readableMisfit } from './fit.ts';
import { mayBeAnswer } from './ledger-run.ts';
import { hasNoTarget, type NearestSoFar, type ObjectiveDefinition, outputsWithoutTarget } from './objective.ts';
import { toleranceOf } from './tolerances.ts';

/** A definition with what it says about the importance of its outputs. */
export type WeighedDefinition = ObjectiveDefinition & { readonly options: Importance | null };

/**
 * Distance of an output vector from satisfying everything, each miss times its weight; worst and sum are finite, and 0
 * exactly when everything with a target is satisfied.
 */
export interface Miss {
  readonly worst: number;
  readonly sum: number;
  /** The only output without a target, less being better: negated where it is maximized. 0 without one, and with several. */
  readonly value: number;
}

export interface MissMeasure {
  /** Judges the m numbers from `offset` on. Allocates only its result. */
  measure(values: ArrayLike<number>, offset?: number): Miss;
  /** One miss per output, in its tolerance. */
  missesOf(output: readonly number[]): number[];
  /**
   * Per output and in its unit, how far it is beyond the end of its interval: negative below, 0 within, and 0 at the limit of a strict
   * inequality, whose miss is not 0. For exact, its difference from the target.
   */
  missedByOf(output: readonly number[]): number[];
  /** Distance from the data of a fit (readableMisfit); null without a fit. */
  misfitOf(output: readonly number[]): number | null;
}

/** An unsatisfied output must not round to a miss of 0, as at the limit of a strict inequality. */
const SMALLEST_MISS = Number.MIN_VALUE;
/** Share of its target that an objective without bounds counts as one unit. */
const UNIT_SHARE = 0.01;

/** Compiles a checked definition. Cost O(m). */
export function makeMissMeasure(definition: WeighedDefinition): MissMeasure {
  const { targets, l1 } = compileGoal(definition);
  const m = targets.length;
  const units = tolerancesOf(definition);
  if (l1 !== null) {
    const { center, threshold } = l1;
    const unit = units[0]!;
    const measure = (values: ArrayLike<number>, offset = 0): Miss => {
      let norm = 0;
      for (let j = 0; j < m; j++) norm += Math.abs(values[offset + j]! - center[j]!);
      const worst = norm <= threshold ? 0 : inUnits(norm - threshold, unit);
      return { worst, sum: toFinite(m * worst), value: 0 };
    };
    return {
      measure,
      missesOf: (output) => new Array<number>(m).fill(measure(output).worst),
      missedByOf: (output) => output.map((y, j) => toFinite(y - center[j]!)),
      misfitOf: () => null,
    };
  }
  const shares = missShares(m, definition.options ?? {});
  const fits = fitGoalsOf(definition);
  const openValue = makeOpenValue(definition);
  const missOf = (j: number, y: number): number => {
    const interval = targets[j]!;
    return isInside(interval, y) ? 0 : inUnits(distanceToInterval(interval, y), units[j]!);
  };
  return {
    measure: (values, offset = 0) => {
      let worst = 0;
      let sum = 0;
      for (let j = 0; j < m; j++) {
        const miss = missOf(j, values[offset + j]!);
        if (miss === 0) continue;
        const counted = Math.max(SMALLEST_MISS, miss * shares[j]!);
        sum += counted;
        if (counted > worst) worst = counted;
      }
      if (fits.length > 0) sum += readableMisfit(fits, values, offset);
      return { worst, sum: toFinite(sum), value: openValue(values, offset) };
    },
    missesOf: (output) => output.map((y, j) => missOf(j, y)),
    missedByOf: (output) => output.map((y, j) => beyond(targets[j]!, y)),
    misfitOf: (output) => (fits.length > 0 ? readableMisfit(fits, output) : null),
  };
}

/** Value of the only output without a target. A front has no best run by one value: findOptimum (search/optimum.ts) chooses among all. */
function makeOpenValue(definition: ObjectiveDefinition): (values: ArrayLike<number>, offset: number) => number {
  const [j, ...others] = outputsWithoutTarget(definition);
  if (j === undefined || others.length > 0) return () => 0;
  const sign = definition.objectiveTypes[j] === 'minimize' ? 1 : -1;
  return (values, offset) => sign * values[offset + j]!;
}

function beyond({ lower, upper }: { readonly lower: number; readonly upper: number }, y: number): number {
  if (y < lower) return toFinite(y - lower);
  return y > upper ? toFinite(y - upper) : 0;
}

/** Size of a miss of 1, per output and in output units. For exact it is the threshold, which all outputs share. */
export function tolerancesOf(definition: ObjectiveDefinition): readonly number[] {
  const isExact = definition.objectiveTypes[0] === 'exact';
  const threshold = isExact ? exactThreshold(definition) : undefined;
  return definition.objectives.map((_, j) => Math.max(Number.MIN_VALUE, threshold ?? unitOf(definition, j)));
}

function unitOf(definition: ObjectiveDefinition, j: number): number {
  if (hasNoTarget(definition, j) || definition.objectiveTypes[j] === 'fit') return 1;
  const t = Math.abs(definition.objectives[j]!);
  const tolerance = toleranceOf(definition, j);
  if (tolerance === null) return UNIT_SHARE * (t === 0 ? 1 : t);
  // Halved first: the difference of two doubles may overflow.
  const { minimum, maximum } = tolerance.bounds;
  return toFinite(tolerance.toUnits(maximum / 2 - minimum / 2));
}

function inUnits(distance: number, unit: number): number {
  return Math.max(SMALLEST_MISS, toFinite(distance / unit));
}

/** Whether `challenger` comes strictly nearer than `holder`: of equals the earlier stays. */
export function isNearer(challenger: Miss, holder: Miss): boolean {
  if (challenger.worst !== holder.worst) return challenger.worst < holder.worst;
  if (challenger.sum !== holder.sum) return challenger.sum < holder.sum;
  return challenger.value < holder.value;
}

/** A case by its zero-based number, with its miss. */
export interface JudgedCase {
  readonly number: number;
  readonly miss: Miss;
}

/**
 * The nearest of `holder` and the cases in `outputs`; null when all of them failed. Cost O(rows x m).
 *
 * @param first  number of the case in row 0
 */
export function nearestCase(
  measure: MissMeasure,
  outputs: Matrix,
  failed: ReadonlySet<number>,
  { first, holder }: { readonly first: number; readonly holder: JudgedCase | null } = { first: 0, holder: null },
): JudgedCase | null {
  let nearest = holder;
  for (let row = 0; row < outputs.rows; row++) {
    if (failed.has(first + row)) continue;
    const miss = measure.measure(outputs.values, row * outputs.columns);
    if (nearest === null || isNearer(miss, nearest.miss)) nearest = { number: first + row, miss };
  }
  return nearest;
}

interface Iteration {
  readonly iteration: number;
  readonly output: readonly number[] | null;
}

/**
 * The nearest iteration, given what is known about the earlier ones. Iterations without an output count as judged once a later
 * one has its output.
 *
 * @param iterations  ascending; the known nearest one and all after `judgedThrough`, others are skipped
 */
export function judgeIterations(
  measure: MissMeasure,
  known: Pick<NearestSoFar, 'nearestIteration' | 'judgedThrough'>,
  iterations: Iterable<Iteration>,
): { readonly nearestIteration: number | null; readonly judgedThrough: number } {
  let nearest: { readonly iteration: number; readonly miss: Miss } | null = null;
  let judgedThrough = known.judgedThrough ?? 0;
  for (const { iteration, output } of iterations) {
    if (output === null || !isToBeJudged(known, iteration)) continue;
    judgedThrough = Math.max(judgedThrough, iteration);
    const miss = measure.measure(output);
    if (nearest === null || isNearer(miss, nearest.miss)) nearest = { iteration, miss };
  }
  return { nearestIteration: nearest?.iteration ?? known.nearestIteration, judgedThrough };
}

function isToBeJudged(known: Pick<NearestSoFar, 'nearestIteration' | 'judgedThrough'>, iteration: number): boolean {
  return iteration === known.nearestIteration || iteration > (known.judgedThrough ?? 0);
}

/** The run that came nearest so far. */
export interface NearestRun {
  /** A case by its zero-based number, or an inverse. */
  readonly source:
    | { readonly kind: 'case'; readonly number: number }
    | { readonly kind: 'inverse'; readonly id: number; readonly iteration: number };
  readonly input: readonly number[];
  readonly output: readonly number[];
  /** One per output, in tolerances. */
  readonly misses: readonly number[];
  /** The same in units of the outputs; see MissMeasure. */
  readonly missedBy: readonly number[];
}

/** The largest miss of a run. */
export interface WorstOutput {
  /** Zero-based number; null for exact objectives, which are judged together. */
  readonly number: number | null;
  /** From the end of its interval, in its unit; for exact objectives the L1 norm beyond the threshold. */
  readonly distance: number;
}

/** null for a run that meets everything. */
export function worstOutputOf(
  definition: ObjectiveDefinition,
  { output, misses }: Pick<NearestRun, 'output' | 'misses'>,
): WorstOutput | null {
  const worst = Math.max(...misses);
  if (worst === 0) return null;
  const { targets, l1 } = compileGoal(definition);
  if (l1 === null) {
    const number = misses.indexOf(worst);
    return { number, distance: distanceToInterval(targets[number]!, output[number]!) };
  }
  const norm = output.reduce((sum, y, j) => sum + Math.abs(y - l1.center[j]!), 0);
  return { number: null, distance: toFinite(norm - l1.threshold) };
}

interface Run extends Iteration {
  readonly id: number;
  readonly input: readonly number[] | null;
  /** Set while it is excluded, so that it counts for nothing. */
  readonly excludedAt: Date | null;
  /** Name of a cheaper source if it has one, so that the run counts for nothing. */
  readonly source?: string | null;
}

/**
 * The nearest run of an objective, or null while its cases have not been judged.
 *
 * @param runs  ascending; at least the nearest known iteration and all after `judgedThrough`
 */
export function findNearestRun(objective: WeighedDefinition & NearestSoFar, runs: Iterable<Run>): NearestRun | null {
  if (objective.judgedThrough === null) return null;
  const measure = makeMissMeasure(objective);
  const byIteration = [...runs].filter(
    ({ iteration, excludedAt, source = null }) =>
      isToBeJudged(objective, iteration) &&
      // Only an initial point may break a limit, and it has been judged.
      mayBeAnswer({ isAdmissible: true, isExcluded: excludedAt !== null, isCoarse: isCoarse({ source }) }),
  );
  const { nearestIteration } = judgeIterations(measure, objective, byIteration);
  const run = byIteration.find(({ iteration }) => iteration === nearestIteration);
  const nearest = (source: NearestRun['source'], input: readonly number[], output: readonly number[]): NearestRun => {
    return { source, input, output, misses: measure.missesOf(output), missedBy: measure.missedByOf(output) };
  };
  const { nearestCase: number, nearestCaseInput: input, nearestCaseOutput: output } = objective;
  const isRunNearer =
    run?.output != null && (output === null || isNearer(measure.measure(run.output), measure.measure(output)));
  if (isRunNearer) return nearest({ kind: 'inverse', id: run.id, iteration: run.iteration }, run.input!, run.output!);
  if (number === null || input === null || output === null) return null;
  return nearest({ kind: 'case', number }, input, output);
}
