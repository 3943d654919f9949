/** Signing in by an OpenID provider: to its page and back. The browser leaves with a cookie and comes back with a sign-in link. */
import type { FastifyInstance } from 'fastify';
import { beginOpenId, finishOpenId, type OpenId } from '../../application/people/openid-sign-in.ts';
import { DomainError, refuseViolations } from '../../domain/errors.ts';
import { OpenIdFailure } from '../../domain/people/openid.ts';
import { clientAddress } from '../connection/client-address.ts';
import { openIdCookie, ownOrigin, readOpenIdToken } from '../cookies/cookie.ts';
import { refuseOtherPages } from '../cookies/cross-site.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { newOpenIdSignIn } from './session.wire.ts';

const PATH = '/session/openid';
const CALLBACK = `${PATH}/callback`;
/** Nowhere but to a view of the page. */
const VIEW = /^\/page(?:\/[\w/-]*)?(?:\?[\w=&.,%+-]*)?$/;

export function addOpenId(scope: FastifyInstance, deps: IngressDeps): void {
  const { db, openId } = deps;

  /** Tells the page what it needs to know before anybody is signed in. */
  scope.get(PATH, async () => ({ isOffered: openId !== undefined }));

  scope.post(PATH, async (request, reply) => {
    refuseOtherPages(request, 'Signing in is possible only from the page of this service');
    const holder = `address ${clientAddress(request)}`;
    const { value, violations } = await deps.bodies.read(request, reply, newOpenIdSignIn, holder);
    refuseViolations(violations);
    const { invitation, returnTo = '' } = value!;
    const wanted = {
      redirectUri: `${ownOrigin(request)}${CALLBACK}`,
      invitation,
      returnTo: VIEW.test(returnTo) ? returnTo : '/page',
    };
    try {
      const { url, token } = await beginOpenId(db, required(openId), wanted);
      reply.header('set-cookie', openIdCookie(request, token));
      return { url };
    } catch (error) {
      if (!(error instanceof OpenIdFailure)) throw error;
      request.log.warn({ by: 'openid', reason: error.reason, detail: detailOf(error) }, 'session.refused');
      const message = 'The OpenID provider does not answer. Try again in a moment, or sign in with a key.';
      throw new DomainError('OPENID_UNAVAILABLE', message);
    }
  });

  scope.get(CALLBACK, async (request, reply) => {
    reply.header('set-cookie', openIdCookie(request, undefined));
    try {
      const came = { token: readOpenIdToken(request), url: new URL(request.url, ownOrigin(request)) };
      const { linkToken, returnTo, accountId, keptAsLastOwner } = await finishOpenId(db, required(openId), came);
      for (const kept of keptAsLastOwner) {
        // The account would have no owner; another one, made by hand or by a group, lets the next sign-in end it.
        request.log.warn({ accountId: kept }, 'membership.kept-as-last-owner');
      }
      request.log.info({ by: 'openid', accountId, keyId: null }, 'session.started');
      deps.metrics?.signInTried('openid', 'signed-in');
      return reply.redirect(`${returnTo}#token=${linkToken}`, 303);
    } catch (error) {
      const reason = reasonOf(error);
      request.log.warn({ by: 'openid', reason, detail: detailOf(error) }, 'session.refused');
      deps.metrics?.signInTried('openid', 'refused');
      return reply.redirect(`/page#sign-in-failed=${reason}`, 303);
    }
  });
}

function required(openId: OpenId | undefined): OpenId {
  if (openId !== undefined) return openId;
  throw new DomainError('NOT_FOUND', 'No OpenID provider is configured for this service.');
}

/** The messages alone: what else the library puts into its errors may hold codes and tokens. */
function detailOf(error: unknown): readonly string[] {
  const messages: string[] = [];
  for (let one = error; one instanceof Error && messages.length < 4; one = one.cause) messages.push(one.message);
  return messages;
}

/** Other errors are not about the sign-in. */
function reasonOf(error: unknown): string {
  if (error instanceof OpenIdFailure) return error.reason;
  if (error instanceof DomainError && error.code === 'LIMIT_REACHED') return 'full';
  throw error;
}
