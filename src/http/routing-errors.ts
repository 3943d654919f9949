/** Answers to unknown paths (404) and to methods that a path does not support (405 with Allow). Neither needs a key. */
import type { FastifyInstance } from 'fastify';
import { answerStatus, sendError } from './operation/errors.ts';
import { pathOf } from './operation/request-path.ts';

export function answerUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) =>
    sendError(reply, answerStatus(404, 'There is nothing at this path.', { instance: pathOf(request) })),
  );
}

/** Records the routes registered from now on; the returned function adds the 405 routes and must be called last. */
export function trackMethods(app: FastifyInstance): () => void {
  const methodsOf = new Map<string, Set<string>>();
  let isTracking = true;
  app.addHook('onRoute', ({ url, method }) => {
    if (!isTracking || url.includes('*')) return;
    const methods = methodsOf.get(url) ?? new Set<string>();
    methodsOf.set(url, methods);
    for (const one of [method].flat()) methods.add(one);
  });
  return () => {
    isTracking = false;
    for (const [url, methods] of methodsOf) refuseOtherMethods(app, url, methods);
  };
}

function refuseOtherMethods(app: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allowed = [...methods].sort().join(', ');
  const refused = app.supportedMethods.filter((method) => !methods.has(method));
  app.route({
    method: refused,
    url,
    exposeHeadRoute: false,
    // In onRequest, before a body is read.
    onRequest: async (request, reply) => {
      const detail = `This path does not support ${request.method}; it supports ${allowed}.`;
      return sendError(reply, answerStatus(405, detail, { instance: pathOf(request) }, { allow: allowed }));
    },
    handler: async (_, reply) => reply.code(405).send(),
  });
}
