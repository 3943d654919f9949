/** The cases of a trial: those of its set of output cases, then those added later; see the comment on `added_cases`. */

import type { Jacobian } from './jacobian.ts';

export const CaseOrigin = { designed: 'designed', added: 'added' } as const;
export type CaseOrigin = (typeof CaseOrigin)[keyof typeof CaseOrigin];

export interface TrialCase {
  /** From 1. */
  readonly number: number;
  readonly input: readonly number[];
  /** As corrected; null if the run failed. */
  readonly output: readonly number[] | null;
  /** As corrected; null where no derivative is known. */
  readonly jacobian: Jacobian | null;
  readonly isExcluded: boolean;
  /** Whether the output differs from the one first stored. */
  readonly isCorrected: boolean;
  readonly origin: CaseOrigin;
  /** The client's words for where an added case comes from. */
  readonly source: string | null;
}
