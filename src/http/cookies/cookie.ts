/**
 * The cookie of a session, and the header beside it. Cookies ignore ports, so over http the name has the port: services on other ports of
 * the host keep theirs. Programs there still receive the cookie and can add some of the same name; they do not know the secret of the
 * page. Host, port and protocol are those that the browser sees, as far as TRUST_PROXY lets proxies say so.
 */
import type { FastifyRequest } from 'fastify';
import type { SessionProof } from '../../application/accounts/browser-sessions.ts';
import { DomainError } from '../../domain/errors.ts';
import { OPENID_MINUTES } from '../../domain/people/openid.ts';
import { pathOf } from '../operation/request-path.ts';

/** Carries the secret of the page. */
const PAGE_HEADER = 'x-page-secret';

/** Origin of the browser's page, such as http://127.0.0.1:8080. */
export function ownOrigin(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}

function nameOf(request: FastifyRequest, what: 'session' | 'openid' = 'session'): string {
  if (request.protocol === 'https') return `__Host-bks_${what}`;
  return `bks_${what}_${/:(\d+)$/.exec(request.host)?.[1] ?? '80'}`;
}

/** The tokens in all cookies of sessions, once each. */
export function readTokens(request: FastifyRequest): readonly string[] {
  return readCookies(request, nameOf(request));
}

/** The token of the sign-in that this browser has begun at the OpenID provider. */
export function readOpenIdToken(request: FastifyRequest): string | undefined {
  return readCookies(request, nameOf(request, 'openid'))[0];
}

function readCookies(request: FastifyRequest, name: string): readonly string[] {
  const start = `${name}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((one) => one.trim());
  return [...new Set(cookies.filter((one) => one.startsWith(start)).map((one) => one.slice(start.length)))];
}

/** undefined without a cookie, or without the secret of the page. */
export function readProof(request: FastifyRequest): SessionProof | undefined {
  const tokens = readTokens(request);
  const pageSecret = request.headers[PAGE_HEADER];
  return tokens.length === 0 || typeof pageSecret !== 'string' ? undefined : { tokens, pageSecret };
}

/** As readProof. Throws SESSION_ENDED for a cookie without the secret of the page. */
export function requireProof(request: FastifyRequest): SessionProof | undefined {
  const proof = readProof(request);
  if (proof !== undefined || readTokens(request).length === 0) return proof;
  const message =
    'The session cookie is valid only together with the secret of its page, in X-Page-Secret; sign in again. Programs send an API key instead: Authorization: Bearer <key>.';
  throw new DomainError('SESSION_ENDED', message);
}

/** Set-Cookie by which a proxy sends the requests of the page to the cell that served it. It grants nothing. */
export function cellCookie(request: FastifyRequest, cell: string): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `bks_cell=${cell}; Path=/; Max-Age=${365 * 86_400}; HttpOnly; SameSite=Lax${secure}`;
}

/** Set-Cookie for a session that begins now. */
export function sessionCookie(request: FastifyRequest, token: string, expiresAt: Date): string {
  return cookieOf(request, token, Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1_000)));
}

/** Set-Cookie for a sign-in that begins at the OpenID provider, or removes it. Lax: the provider sends the browser back. */
export function openIdCookie(request: FastifyRequest, token: string | undefined): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  const seconds = token === undefined ? 0 : 60 * OPENID_MINUTES;
  return `${nameOf(request, 'openid')}=${token ?? ''}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Set-Cookie that removes the cookie. */
export function noCookie(request: FastifyRequest): string {
  return cookieOf(request, '', 0);
}

/** Set-Cookie that removes cookies of the name from the paths below the root that the request has: no session is there. */
export function noStrayCookies(request: FastifyRequest): readonly string[] {
  const parts = pathOf(request).split('/').filter(Boolean).slice(0, DEEPEST_PATH);
  const paths = parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`);
  return paths.flatMap((path) => [cookieOf(request, '', 0, path), cookieOf(request, '', 0, `${path}/`)]);
}

/** More parts than the path of an operation has are not looked at. */
const DEEPEST_PATH = 9;

function cookieOf(request: FastifyRequest, value: string, seconds: number, path = '/'): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${nameOf(request)}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
