/**
 * An inverse is a suggested input, later with the output that the client measured. Iteration 1 is the initial point, which
 * is already completed. The inverses of one objective are strictly ordered; as many may be open as its parallelism says, and they may
 * be completed in any order.
 */
import { InverseStatus, type StoredRun } from '../data/run-fields.ts';

export { InverseStatus, type LearnedFrom } from '../data/run-fields.ts';

export interface Inverse extends StoredRun {
  /** The output of the last completed iteration that it knows; `results` judge it while `output` is null. */
  readonly basisOutput: readonly number[] | null;
}

/** Time at which an inverse was deleted: with its objective, never on its own. */
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
