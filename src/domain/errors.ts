import { inside, type MessagePart, pointerOf, propertyOf, readMessage, type ViolationPath } from './messages.ts';

export type { ViolationPath };

/**
 * All error codes. Expected outcomes are returned as unions; a violated rule is thrown as a DomainError. http/operation/errors.ts maps
 * the codes to statuses in one table and repeats no rule.
 */
export type ErrorCode =
  | 'VALIDATION_FAILED'
  | 'NOT_FOUND'
  | 'UNAUTHENTICATED'
  | 'SESSION_ENDED'
  | 'LINK_ENDED'
  | 'SHARED_LINK_ENDED'
  | 'OPENID_UNAVAILABLE'
  | 'FORBIDDEN'
  | 'CROSS_SITE_WRITE'
  | 'TRIAL_CLOSED'
  | 'OBJECTIVE_ENDED'
  | 'NO_OPEN_ITERATION'
  | 'ITERATION_OPEN'
  | 'AMBIGUOUS_ITERATION'
  | 'ATTEMPTS_HANDED_OUT'
  | 'OUTPUT_CONFLICT'
  | 'LEASE_LOST'
  | 'NOTHING_TO_CORRECT'
  | 'CORRECTION_SUPERSEDED'
  | 'REOPENING_NEEDED'
  | 'BATCH_ENDED'
  | 'SUGGESTION_FAILED'
  | 'SUGGESTION_PENDING'
  | 'OVERLOADED'
  | 'ACCOUNT_BUSY'
  | 'REQUEST_TIMEOUT'
  | 'BODY_TOO_LARGE'
  | 'DISK_FULL'
  | 'QUEUE_FULL'
  | 'LIMIT_REACHED'
  | 'KEY_ENDED'
  | 'KEY_ROTATED'
  | 'LAST_ADMIN_KEY'
  | 'LAST_OWNER'
  | 'TOO_MANY_WRONG_KEYS'
  | 'QUOTA_EXCEEDED'
  | 'MAIL_NOT_SET_UP'
  | 'TOO_MANY_RECIPIENTS'
  | 'WORKBOOKS_NOT_ALLOWED'
  | 'WORKBOOKS_UNAVAILABLE'
  | 'WORKBOOK_IN_USE'
  | 'NOTE_CHANGED'
  | 'FILES_UNAVAILABLE'
  | 'IDEMPOTENCY_KEY_IN_USE'
  | 'IDEMPOTENCY_KEY_REUSED';

/** One violated rule. `property` is written like `objectives[2]`; `pointer` is the same as a JSON Pointer. */
export interface Violation {
  readonly property: string;
  readonly pointer: string;
  readonly message: string;
  /** The message in pieces, where it refers to something that a front door calls by another name. */
  readonly parts?: readonly MessagePart[];
}

/** The inverse that an error is about, so that the answer can link to it. */
export interface InverseReference {
  readonly objectiveId: number;
  readonly inverseId: number;
}

export interface ErrorFacts {
  readonly violations?: readonly Violation[];
  readonly inverse?: InverseReference;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds?: number;
}

export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(readMessage(message).message);
    this.name = 'DomainError';
    this.code = code;
    this.facts = facts;
  }
}

/** Builds a violation from its path, e.g. ['objectives', 2] -> objectives[2], /objectives/2. */
export function makeViolation(path: ViolationPath, message: string): Violation {
  return { property: propertyOf(path), pointer: pointerOf(path), ...readMessage(message) };
}

/** The same violations of a part of a body, named from the body's beginning. Messages go on to name what is beside them. */
export function within(path: ViolationPath, violations: readonly Violation[]): readonly Violation[] {
  const [outerProperty, outerPointer] = [propertyOf(path), pointerOf(path)];
  return violations.map(({ property, pointer, message, parts }) => ({
    property: `${outerProperty}${property === '' || property.startsWith('[') ? property : `.${property}`}`,
    pointer: `${outerPointer}${pointer}`,
    message,
    ...(parts && { parts: parts.map((part) => inside(outerPointer, part)) }),
  }));
}

/** `is required: send ...` if nothing was sent, otherwise `must be ..., is ...`. */
export function describeWrongType(wanted: string, value: unknown): string {
  return value === undefined ? `is required: send ${wanted}.` : `must be ${wanted}, is ${describeValue(value)}.`;
}

const SHOWN_TEXT_LENGTH = 40;

/** The sent value in a few words; long values are not repeated. */
function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? String(value) : 'beyond the range of a double precision number';
    case 'string':
      return value.length <= SHOWN_TEXT_LENGTH ? `the string ${JSON.stringify(value)}` : 'a long string';
    case 'object':
      return 'an object';
    default:
      return String(value);
  }
}

/** Violations beyond this number are counted but not listed, so that an answer stays small and readable. */
export const LISTED_VIOLATIONS = 100;

/** VALIDATION_FAILED for a list that is not empty. It lists at most 100 violations and says how many there are. */
export function validationFailed(violations: readonly Violation[]): DomainError {
  const { property, message } = violations[0]!;
  const first = `${property === '' ? 'the body' : property}: ${message}`;
  const detail = violations.length === 1 ? first : `${violations.length} violations, the first: ${first}`;
  return new DomainError('VALIDATION_FAILED', detail, { violations: violations.slice(0, LISTED_VIOLATIONS) });
}

/** Throws VALIDATION_FAILED unless the list is empty. */
export function refuseViolations(violations: readonly Violation[]): void {
  if (violations.length > 0) throw validationFailed(violations);
}

/** The error for a resource that does not exist, was deleted, or belongs to another account. */
export function notFound(resource: string, id: number | string): DomainError {
  return new DomainError('NOT_FOUND', `There is no ${resource} ${id}.`);
}

/** Seconds after which a client may retry: an operator has to free space first. */
const DISK_FULL_RETRY_SECONDS = 30;

/** The error for a write that fails for lack of disk space in the database; `cause` is the database's error. */
export function diskFull(cause?: unknown): DomainError {
  const message =
    'The disk of the database is full. Nothing was stored; send the request again once the operator has freed space. Reads still work.';
  return Object.assign(new DomainError('DISK_FULL', message, { retryAfterSeconds: DISK_FULL_RETRY_SECONDS }), {
    cause,
  });
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'DISK_FULL';
}
