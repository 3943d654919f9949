/** Changes that the writer of a search can make, see search-ledger.ts. One change holds everything that one act leads to. */

import type { StorageQuota } from '../../domain/accounts/storage.ts';
import type { Jacobian } from '../../domain/data/jacobian.ts';
import type { Ending } from '../../domain/search/ending.ts';
import type { InverseStatus, LearnedFrom } from '../../domain/search/inverse.ts';
import type { NearestSoFar } from '../../domain/search/objective.ts';
import type { SearchOptions } from '../../domain/search/search-options.ts';
import type { StopReason } from '../../domain/search/stop-reason.ts';
import type { LeasedJob } from '../../domain/search/suggestion-job.ts';
import type { NewEvent } from '../../domain/webhooks/event.ts';

/** An inverse that is over: it has an output, failed, was given up or could not be computed. */
interface ClosedInverse {
  readonly inverseId: number;
  readonly status: InverseStatus;
  /** Whether it was run; otherwise its output and the time of its run stay as they are. */
  readonly wasRun: boolean;
  /** null: none. */
  readonly output: readonly number[] | null;
  /** Derivatives that came with the output. */
  readonly jacobian: Jacobian | null;
  /** Nanoseconds, or null for the time since the input was handed out, by the database's clock. */
  readonly computeTimeNs: number | null;
  readonly failureReason: string | null;
  /** Whoever loaded the output, or reported that the run failed; null: nobody is known. */
  readonly loadedBy: string | null;
  /** Instants that are set to now. */
  readonly isFailed: boolean;
  readonly isSatisfied: boolean;
  readonly isStopped: boolean;
  readonly isExhausted: boolean;
  /** Whether it gets the next number among those completed or given up. */
  readonly isNumbered: boolean;
}

/** Fields that stay unset when an inverse is closed without a run. */
export const NOT_RUN = {
  wasRun: false,
  output: null,
  jacobian: null,
  computeTimeNs: null,
  failureReason: null,
  loadedBy: null,
  isFailed: false,
  isSatisfied: false,
  isStopped: false,
  isExhausted: false,
  isNumbered: false,
} as const satisfies Partial<ClosedInverse>;

/** An input that was computed, and what it was computed from. */
interface ComputedInverse {
  readonly inverseId: number;
  readonly status: InverseStatus;
  readonly input: readonly number[];
  /** Set when the objective ends with it: the known output of the repeated input. */
  readonly output: readonly number[] | null;
  readonly suggestTimeNs: number;
  /** Whether the input has been run before. */
  readonly isRepeat: boolean;
  /** Ranges that the model expected of the outputs, lower ends then upper ends; null if it expected none. */
  readonly expected: readonly number[] | null;
  /** See Snapshot. */
  readonly basis: number;
  /** Iterations; null: none. */
  readonly pending: readonly number[] | null;
  /** Probability of success by the model; null if it gives none. */
  readonly chance: number | null;
  /** The cheaper source that it is for; null for the fine one. */
  readonly source: string | null;
  readonly learnedFrom: LearnedFrom | null;
}

/** The next inverse, and those that are to follow it. `askedBy`: a UUID and, behind a space, who sent the request. */
export interface OpenedInverse {
  readonly askedBy: string;
}

/** A job for the inverse that is opened. It is refused when the account has no room. */
export interface OpenedJob extends StorageQuota {
  readonly askers: readonly string[];
  readonly requestId: string | null;
  readonly traceParent: string | null;
  /** Jobs that the account may have; 0 for any number. */
  readonly maximumQueued: number;
}

type JobChange =
  | ({ readonly kind: 'opened' } & OpenedJob)
  /** More are to follow. */
  | { readonly kind: 'extended'; readonly askers: readonly string[] }
  /** Its worker goes on with the inverse that is opened, for the first of those who asked. */
  | { readonly kind: 'moved' }
  /** Any worker takes it for the inverse that is opened; who held it has lost it. */
  | { readonly kind: 'restarted'; readonly askers: readonly string[] }
  /** It is over, and requests that wait for its inverse wake up. */
  | { readonly kind: 'ended' };

/** Fields of the objective that change; those left out stay. */
export interface ObjectiveFields {
  readonly stopReason?: StopReason;
  /** With the stop reason STOPPED; null with RUNNING. */
  readonly ended?: Ending | null;
  readonly optimalInverseId?: number | null;
  /** The same by its iteration. */
  readonly optimalIteration?: number;
  /** The nearest inverse, where it is known. */
  readonly nearestIteration?: number;
  /** With it: it is the nearest of all up to this iteration. */
  readonly judgedThrough?: number;
  /** The nearest run of all, which was not known. */
  readonly nearest?: NearestSoFar;
  readonly parallelism?: number;
  readonly holdBack?: boolean;
  readonly nothingNewAt?: number;
  readonly maximumAttempts?: number;
  readonly options?: SearchOptions | null;
}

export interface LedgerChange {
  /** The lease without which nothing is written. */
  readonly lease?: Pick<LeasedJob, 'id' | 'leaseToken' | 'inverseId'>;
  readonly closed?: ClosedInverse;
  readonly computed?: ComputedInverse;
  /** An inverse without an input that is removed, as if it had never been asked for. */
  readonly removed?: number;
  /** Open inverses that are given up, in order of iteration. */
  readonly givenUp?: readonly number[];
  readonly opened?: OpenedInverse;
  readonly job?: JobChange;
  /** The inverse whose computation is over, for requests that wait for it. */
  readonly finished?: number;
  readonly objective?: ObjectiveFields;
  readonly events?: readonly NewEvent[];
}
