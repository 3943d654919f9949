/**
 * An inverse is a suggested input, later with the output that the client measured. Iteration 1 is the initial point, which
 * is already completed. The inverses of one objective are strictly ordered; as many may be open as its parallelism says, and they may
 * be completed in any order.
 */
export const InverseStatus = {
  active: 'active',
  converged: 'converged',
  maxIterations: 'max_iterations',
  stopped: 'stopped',
  failed: 'failed',
} as const;
export type InverseStatus = (typeof InverseStatus)[keyof typeof InverseStatus];

/** What a suggestion knew besides the earlier inverses of its objective, so that it can be repeated. */
export interface LearnedFrom {
  /** The cases of the trial as of this revision. */
  readonly revision: number;
  /**
   * The other objectives, by id, each with its last iteration that was known, and the highest completedOrder of its known
   * iterations: 0 without any; absent in rows of an earlier release, to which every iteration up to the last one was known.
   */
  readonly objectives: readonly (readonly [objectiveId: number, iteration: number, completedOrder?: number])[];
}

export interface Inverse {
  readonly id: number;
  readonly objectiveId: number;
  readonly iteration: number;
  readonly status: InverseStatus;
  /** null while the suggestion is being computed. */
  readonly input: readonly number[] | null;
  /** null until the output is known. */
  readonly output: readonly number[] | null;
  /** The output of the last completed iteration that it knows; `results` judge it while `output` is null. */
  readonly basisOutput: readonly number[] | null;
  /** Nanoseconds the optimizer took. */
  readonly suggestTimeNs: number;
  /** Nanoseconds from handing out the input to loading its output, or as the client stated. */
  readonly computeTimeNs: number;
  readonly suggestedAt: Date | null;
  readonly loadedAt: Date | null;
  readonly satisfiedAt: Date | null;
  readonly stoppedAt: Date | null;
  readonly exhaustedAt: Date | null;
  readonly failedAt: Date | null;
  readonly failureReason: string | null;
  /** How many inverses of its objective had been completed or given up when it was suggested; null before, and in rows of an earlier release. */
  readonly basis: number | null;
  /** Its number among the completed and the given up ones of its objective, in their order; null while it is open. */
  readonly completedOrder: number | null;
  /** What its input was computed from; null for the trial's cases as they were loaded and its own objective only. */
  readonly learnedFrom: LearnedFrom | null;
  /** Set while it is excluded: shown, and neither learned from nor judged. */
  readonly excludedAt: Date | null;
  /** What the model expected of the outputs: the lower ends, then the upper ends; null where it expected nothing. */
  readonly expected: readonly number[] | null;
  /** The inverse whose input it runs again; 0: that of a case or of another objective. null for a new input. */
  readonly repeatOf: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Set only by earlier releases; see disabledAtOf. */
  readonly disabledAt: Date | null;
}

/** When an inverse was deleted: with its objective, never on its own. */
export function disabledAtOf(
  objective: { readonly disabledAt: Date | null },
  inverse: Pick<Inverse, 'disabledAt'>,
): Date | null {
  return inverse.disabledAt ?? objective.disabledAt;
}

/** Whether a worker has yet to compute the inverse. */
export function isBeingComputed(inverse: Pick<Inverse, 'status' | 'input'>): boolean {
  return inverse.status === InverseStatus.active && inverse.input === null;
}

/** Whether the inverse has been handed out and its output is missing. */
export function awaitsOutput(inverse: Pick<Inverse, 'status' | 'input' | 'output'>): boolean {
  return inverse.status === InverseStatus.active && inverse.input !== null && inverse.output === null;
}

/**
 * Whether the inverse repeats the input and the output of a known run, as the last one of an objective does that found nothing new.
 * The output of one that was given up is loaded.
 */
export function isRepeat(inverse: Pick<Inverse, 'status' | 'output' | 'loadedAt'>): boolean {
  return inverse.status === InverseStatus.stopped && inverse.output !== null && inverse.loadedAt === null;
}

/** Whether the inverse was given up after it had been handed out, and its output has not come since. */
export function mayComeLate(inverse: Pick<Inverse, 'status' | 'input' | 'output'>): boolean {
  return inverse.status === InverseStatus.stopped && inverse.input !== null && inverse.output === null;
}
