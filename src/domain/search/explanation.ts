/** Knowledge of the optimizer about an objective: how far its model can be trusted and what seems out of reach. */
import type { Diagnosis, Explanation } from '../../optimizer/interface/insights.ts';
import type { Standing } from '../../optimizer/interface/problem.ts';
import { toFinite } from '../vectors.ts';
import { compileGoal, distanceToInterval, isInside } from './acceptance.ts';
import type { StoredAdvice } from './advice.ts';
import { makeMissMeasure, type NearestRun, type WeighedDefinition } from './nearest.ts';
import type { ObjectiveDefinition } from './objective.ts';
import { toleranceOf } from './tolerances.ts';

export interface StoredExplanation extends Omit<Explanation, 'standing' | 'advice'> {
  /** Number of evaluated cases it is based on. */
  readonly caseCount: number;
  /** null and left out where the objective asks for no more than one run. */
  readonly standing?: InputStanding | null;
  readonly advice?: readonly StoredAdvice[] | null;
}

/** The first run at an input: a case by its zero-based number, or an iteration, where stated of another objective. */
export type FirstRun = { readonly caseNumber: number } | { readonly iteration: number; readonly objectiveId?: number };

/** Certainty that an input meets the targets. An earlier release stored neither `output` nor what follows it. */
export interface InputStanding extends Pick<Standing, 'runs' | 'run' | 'mean'> {
  readonly input: readonly number[];
  /** The mean of the runs there that succeeded, and how many they are. */
  readonly output?: readonly number[];
  readonly meanOf?: number;
  readonly from?: FirstRun;
  /** Revision of the trial's data that it was computed from. */
  readonly revision?: number;
  /** The inverse of the first run, or where a case was first, the first inverse at the input; null without one. Looked up when it is read. */
  readonly inverseId?: number | null;
  /** Number of the objective of the first run within the trial, if it is another one. Looked up as well. */
  readonly objectiveNumber?: number | null;
}

/** Adds the fields that an earlier release did not store. */
export function completeExplanation(stored: StoredExplanation): StoredExplanation {
  const { insight, diagnosis } = stored;
  return {
    ...stored,
    insight: insight?.map((output) => ({ ...NO_RANGES, ...output })) ?? null,
    diagnosis: diagnosis && {
      ...NO_NORM,
      ...diagnosis,
      unmet: diagnosis.unmet.map((one) => ({ ...NOT_ALONE, ...one })),
    },
  };
}

const NO_RANGES = { sensitivityRanges: null };
const NO_NORM = { l1Norm: null };
const NOT_ALONE = { isOutOfReachAlone: false };

/** A prediction is told instead of the best run when its worst miss is smaller by at least this share. */
const NOTICEABLY = 0.025;

/**
 * The diagnosis as it is told: its nearest point is the best run, unless the models expect to come noticeably nearer elsewhere. The
 * optimizer compares points by a measure of its own, and runs may have come later. What can be attained within limits is kept as it is.
 * null when the best run refutes it.
 */
export function diagnosisAt(
  best: Pick<NearestRun, 'input' | 'output'> | null,
  diagnosis: Diagnosis,
  definition: WeighedDefinition,
): Diagnosis | null {
  if (best === null || diagnosis.attainable) return diagnosis;
  const { measure } = makeMissMeasure(definition);
  const reached = measure(best.output).worst;
  if (reached === 0) return null;
  const isPredicted = diagnosis.nearestIs === 'predicted';
  if (isPredicted && measure(diagnosis.nearestOutput).worst < (1 - NOTICEABLY) * reached) return diagnosis;
  const nearest = { nearestInput: best.input, nearestOutput: best.output, nearestIs: 'evaluated' } as const;
  return { ...diagnosis, ...nearest, ...missesAt(best.output, diagnosis, definition) };
}

function missesAt(
  output: readonly number[],
  { unmet }: Diagnosis,
  definition: ObjectiveDefinition,
): Pick<Diagnosis, 'l1Norm' | 'unmet'> {
  const { targets, l1 } = compileGoal(definition);
  const distances = output.map((y, j) =>
    l1 ? toFinite(Math.abs(y - l1.center[j]!)) : distanceToInterval(targets[j]!, y),
  );
  const isAlone = (j: number) => unmet.some((one) => one.output === j && one.isOutOfReachAlone);
  return {
    l1Norm: l1 && toFinite(distances.reduce((sum, distance) => sum + distance, 0)),
    unmet: distances.flatMap((distance, j) =>
      isInside(targets[j]!, output[j]!) ? [] : [{ output: j, distance, isOutOfReachAlone: isAlone(j) }],
    ),
  };
}

/**
 * By how much the bound of an objective, or its target if it has none, would have to move to accept an output that misses
 * it by `distance`: in what the bounds of its type count in, otherwise in output units.
 */
export function relaxation(definition: ObjectiveDefinition, output: number, distance: number): number {
  const tolerance = toleranceOf(definition, output);
  return tolerance === null ? distance : Math.min(Number.MAX_VALUE, tolerance.fromUnits(distance));
}
