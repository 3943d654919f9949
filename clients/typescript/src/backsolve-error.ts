import type { MessagePart } from './front-doors.ts';

/** A rule that a request violates. */
export interface Violation {
  /** For example `objectives[2]`. */
  readonly property: string;
  /** The same as a JSON Pointer, for example `/objectives/2`. */
  readonly pointer: string;
  readonly message: string;
  /** The message in pieces, where it refers to fields, inputs or outputs of the request. */
  readonly parts?: readonly MessagePart[] | undefined;
}

export interface ProblemFacts {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly requestId?: string | undefined;
}

/** The service refused a request or failed. Each kind of problem has its own subclass; later kinds have only their code. */
export class BacksolveError extends Error {
  override readonly name: string = 'BacksolveError';
  /** For example `NOT_FOUND`. */
  readonly code: string;
  /** The status of HTTP. */
  readonly status: number;
  /** Description of what went wrong and what to do. */
  readonly detail: string;
  /** All rules that the request violates; empty if it was valid. */
  readonly violations: readonly Violation[];
  /** The path concerned: that of the request, or of the run that is still open. */
  readonly instance: string | undefined;
  /** Seconds after which a repetition makes sense, if stated by the service. */
  readonly retryAfterSeconds: number | undefined;
  /** Finds the request in the logs of the service. */
  readonly requestId: string | undefined;

  constructor(facts: ProblemFacts) {
    super(facts.detail);
    this.code = facts.code;
    this.status = facts.status;
    this.detail = facts.detail;
    this.violations = facts.violations ?? [];
    this.instance = facts.instance;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.requestId = facts.requestId;
  }
}
