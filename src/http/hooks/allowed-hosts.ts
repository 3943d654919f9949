/**
 * Answers only requests for hosts that the service is known by. A page of another site can give its own name the address of this
 * machine (DNS rebinding), and the browser then treats the service as part of that site. Addresses are not names, so they pass.
 */
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isLoopback } from '../../domain/loopback.ts';
import { answerStatus, sendError } from '../operation/errors.ts';
import { pathOf } from '../operation/request-path.ts';

/** @param names  in lower case, without ports, besides localhost and addresses */
export function requireAllowedHost(app: FastifyInstance, names: ReadonlySet<string>): void {
  app.addHook('onRequest', async (request, reply) => {
    // As it was sent: a page can claim any X-Forwarded-Host. Every browser sends Host.
    const { host } = request.headers;
    if (host === undefined || isAllowed(nameIn(host), names)) return;
    const detail = `This service does not serve the host ${JSON.stringify(nameIn(host))}. Use localhost or an address, or add the host to the setting ALLOWED_HOSTS.`;
    return sendError(reply, answerStatus(421, detail, { instance: pathOf(request) }));
  });
}

function isAllowed(name: string, names: ReadonlySet<string>): boolean {
  return isIP(name) !== 0 || isLoopback(name) || names.has(name);
}

/** Without port, brackets and the final dot of a full name. */
function nameIn(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
