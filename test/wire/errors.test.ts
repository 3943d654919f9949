import { errorCodes } from 'fastify';
import { describe, expect, it } from 'vitest';
import { TRANSIENT_REFUSALS } from '../../src/application/idempotent.ts';
import { databaseTrouble, isDatabaseAway } from '../../src/db/connection/transaction.ts';
import { DomainError, type ErrorCode, makeViolation, validationFailed } from '../../src/domain/errors.ts';
import { answerError, REFUSALS } from '../../src/http/operation/errors.ts';

const context = {
  instance: '/v1/here',
  databaseTrouble,
  inversePathOf: ({ objectiveId, inverseId }: { objectiveId: number; inverseId: number }) =>
    `/v1/o/${objectiveId}/i/${inverseId}`,
};

const STATUSES: Readonly<Record<ErrorCode, number>> = {
  VALIDATION_FAILED: 400,
  TRIAL_CLOSED: 400,
  OBJECTIVE_ENDED: 400,
  NO_OPEN_ITERATION: 400,
  NOTHING_TO_CORRECT: 400,
  UNAUTHENTICATED: 401,
  SESSION_ENDED: 401,
  LINK_ENDED: 401,
  SHARED_LINK_ENDED: 404,
  FORBIDDEN: 403,
  CROSS_SITE_WRITE: 403,
  NOT_FOUND: 404,
  ITERATION_OPEN: 409,
  AMBIGUOUS_ITERATION: 409,
  ATTEMPTS_HANDED_OUT: 409,
  OUTPUT_CONFLICT: 409,
  LEASE_LOST: 409,
  CORRECTION_SUPERSEDED: 409,
  REOPENING_NEEDED: 409,
  BATCH_ENDED: 409,
  SUGGESTION_PENDING: 409,
  SUGGESTION_FAILED: 500,
  OVERLOADED: 503,
  DISK_FULL: 507,
  QUEUE_FULL: 429,
  ACCOUNT_BUSY: 429,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  LIMIT_REACHED: 400,
  KEY_ENDED: 409,
  KEY_ROTATED: 409,
  LAST_ADMIN_KEY: 409,
  LAST_OWNER: 409,
  OPENID_UNAVAILABLE: 424,
  TOO_MANY_WRONG_KEYS: 429,
  QUOTA_EXCEEDED: 403,
  MAIL_NOT_SET_UP: 501,
  TOO_MANY_RECIPIENTS: 429,
  WORKBOOKS_NOT_ALLOWED: 403,
  WORKBOOKS_UNAVAILABLE: 501,
  WORKBOOK_IN_USE: 409,
  NOTE_CHANGED: 409,
  FILES_UNAVAILABLE: 503,
  IDEMPOTENCY_KEY_IN_USE: 409,
  IDEMPOTENCY_KEY_REUSED: 422,
};

const pgError = (code: string) => Object.assign(new Error('from the database: secret'), { code });

describe('the answer to an error', () => {
  it.each(Object.entries(STATUSES) as [ErrorCode, number][])('%s is answered with %i', (code, status) => {
    const inverse = { objectiveId: 7, inverseId: 9 };
    const { problem } = answerError(new DomainError(code, 'What to do.', { inverse }), context);
    expect(problem).toMatchObject({
      type: `urn:backsolve:problem:${code.toLowerCase().replaceAll('_', '-')}`,
      status,
      detail: 'What to do.',
      message: 'What to do.',
      instance: status === 409 ? '/v1/o/7/i/9' : '/v1/here',
      errors: [],
    });
    expect(problem.title).toBe(REFUSALS[code].title);
  });

  it('An answer of 429, of a failure of the service or of a quota is never stored with an Idempotency-Key', () => {
    const codes = Object.entries(REFUSALS).filter(([, { status }]) => status === 429 || status >= 500);
    expect(codes.map(([code]) => TRANSIENT_REFUSALS.has(code as ErrorCode))).toEqual(codes.map(() => true));
    expect(TRANSIENT_REFUSALS.has('QUOTA_EXCEEDED')).toBe(true);
  });

  it('An answer has the headers of its status', () => {
    const headersOf = (error: unknown) => answerError(error, context).headers;
    expect(headersOf(new DomainError('UNAUTHENTICATED', 'x'))).toEqual({ 'www-authenticate': 'Bearer' });
    expect(headersOf(new DomainError('OVERLOADED', 'x'))).toEqual({ 'retry-after': '5' });
    expect(headersOf(new DomainError('OVERLOADED', 'x', { retryAfterSeconds: 9 }))).toEqual({ 'retry-after': '9' });
    expect(headersOf(new DomainError('NOT_FOUND', 'x'))).toEqual({});
  });

  it('An answer has all violations', () => {
    const violations = [makeViolation(['objectives', 2], 'must be a finite number.'), makeViolation([], 'is odd.')];
    expect(answerError(validationFailed(violations), context).problem.errors).toEqual([
      { property: 'objectives[2]', pointer: '/objectives/2', message: 'must be a finite number.' },
      { property: '', pointer: '', message: 'is odd.' },
    ]);
  });

  it.each(['08006', '08P01', '57P01', '57P03', '53200', '53300', '58030', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT'])(
    'The database error %s is answered with 503 and Retry-After',
    (code) => {
      const { problem, headers } = answerError(pgError(code), context);
      expect([problem.status, headers['retry-after']]).toEqual([503, '5']);
      expect(JSON.stringify(problem)).not.toContain('secret');
    },
  );

  it.each([pgError('57014'), pgError('55P03'), new Error('Query read timeout')])(
    'The database error %s is answered with a 503 that says it took too long, and workers treat it as transient',
    (error) => {
      const { problem, headers } = answerError(error, context);
      expect([problem.status, headers['retry-after']]).toEqual([503, '5']);
      expect(problem.type).toBe('urn:backsolve:problem:database-timeout');
      expect(problem.detail).toContain('took too long');
      expect(JSON.stringify(problem)).not.toContain('away');
      expect(isDatabaseAway(error)).toBe(true);
    },
  );

  it.each([pgError('42P01'), new TypeError('secret'), 'secret', null, { statusCode: 400, message: 'secret' }])(
    'An unexpected error (%s) is answered with 500 and reveals nothing',
    (error) => {
      const { problem } = answerError(error, context);
      expect(problem.status).toBe(500);
      expect(JSON.stringify(problem)).not.toMatch(/secret|from the database/);
    },
  );

  it('An error of Fastify keeps its status and gets a problem body', () => {
    const answered = (error: Error) => answerError(error, context).problem;
    expect(answered(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())).toMatchObject({ status: 413, instance: '/v1/here' });
    expect(answered(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE())).toMatchObject({ status: 415 });
    expect(answered(new errorCodes.FST_ERR_REP_ALREADY_SENT('/x', 'GET')).status).toBe(500);
  });
});
