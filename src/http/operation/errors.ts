/**
 * Maps errors to answers; the only table of statuses. A dialect supplies only the path of an inverse, for errors that link
 * to one.
 */
import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { DatabaseTrouble } from '../../db/connection/transaction.ts';
import { DomainError, type ErrorCode, type InverseReference } from '../../domain/errors.ts';
import { PROBLEM_MEDIA_TYPE, type Problem, type ProblemFacts, presentProblem, withoutParts } from '../wire/problem.ts';
import { pathOf } from './request-path.ts';

interface Refusal {
  readonly status: number;
  readonly title: string;
}

export const REFUSALS: Readonly<Record<ErrorCode, Refusal>> = {
  VALIDATION_FAILED: { status: 400, title: 'The request is not valid' },
  TRIAL_CLOSED: { status: 400, title: 'The trial is not active' },
  OBJECTIVE_ENDED: { status: 400, title: 'The objective has ended' },
  NO_OPEN_ITERATION: { status: 400, title: 'No run is open' },
  NOTHING_TO_CORRECT: { status: 400, title: 'The run has no result of its own' },
  UNAUTHENTICATED: { status: 401, title: 'The API key is missing or not valid' },
  SESSION_ENDED: { status: 401, title: 'Not signed in' },
  LINK_ENDED: { status: 401, title: 'The sign-in link is no longer valid' },
  SHARED_LINK_ENDED: { status: 404, title: 'The link does not work any more' },
  // Not 502 or 503, by which the page knows that this service is away.
  OPENID_UNAVAILABLE: { status: 424, title: 'The OpenID provider does not answer' },
  FORBIDDEN: { status: 403, title: 'The API key does not allow this' },
  CROSS_SITE_WRITE: { status: 403, title: 'The request does not come from the page of this service' },
  NOT_FOUND: { status: 404, title: 'Resource not found' },
  ITERATION_OPEN: { status: 409, title: 'The previous run is not completed' },
  AMBIGUOUS_ITERATION: { status: 409, title: 'Several runs are open' },
  ATTEMPTS_HANDED_OUT: { status: 409, title: 'All inputs have been suggested' },
  OUTPUT_CONFLICT: { status: 409, title: 'The run already has a different output' },
  LEASE_LOST: { status: 409, title: 'The lease of the evaluation is lost' },
  CORRECTION_SUPERSEDED: { status: 409, title: 'Something newer has changed the result' },
  REOPENING_NEEDED: { status: 409, title: 'The correction changes the verdict of an objective that has ended' },
  BATCH_ENDED: { status: 409, title: 'The batch has ended' },
  SUGGESTION_PENDING: { status: 409, title: 'The suggestion is still being computed' },
  SUGGESTION_FAILED: { status: 500, title: 'The suggestion could not be computed' },
  OVERLOADED: { status: 503, title: 'The service is overloaded' },
  ACCOUNT_BUSY: { status: 429, title: 'The account has too many requests in progress' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  DISK_FULL: { status: 507, title: 'The disk of the database is full' },
  QUEUE_FULL: { status: 429, title: 'Too many suggestions are waiting' },
  LIMIT_REACHED: { status: 400, title: 'A limit of the account is reached' },
  KEY_ENDED: { status: 409, title: 'The key is revoked or has expired' },
  KEY_ROTATED: { status: 409, title: 'The key already has a successor' },
  LAST_ADMIN_KEY: { status: 409, title: 'The account would be left without an admin key' },
  LAST_OWNER: { status: 409, title: 'The account would be left without an owner' },
  TOO_MANY_WRONG_KEYS: { status: 429, title: 'Too many wrong API keys' },
  QUOTA_EXCEEDED: { status: 403, title: 'The storage quota of the account is used up' },
  MAIL_NOT_SET_UP: { status: 501, title: 'The service cannot send e-mails' },
  TOO_MANY_RECIPIENTS: { status: 429, title: 'Too many recipients were added' },
  WORKBOOKS_NOT_ALLOWED: { status: 403, title: 'This service does not calculate workbooks' },
  WORKBOOKS_UNAVAILABLE: { status: 501, title: 'The service cannot calculate workbooks yet' },
  WORKBOOK_IN_USE: { status: 409, title: 'A batch uses the workbook' },
  NOTE_CHANGED: { status: 409, title: 'Somebody has changed the note' },
  FILES_UNAVAILABLE: { status: 503, title: 'The storage of files does not answer' },
  IDEMPOTENCY_KEY_IN_USE: { status: 409, title: 'A request under this Idempotency-Key is still running' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The Idempotency-Key was used for another request' },
};

/** Seconds before a client retries after a 503, unless the error says otherwise. */
const RETRY_AFTER_SECONDS = 5;
const RETRY_LATER = { 'retry-after': String(RETRY_AFTER_SECONDS) };

const UNAVAILABLE = { kind: 'unavailable', title: 'Service unavailable' };
const TROUBLES: Readonly<Record<DatabaseTrouble, Omit<ProblemFacts, 'status' | 'instance'>>> = {
  away: { ...UNAVAILABLE, detail: 'The database is unavailable at the moment; retry.' },
  'out-of-time': {
    kind: 'database-timeout',
    title: 'The database took too long',
    detail: 'The database took too long for this request; retry, and if that fails, send less in one request.',
  },
};

interface ErrorAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

interface ErrorContext {
  readonly instance: string;
  databaseTrouble(error: unknown): DatabaseTrouble | undefined;
  inversePathOf(inverse: InverseReference): string | undefined;
}

/** The answer to any error; unexpected ones reveal nothing about the service. */
export function answerError(error: unknown, context: ErrorContext): ErrorAnswer {
  if (error instanceof DomainError) return answerDomainError(error, context);
  const trouble = context.databaseTrouble(error);
  if (trouble !== undefined)
    return answer({ ...TROUBLES[trouble], status: 503, instance: context.instance }, RETRY_LATER);
  if (isFrameworkError(error)) return answerFrameworkError(error, context);
  return answer({
    kind: 'internal-error',
    title: 'Internal server error',
    status: 500,
    detail: 'The service failed. Its logs have the details under the id of this request.',
    instance: context.instance,
  });
}

function answerDomainError(error: DomainError, context: ErrorContext): ErrorAnswer {
  const { status, title } = REFUSALS[error.code];
  const inverse = status === 409 ? error.facts.inverse : undefined;
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 503 || error.facts.retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(error.facts.retryAfterSeconds ?? RETRY_AFTER_SECONDS);
  }
  return answer(
    {
      kind: error.code.toLowerCase().replaceAll('_', '-'),
      title,
      status,
      detail: error.message,
      instance: (inverse && context.inversePathOf(inverse)) ?? context.instance,
      ...(error.facts.violations && { violations: error.facts.violations }),
    },
    headers,
  );
}

/** 503 with Retry-After. */
export function unavailable(detail: string, context: Pick<ErrorContext, 'instance'>): ErrorAnswer {
  return answer({ ...UNAVAILABLE, status: 503, detail, instance: context.instance }, RETRY_LATER);
}

/** Texts for refusals by Fastify itself. */
const FRAMEWORK_DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as JSON with Content-Type: application/json.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body differs from Content-Length.',
  FST_ERR_BAD_URL: 'The path is not validly percent-encoded.',
  FST_ERR_MAX_PARAM_LENGTH: 'The path is too long.',
};

