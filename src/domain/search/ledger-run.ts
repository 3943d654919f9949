/** A run of a search with what it counts for. */
import type { RunResult } from '../data/run-result.ts';
import type { Project } from '../problem/project.ts';
import { isCoarse } from '../problem/sources.ts';
import { type Inverse, InverseStatus, isRepeat } from './inverse.ts';
import { isAdmissible, type ObjectiveLimits } from './objective-limits.ts';

/** An inverse as it is stored, with its result as it counts now. */
export interface LedgerRun {
  readonly id: number;
  readonly iteration: number;
  readonly status: InverseStatus;
  /** null: it was not computed. */
  readonly input: readonly number[] | null;
  /** null: it has none. */
  readonly output: readonly number[] | null;
  /** Whether the client reported that the run failed. */
  readonly isFailed: boolean;
  readonly isExcluded: boolean;
  /** Whether its input keeps all limits, those of the project and those of the objective. */
  readonly isAdmissible: boolean;
  /** Whether it is of a cheaper source. */
  readonly isCoarse?: boolean;
  /** Whether it repeats a known run and ends the search. */
  readonly isRepeat: boolean;
  /** Whether the attempts were used up with it. */
  readonly isExhausting: boolean;
  readonly completedOrder: number | null;
}

/**
 * Whether a run may be the answer: a solution, the best or the nearest run. Others are data at most: a run that is excluded, one of a
 * cheaper source, and an initial point that breaks a limit.
 */
export function mayBeAnswer({
  isAdmissible,
  isCoarse = false,
  isExcluded = false,
}: Pick<LedgerRun, 'isAdmissible' | 'isCoarse'> & Partial<Pick<LedgerRun, 'isExcluded'>>): boolean {
  return isAdmissible && !isCoarse && !isExcluded;
}

/** @param known  the result as it counts now, if it is not the stored one */
export function toLedgerRun(project: Project, limits: ObjectiveLimits, inverse: Inverse, known?: RunResult): LedgerRun {
  const { id, iteration, status, input, completedOrder } = inverse;
  const { output, isExcluded } = known ?? { output: inverse.output, isExcluded: inverse.excludedAt !== null };
  return {
    id,
    iteration,
    status,
    input,
    output,
    isFailed: known === undefined ? status === InverseStatus.failed && input !== null : output === null,
    isExcluded,
    isAdmissible: input !== null && isAdmissible(project, limits, input),
    isCoarse: isCoarse(inverse),
    isRepeat: known === undefined && isRepeat(inverse),
    isExhausting: inverse.exhaustedAt !== null,
    completedOrder,
  };
}
