/** The errors of this client, and how an answer becomes one. */
import { BacksolveError, type Violation } from './backsolve-error.ts';
import { PROBLEM_CLASSES } from './generated/problems.ts';
import { VERSION } from './generated/routes.ts';
import { parseRetryAfter } from './retry.ts';

const TYPE_PREFIX = 'urn:backsolve:problem:';

/** No answer arrived, even after the retries. `cause` is the error of the last attempt. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

/** The answer took longer than `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** The address does not belong to a Backsolve service, but to a proxy or another site, for example. */
export class NotBacksolveError extends Error {
  override readonly name = 'NotBacksolveError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The service does not know the operation: it is older than this client. */
export class UnknownOperationError extends BacksolveError {
  override readonly name = 'UnknownOperationError';
}

export interface Asked {
  readonly operationId: string;
  /** The base address of the service. */
  readonly address: string;
  /** As the service must see it, from /v1. */
  readonly path: string;
}

interface Problem {
  readonly type: string;
  readonly detail: string;
  readonly instance: string;
  readonly errors: readonly Violation[];
}

/** The error for an answer with a status from 400 on. `text` is its body. */
export function errorOfAnswer(response: Response, text: string, asked: Asked): BacksolveError | NotBacksolveError {
  const { status, headers } = response;
  const retryAfterMs = parseRetryAfter(headers, Date.now());
  const facts = {
    status,
    retryAfterSeconds: retryAfterMs === undefined ? undefined : retryAfterMs / 1000,
    requestId: headers.get('x-request-id') ?? undefined,
  };
  const problem = parseProblem(text);
  if (problem === undefined) {
    if (status === 404 || status === 405 || status === 401) return notBacksolve(response, asked);
    const detail = `${asked.address} answered ${describe(response)}, which does not come from Backsolve but from what is in front of it.`;
    return new BacksolveError({ ...facts, code: `HTTP_${status}`, detail });
  }
  const { detail, instance } = problem;
  if (isUnknownOperation(status, problem)) {
    if (instance !== asked.path) {
      return new NotBacksolveError(
        `There is a Backsolve service at ${asked.address}, but it was asked for ${instance} instead of ${asked.path}. Correct the path of the address, or let the proxy remove it.`,
        status,
      );
    }
    return new UnknownOperationError({
      ...facts,
      code: 'UNKNOWN_OPERATION',
      detail: `The service at ${asked.address} does not know the operation ${asked.operationId}: it is older than this client (${VERSION}). Upgrade the service.`,
      instance,
    });
  }
  const kind = problem.type.slice(TYPE_PREFIX.length);
  const Class = PROBLEM_CLASSES[kind] ?? BacksolveError;
  const code = kind.toUpperCase().replaceAll('-', '_');
  return new Class({ ...facts, code, detail, instance, violations: problem.errors });
}

/** The service's answer for a path or a method without an operation. Missing records have another detail. */
function isUnknownOperation(status: number, { type, detail }: Problem): boolean {
  return status === 405 || (type === `${TYPE_PREFIX}not-found` && detail === 'There is nothing at this path.');
}

/** The error for an answer that no Backsolve service gives. */
export function notBacksolve(response: Response, asked: Asked): NotBacksolveError {
  const { status, headers } = response;
  const location = headers.get('location');
  const isRedirect = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
  const advice = isRedirect
    ? `It redirects${location === null ? '' : ` to ${location}`}; give the client the final address.`
    : `There is no Backsolve service at ${asked.address}, or its answer was replaced on the way. Check the address; it ends before /v1.`;
  return new NotBacksolveError(
    `${asked.address} answered ${asked.operationId} with ${describe(response)}. ${advice}`,
    status,
  );
}

/** The error for a request without an answer. */
export function connectionError(cause: unknown, asked: Asked): ConnectionError {
  return new ConnectionError(`No answer from ${asked.address}: ${reasonOf(cause)}.`, { cause });
}

export function timeoutError(timeoutMs: number, asked: Asked): TimeoutError {
  return new TimeoutError(`${asked.address} did not answer ${asked.operationId} within ${timeoutMs / 1000} s.`);
}

function describe({ status, headers }: Response): string {
  const medium = headers.get('content-type')?.split(';')[0];
  return medium === undefined || medium === '' ? `${status}` : `${status} and ${medium}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) {
    const code = 'code' in cause ? String(cause.code) : '';
    // An attempt at several addresses has an empty message.
    return [cause.message, cause.message.includes(code) ? '' : code].filter((part) => part !== '').join(' ') || code;
  }
  return error.message;
}

function parseProblem(text: string): Problem | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, detail, instance, errors } = value as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || !type.startsWith(TYPE_PREFIX) || typeof detail !== 'string') return undefined;
  return {
    type,
    detail,
    instance: typeof instance === 'string' ? instance : '',
    errors: Array.isArray(errors) ? (errors as readonly Violation[]) : [],
  };
}
