/**
 * /mcp: agents speak the Model Context Protocol here (streamable HTTP, without sessions). A call of a tool becomes requests to /v1 with
 * the same key, answered by this process, so that scopes, limits and errors are those of /v1. Not part of the documents of the interface.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AgentHandler } from '../agents/over-http.ts';
import { refuseViolations } from '../domain/errors.ts';
import type { BodySpec, SentFields } from './body/spec.ts';
import { whenOver } from './connection/client-presence.ts';
import { refuseOtherPages } from './cookies/cross-site.ts';
import type { RateLimiter } from './fairness/rate-limiter.ts';
import { makeRequestSlots } from './fairness/slots.ts';
import { admitAccounts } from './hooks/admit-accounts.ts';
import { principalOf, readKey } from './hooks/authenticate.ts';
import { limitRate } from './hooks/rate-limit.ts';
import { requireScope } from './hooks/scopes.ts';
import { forbidCaching } from './hooks/security-headers.ts';
import type { IngressDeps } from './operation/deps.ts';
import { makeErrorHandler } from './operation/errors.ts';

const PATH = '/mcp';

/** A message of the protocol, which its library checks. */
const message: BodySpec<SentFields> = {
  schema: z.record(z.string(), z.unknown()),
  size: 'vectors',
  read: (body) => ({ kind: 'value', value: body }),
};

/** Register it in its own scope. `limiter` undefined: no limit. */
export function addAgents(scope: FastifyInstance, deps: IngressDeps, limiter: RateLimiter | undefined): void {
  forbidCaching(scope);
  // Before the key: a page of another site gets no answer from which it could learn whether it has one.
  scope.addHook('onRequest', async (request) =>
    refuseOtherPages(request, 'In a browser, only pages of this service may call this address'),
  );
  // Slots of its own: a call that held one of /v1 could wait for itself.
  const { requestsPerAccount } = deps.settings;
  const slots = requestsPerAccount === undefined ? undefined : makeRequestSlots(requestsPerAccount);
  admitAccounts(scope, { ...deps, slots });
  requireScope(scope);
  if (limiter !== undefined) limitRate(scope, limiter);
  scope.setErrorHandler(makeErrorHandler({ databaseTrouble: deps.databaseTrouble, inversePathOf: () => undefined }));
  const handlerOf = makeLoader(scope, deps);
  scope.post(PATH, { config: { scopeNeeded: ['read', 'evaluate', 'write'] } }, async (request, reply) => {
    const { accountId } = principalOf(request);
    const { value, violations } = await deps.bodies.read(request, reply, message, `account ${accountId}`);
    refuseViolations(violations);
    const handler = await handlerOf();
    const answer = await handler.answer({
      request: toWebRequest(request, reply),
      body: value,
      key: readKey(request)!,
      fetch: fetchWithin(scope, request),
    });
    return send(reply, answer);
  });
}

/** Loads the library with the first request: most services have no agents. */
function makeLoader(scope: FastifyInstance, { log }: IngressDeps): () => Promise<AgentHandler> {
  let loading: Promise<AgentHandler> | undefined;
  scope.addHook('onClose', async () => (await loading)?.close());
  return () => {
    loading ??= import('../agents/over-http.ts').then(({ makeAgentHandler }) =>
      makeAgentHandler({ onFault: (error) => log.warn({ err: error }, 'agent.fault') }),
    );
    return loading;
  };
}

/** Without its body, which has been read. */
function toWebRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  whenOver(reply, () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return new Request(`http://localhost${PATH}`, { method: request.method, headers, signal: gone.signal });
}

/** Requests to /v1 for the sender of `request`, which pass the hooks like any other. */
function fetchWithin(scope: FastifyInstance, { ip, id }: FastifyRequest): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const { statusCode, headers, rawPayload } = await scope.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: `${pathname}${search}`,
      headers: { ...(init.headers as Record<string, string>), 'x-request-id': String(id) },
      remoteAddress: ip,
      ...(init.body != null && { payload: String(init.body) }),
    });
    const entries = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(HAS_NO_BODY.has(statusCode) ? null : new Uint8Array(rawPayload), {
      status: statusCode,
      headers: entries,
    });
  };
}

const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 304]);

function send(reply: FastifyReply, { status, headers, body }: Response): FastifyReply {
  reply.code(status).headers(Object.fromEntries(headers));
  return body === null ? reply.send() : reply.send(Readable.fromWeb(body as ReadableStream));
}
