import type { FastifyRequest } from 'fastify';

/** Path of the request without its query. */
export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?');
  return end < 0 ? request.url : request.url.slice(0, end);
}
