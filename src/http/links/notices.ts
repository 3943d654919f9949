/** Refusals that a person in a browser reads as a page, and a program as a problem. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../domain/errors.ts';
import { REPORT_POLICY, writeNotice } from '../../report/html.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { makeErrorHandler, REFUSALS } from '../operation/errors.ts';
import { formatOf, MEDIA_TYPES } from '../wire/formats.ts';

const POLICY = `${REPORT_POLICY}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`;

export function makeNoticeHandler({ databaseTrouble }: Pick<IngressDeps, 'databaseTrouble'>) {
  const handle = makeErrorHandler({ databaseTrouble, inversePathOf: () => undefined });
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const isForPerson = formatOf(request.headers.accept, ['json', 'html']) === 'html';
    if (!isForPerson || !(error instanceof DomainError)) return handle(error, request, reply);
    const { status, title } = REFUSALS[error.code];
    const { retryAfterSeconds } = error.facts;
    return reply
      .code(status)
      .headers({
        'content-security-policy': POLICY,
        'content-type': `${MEDIA_TYPES.html}; charset=utf-8`,
        'cache-control': 'no-store',
        ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      })
      .send(writeNotice(title, error.message));
  };
}
