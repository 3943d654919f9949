/** Evaluations as an evaluator gets them, and their outcomes. */

/** An evaluation under a lease, as `claimEvaluations` answers it. Inputs and outputs are in natural units. */
export interface Evaluation {
  readonly id: number;
  readonly leaseToken: string;
  /** ISO 8601, by the clock of the service. */
  readonly leaseExpiresAt: string;
  /** From 1. */
  readonly try: number;
  readonly maximumTries: number;
  readonly kind: 'case' | 'inverse';
  readonly modelId: number;
  readonly projectId: number;
  readonly batchId: number;
  readonly trialId: number | null;
  readonly objectiveId: number | null;
  readonly inverseId: number | null;
  /** The number of a suggested run within its objective; absent in answers of earlier releases. */
  readonly iteration?: number | null | undefined;
  /** From 1; null unless it is a designed case. */
  readonly caseNumber: number | null;
  /** The cheaper source to run; null for the black box itself. */
  readonly source?: string | null | undefined;
  readonly input: readonly number[];
  /** The text of a category, true or false, or a number; x1, x2, ... for inputs without names. */
  readonly inputByName: Readonly<Record<string, number | string | boolean>>;
  /** y1, y2, ... for outputs without names. */
  readonly outputNames: readonly string[];
  readonly outputCount: number;
  readonly timeoutSeconds: number;
}

/**
 * Outcome of an evaluation. `failure` that is retryable is tried again, by any evaluator; one that is not is a failed
 * run. `abort`: the command asks that all work ends; the evaluation goes back unharmed.
 */
export type Outcome =
  | {
      readonly kind: 'output';
      readonly output: readonly number[] | Readonly<Record<string, number>>;
      /** Derivatives as the service takes them. */
      readonly jacobian?: unknown;
    }
  | {
      readonly kind: 'failure';
      readonly reason: string;
      readonly retryable: boolean;
      /** Names under which it gave outputs where those of the problem are missing. */
      readonly others?: readonly string[];
    }
  | { readonly kind: 'abort'; readonly reason: string };

/**
 * Runs the black box once. Ends early, with any outcome, when `signal` aborts. Throws LocalFault when this machine cannot run
 * it: the evaluation then goes back for others, and the evaluator ends.
 */
export type Evaluate = (evaluation: Evaluation, signal: AbortSignal) => Promise<Outcome>;

/** Nothing is known of the input: it goes back to the service without a try counted. */
export interface Release {
  readonly kind: 'release';
  readonly reason: string;
}

/** This machine or its configuration is at fault, not the input: every evaluation would fail here. */
export class LocalFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LocalFault';
  }
}

/** Reasons are stored and listed; a program's last words may be long. */
const MAXIMUM_REASON_LENGTH = 500;

/** On one line, without control characters, as the service and a terminal can take it. */
export function cleanReason(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const short = line.length <= MAXIMUM_REASON_LENGTH ? line : `${line.slice(0, MAXIMUM_REASON_LENGTH - 3)}...`;
  return short.toWellFormed();
}
