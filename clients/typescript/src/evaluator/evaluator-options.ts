/** Options of an evaluator, the events that it reports while it works, and its end. */
import type { Evaluation, Outcome, Release } from './evaluation.ts';
import type { Claim, ClaimRequest, Reportable, ServiceClient } from './evaluation-calls.ts';

export interface EvaluatorOptions {
  readonly client: ServiceClient;
  readonly claim: Claim;
  /** Evaluations that run at a time; at least 1. */
  readonly jobs: number;
  /** As Evaluate, or gives the evaluation back. */
  readonly evaluate: (evaluation: Evaluation, signal: AbortSignal) => Promise<Outcome | Release>;
  readonly onEvent?: (event: EvaluatorEvent) => void;
  /** Awaited before a result is sent; what it throws ends the evaluator, and the result is not sent. */
  readonly beforeReport?: (evaluation: Evaluation, outcome: Reportable) => Promise<void>;
  /** The first claim, when it repeats one whose answer was lost. */
  readonly firstClaim?: ClaimRequest | undefined;
  /** Awaited before a claim is sent. */
  readonly beforeClaim?: ((request: ClaimRequest) => Promise<void>) | undefined;
  /** Ends after so many evaluations; absent: never. */
  readonly limit?: number | undefined;
  /** Ends when nothing could be claimed for so long and nothing runs; absent: never. */
  readonly drainSeconds?: number | undefined;
  /** Claims no more, waits for what runs and reports it. */
  readonly signal: AbortSignal;
  /** Ends what runs and releases the leases. */
  readonly endSignal?: AbortSignal;
}

export type EvaluatorEvent =
  | { readonly type: 'claimed'; readonly evaluation: Evaluation }
  | {
      readonly type: 'reported';
      readonly evaluation: Evaluation;
      readonly outcome: Reportable;
      /** As the service answered: done, failed, or waiting for another try. */
      readonly state: string;
      /** Whether the objective may have ended with it. */
      readonly mayBeLast: boolean;
      readonly seconds: number;
    }
  /** Its objective was met or stopped, so it was ended. */
  | { readonly type: 'unwanted'; readonly evaluation: Evaluation }
  | { readonly type: 'released'; readonly evaluation: Evaluation; readonly reason: string }
  /** Its outcome does not count: another evaluator has it, or the service cannot be told. */
  | {
      readonly type: 'dropped';
      readonly evaluation: Evaluation;
      readonly reason: string;
      /** Outcome that could not be reported. */
      readonly outcome?: Reportable;
    }
  /** Once when the service cannot be reached, and once when it can be again. */
  /** `isNew`: the service has not answered yet, so that its address may be wrong. */
  | { readonly type: 'away'; readonly reason: string; readonly isNew?: boolean }
  | { readonly type: 'back' };

interface Tally {
  readonly outputs: number;
  /** Failed runs. */
  readonly failures: number;
  /** Failures that are tried again. */
  readonly retries: number;
  /** Unwanted, released or dropped. */
  readonly others: number;
}

/**
 * Reason why an evaluator ended. stopped: by its signal. drained: nothing was left. limit: it has run as many as it
 * should. away: the service was out of reach for `drainSeconds`. denied: its key was refused, or a request. abort: the
 * command asked for it. fault: this machine cannot run evaluations.
 */
export interface EvaluatorEnd {
  readonly kind: 'stopped' | 'drained' | 'limit' | 'away' | 'denied' | 'abort' | 'fault';
  /** For abort, denied, away and fault. */
  readonly reason?: string;
  /** The evaluation whose command asked for the abort. */
  readonly evaluation?: Evaluation;
  readonly tally: Tally;
}
