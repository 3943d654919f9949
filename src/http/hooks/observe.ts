/**
 * Measures and traces every request except probes. Routes are labeled by their templates: anything that a client can make
 * up, such as an unknown path, never becomes a name or a label.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withActiveSpan } from '../../telemetry/trace-context.ts';
import type { Span, Tracing } from '../../telemetry/tracing.ts';
import { whenOver } from '../connection/client-presence.ts';
import { isProbe } from '../health/health.ts';
import type { HttpDeps } from '../operation/deps.ts';

export function observeRequests(
  app: FastifyInstance,
  { metrics, tracing }: Pick<HttpDeps, 'metrics' | 'tracing'>,
): void {
  if (tracing !== undefined) traceRequests(app, tracing);
  if (metrics === undefined) return;
  app.addHook('onRequest', (request, reply, done) => {
    if (!isProbe(request.routeOptions.url)) {
      metrics.requestStarted();
      // Also if the client goes away and is never answered.
      whenOver(reply, metrics.requestEnded);
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (!isProbe(request.routeOptions.url)) {
      const { method, routeOptions } = request;
      const seconds = reply.elapsedTime / 1000;
      metrics.requestAnswered({ method, route: templateOf(routeOptions.url), status: reply.statusCode, seconds });
    }
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    if (!isProbe(request.routeOptions.url)) metrics.requestAborted();
    done();
  });
}

/**
 * Node loses the active span when the body arrives (an event of the socket), so each stage enters it again. A span that is
 * not recorded is entered only before the handler, which opens jobs: their workers follow its sampling decision.
 */
function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, reply, done) => {
    if (isProbe(request.routeOptions.url)) return done();
    const span = tracing.begin(startOf(request));
    spans.set(request, span);
    if (!span.isRecorded) return done();
    whenOver(reply, span.end);
    withActiveSpan(span, done);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else withActiveSpan(span, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    if (!span?.isRecorded) return done();
    span.set({ 'http.response.status_code': reply.statusCode });
    if (reply.statusCode >= 500) span.fail(new Error(`answered ${reply.statusCode}`));
    span.end();
    done();
  });
}

function startOf(request: FastifyRequest) {
  const { method, headers } = request;
  const route = templateOf(request.routeOptions.url);
  return {
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server' as const,
    parent: typeof headers.traceparent === 'string' ? headers.traceparent : null,
    attributes: {
      'http.request.method': method,
      'backsolve.request_id': request.id,
      ...(route !== undefined && { 'http.route': route }),
    },
  };
}

/** Undefined for the catch-all route of unknown paths. */
function templateOf(url: string | undefined): string | undefined {
  return url === undefined || url.endsWith('*') ? undefined : url;
}
