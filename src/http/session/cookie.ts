/**
 * The cookie of a session. Cookies ignore ports, so over http its name has the port: services on other ports of the host keep theirs.
 * Host, port and protocol are those that the browser sees, as far as TRUST_PROXY lets proxies say so.
 */
import type { FastifyRequest } from 'fastify';

/** Of the browser's page, such as http://127.0.0.1:8080. */
export function ownOrigin(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}

function nameOf(request: FastifyRequest): string {
  if (request.protocol === 'https') return '__Host-bks_session';
  return `bks_session_${/:(\d+)$/.exec(request.host)?.[1] ?? '80'}`;
}

/** The token in the request's cookie. */
export function readToken(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const start = `${nameOf(request)}=`;
  const found = cookie.split(';').find((one) => one.trimStart().startsWith(start));
  return found?.trim().slice(start.length);
}

/** Set-Cookie for a session that begins now. */
export function sessionCookie(request: FastifyRequest, token: string, expiresAt: Date): string {
  return cookieOf(request, token, Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1_000)));
}

/** Set-Cookie that removes the cookie. */
export function noCookie(request: FastifyRequest): string {
  return cookieOf(request, '', 0);
}

function cookieOf(request: FastifyRequest, value: string, seconds: number): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${nameOf(request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
