/**
 * An evaluation is one execution of the black box: of a designed case or of an inverse, for a batch. An evaluator holds it under a
 * lease while it runs. No other table decides its states; db/evaluations/evaluations.ts writes them.
 *
 * A lease that has expired still counts for its evaluator as long as nobody else has claimed the evaluation: the next claim takes
 * it over and counts the loss. Until then it reads as waiting.
 */
import type { Labels } from '../problem/names.ts';

export const EVALUATION_STATES = ['waiting', 'leased', 'done', 'failed', 'cancelled'] as const;
export type EvaluationState = (typeof EVALUATION_STATES)[number];

/** Everything that can happen to an evaluation that is open. */
export type EvaluationEvent =
  | 'claimed'
  | 'output-loaded'
  /** The run failed and another try makes no sense, or there is none left. */
  | 'run-failed'
  /** The run failed and is tried again. */
  | 'try-failed'
  | 'released'
  /** The lease expired, and with it the last one that the evaluation may lose. */
  | 'last-lease-lost'
  /** Its inverse takes no output any more, or its batch has ended. */
  | 'unwanted';

/** Edges; done, failed and cancelled are final. A waiting evaluation takes the output of whoever held it last. */
export const EVALUATION_TRANSITIONS: Readonly<
  Record<EvaluationState, Readonly<Partial<Record<EvaluationEvent, EvaluationState>>>>
> = {
  waiting: { claimed: 'leased', 'output-loaded': 'done', unwanted: 'cancelled' },
  leased: {
    claimed: 'leased',
    'output-loaded': 'done',
    'run-failed': 'failed',
    'try-failed': 'waiting',
    released: 'waiting',
    'last-lease-lost': 'failed',
    unwanted: 'cancelled',
  },
  done: {},
  failed: {},
  cancelled: {},
};

/** The state after `event`, or undefined where the state has no such edge. */
export function nextEvaluationState(state: EvaluationState, event: EvaluationEvent): EvaluationState | undefined {
  return EVALUATION_TRANSITIONS[state][event];
}

/** Outcome of a report. retried: the run failed and is tried again. cancelled: nobody wanted the output any more. */
export type ReportOutcome = 'done' | 'failed' | 'retried' | 'released' | 'cancelled';

/** Outcome of an output or a failure, by the state after it. */
export function outcomeOf(state: EvaluationState): ReportOutcome {
  return state === 'waiting' || state === 'leased' ? 'retried' : state;
}

/** Limits of one evaluation, as its batch states them. */
export interface EvaluationLimits {
  /** Failed tries after which it has failed. */
  readonly maximumTries: number;
  /** Leases that expired after which it has failed. */
  readonly maximumLosses: number;
  /** Seconds that one try may take. A lease outlasts it by no more than its own length, whatever the heartbeats say. */
  readonly timeoutSeconds: number;
}

/** The event for a try that failed; `tries` failed before. */
export function failureEvent(
  { tries, maximumTries }: { readonly tries: number } & Pick<EvaluationLimits, 'maximumTries'>,
  isRetryable: boolean,
): 'run-failed' | 'try-failed' {
  return isRetryable && tries + 1 < maximumTries ? 'try-failed' : 'run-failed';
}

const LONGEST_RETRY_DELAY_SECONDS = 60;

/** Pause after the `tries`-th try has failed: 2, 4, 8 ... seconds, at most 60. */
export function retryDelaySeconds(tries: number): number {
  return Math.min(LONGEST_RETRY_DELAY_SECONDS, 2 ** tries);
}

export const EVALUATION_KINDS = ['case', 'inverse'] as const;
export type EvaluationKind = (typeof EVALUATION_KINDS)[number];

/** The run to be made. */
export interface EvaluationTarget {
  readonly id: number;
  readonly batchId: number;
  readonly modelId: number;
  readonly projectId: number;
  /** null while the batch evaluates its designed cases. */
  readonly trialId: number | null;
  /** Objective of an inverse, otherwise null. */
  readonly objectiveId: number | null;
  readonly inverseId: number | null;
  /** The number of the run within its objective; null for a designed case. */
  readonly iteration: number | null;
  /** Number of a designed case, from 1, otherwise null. */
  readonly caseNumber: number | null;
  /** The cheaper source to run; null for the fine one. */
  readonly source: string | null;
  readonly input: readonly number[];
}

/** An evaluation in the hands of its evaluator. */
export interface ClaimedEvaluation extends EvaluationTarget, EvaluationLimits {
  readonly accountId: number;
  readonly leaseToken: string;
  readonly leaseExpiresAt: Date;
  /** Tries that failed before. */
  readonly tries: number;
  /** Whether the lease before it had expired. */
  readonly wasLost: boolean;
  /** Milliseconds for which it could have been claimed. */
  readonly waitedMs: number;
  readonly outputCount: number;
  readonly labels: Labels;
}

/** An evaluation as its account sees it. */
export interface EvaluationRecord extends EvaluationTarget, EvaluationLimits {
  readonly state: EvaluationState;
  readonly isPushed: boolean;
  readonly tries: number;
  readonly losses: number;
  /** Output of a case until the batch has loaded it; the output of an inverse is with the inverse. */
  readonly output: readonly number[] | null;
  readonly evaluator: string | null;
  readonly claimedAt: Date | null;
  /** End of the lease while it is leased, otherwise null. */
  readonly leaseExpiresAt: Date | null;
  readonly progress: number | null;
  readonly message: string | null;
  /** Reason why the last try failed. */
  readonly failureReason: string | null;
  readonly computeTimeNs: number | null;
  readonly finishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function kindOfEvaluation({ inverseId }: Pick<EvaluationTarget, 'inverseId'>): EvaluationKind {
  return inverseId === null ? 'case' : 'inverse';
}
