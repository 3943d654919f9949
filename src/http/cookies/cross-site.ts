/**
 * Browsers send the cookie with requests from pages on other ports of the same host, even with SameSite=Strict. Writes
 * by cookie must therefore come from the service's own page.
 */
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../domain/errors.ts';
import { ownOrigin } from './cookie.ts';

/** Throws CROSS_SITE_WRITE unless the browser says that the request comes from this service's own page. */
export function requireOwnPage(request: FastifyRequest): void {
  if (sourceOf(request) === 'own page') return;
  const message = `A write by session cookie needs Sec-Fetch-Site: same-origin, or Origin: ${ownOrigin(request)}. Programs send an API key instead: Authorization: Bearer <key>. Behind a proxy, set TRUST_PROXY and let it pass on Host and X-Forwarded-Proto.`;
  throw new DomainError('CROSS_SITE_WRITE', message);
}

/** Throws CROSS_SITE_WRITE if the browser says that the request comes from another page; programs say nothing. `rule` is a clause. */
export function refuseOtherPages(request: FastifyRequest, rule: string): void {
  if (sourceOf(request) !== 'another page') return;
  const message = `${rule}, at ${ownOrigin(request)}/page.`;
  throw new DomainError('CROSS_SITE_WRITE', message);
}

function sourceOf(request: FastifyRequest): 'own page' | 'another page' | 'unknown' {
  const { 'sec-fetch-site': site, origin } = request.headers;
  // Over http browsers leave Sec-Fetch-Site out, except on the machine of the service.
  if (site === undefined && origin === undefined) return 'unknown';
  const isOwn = site === undefined ? origin === ownOrigin(request) : site === 'same-origin';
  return isOwn ? 'own page' : 'another page';
}
