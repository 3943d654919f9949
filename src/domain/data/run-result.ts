import type { Jacobian } from './jacobian.ts';

/** Facts known about a run. */
export interface RunResult {
  /** null: the run failed. */
  readonly output: readonly number[] | null;
  /** The derivatives of the output; null: none are known. */
  readonly jacobian: Jacobian | null;
  /** null unless the run failed and a reason was given. */
  readonly failureReason: string | null;
  /** Excluded runs are kept and shown; nothing learns from them, and they are never the best. */
  readonly isExcluded: boolean;
}
