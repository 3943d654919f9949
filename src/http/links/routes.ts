/**
 * /shared: what links show to whoever has them, without a key or a session. A browser gets its refusals as a page, a program as a
 * problem. Not part of the documents of the interface.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { followLink } from '../../application/exports/shared-links.ts';
import { SharedLookups } from '../../application/shared-lookups.ts';
import { parseToken } from '../../domain/accounts/browser-session.ts';
import { DomainError } from '../../domain/errors.ts';
import type { SharedSubject } from '../../domain/exports/shared-link.ts';
import { clientAddress } from '../connection/client-address.ts';
import { whenOver } from '../connection/client-presence.ts';
import type { RateLimiter } from '../fairness/rate-limiter.ts';
import { slowGuesses } from '../hooks/authenticate.ts';
import { limitRate } from '../hooks/rate-limit.ts';
import { SHARED_FILES } from '../native/exports/link-files.ts';
import { sharedPath } from '../native/exports/links.wire.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { enterLane, sendAnswer } from '../routing/register-operations.ts';
import { makeNoticeHandler } from './notices.ts';

/** Register it in its own scope. `limiter` counts by address; undefined: no limit. */
export function addShared(scope: FastifyInstance, deps: IngressDeps, limiter: RateLimiter | undefined): void {
  scope.addHook('onRequest', async (_, reply) => {
    // A browser may keep it, but asks each time whether the link still works.
    reply.headers({ 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex, nofollow' });
  });
  if (limiter !== undefined) limitRate(scope, limiter, (request) => `shared ${clientAddress(request)}`);
  scope.setErrorHandler(makeNoticeHandler(deps));
  const subjectOf = makeLinkFinder(deps);

  for (const file of SHARED_FILES) {
    scope.get(`${sharedPath(':token')}${file.name}`, async (request, reply) => {
      const subject = await subjectOf(request);
      // Relative addresses on the page need the slash at its end.
      if (file.name === '' && !/\/(\?|$)/.test(request.url)) {
        return reply.redirect(request.url.replace(/^[^?]*/, '$&/'), 308);
      }
      if (!file.kinds.includes(subject.kind)) {
        throw new DomainError('NOT_FOUND', 'A link to a report has the report only, not the runs.');
      }
      const db = deps.dbFor?.(subject.accountId) ?? deps.db;
      const gone = new AbortController();
      whenOver(reply, () => gone.abort());
      const nextSlice = () => enterLane(deps, subject.accountId, reply);
      const ifNoneMatch = request.headers['if-none-match'];
      const answer = await file.answer({ deps: { ...deps, db }, subject, ifNoneMatch, signal: gone.signal, nextSlice });
      return sendAnswer(reply, answer, nextSlice);
    });
  }
}

/** Throws SHARED_LINK_ENDED, or TOO_MANY_WRONG_KEYS without a look-up; notes the use of the link. */
function makeLinkFinder(deps: IngressDeps): (request: FastifyRequest) => Promise<SharedSubject> {
  const lookups = new SharedLookups<SharedSubject>();
  return async (request) => {
    const { token } = request.params as { readonly token: string };
    const find = () => lookups.find(token, () => followLink(deps.db, token));
    const subject = await slowGuesses(deps, request, token, find, () => parseToken(token)!);
    deps.noteLinkUse?.(subject.linkId);
    return subject;
  };
}