function isFrameworkError(error: unknown): error is FastifyError {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const status = error.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500;
}

function answerFrameworkError(error: FastifyError, context: ErrorContext): ErrorAnswer {
  return answerStatus(error.statusCode!, FRAMEWORK_DETAILS[error.code] ?? `${error.message}.`, context);
}

/** A problem without a type of its own beyond its status. */
export function answerStatus(
  status: number,
  detail: string,
  context: Pick<ErrorContext, 'instance'>,
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  const title = STATUS_CODES[status] ?? 'Error';
  const kind = title.toLowerCase().replace(/[^a-z]+/g, '-');
  return answer({ kind, title, status, detail, instance: context.instance }, headers);
}

function answer(facts: ProblemFacts, headers: Readonly<Record<string, string>> = {}): ErrorAnswer {
  return { problem: presentProblem(facts), headers };
}

export function sendError(reply: FastifyReply, { problem, headers }: ErrorAnswer): FastifyReply {
  // Fastify serializes objects only for content types that it recognizes as JSON.
  return reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .headers(headers)
    .type(PROBLEM_MEDIA_TYPE)
    .send(JSON.stringify(problem));
}

interface DialectErrors {
  /** Whether messages come in parts as well; default: no. */
  readonly hasParts?: boolean;
  databaseTrouble(error: unknown): DatabaseTrouble | undefined;
  /** Path of an inverse in this dialect, or undefined if it does not follow from the request. */
  inversePathOf(request: FastifyRequest, inverse: InverseReference): string | undefined;
}

/** Fastify's error handler; logs errors of the service once. */
export function makeErrorHandler(dialect: DialectErrors) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const answered = answerError(error, {
      instance: pathOf(request),
      databaseTrouble: dialect.databaseTrouble,
      inversePathOf: (inverse) => dialect.inversePathOf(request, inverse),
    });
    if (answered.problem.status === 500) request.log.error({ err: error }, 'request.failed');
    else if (answered.problem.status > 500) request.log.warn({ err: error }, 'request.unavailable');
    const { problem, headers } = answered;
    return sendError(reply, dialect.hasParts === true ? answered : { problem: withoutParts(problem), headers });
  };
}
