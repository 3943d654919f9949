/**
 * The server for agents over streamable HTTP. Nothing is kept between two requests, so that any process of the service can answer any of
 * them: a server is made for each, which calls the interface with the key of the request.
 */
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';
import { Backsolve } from '../../clients/typescript/src/index.ts';
import { makeAgentServer } from './agent-server.ts';

export interface AgentRequest {
  readonly request: Request;
  readonly body: unknown;
  readonly key: string;
  /** Answers requests for the interface. */
  readonly fetch: typeof fetch;
}

export interface AgentHandler {
  answer(asked: AgentRequest): Promise<Response>;
  close(): Promise<void>;
}

export function makeAgentHandler({ onFault }: { onFault(error: unknown): void }): AgentHandler {
  const clients = new WeakMap<AuthInfo, Backsolve>();
  const handler = createMcpHandler(
    ({ authInfo }) => makeAgentServer({ connect: async () => clients.get(authInfo!)!, onFault }),
    // There is nothing to subscribe to.
    { onerror: onFault, maxSubscriptions: 0 },
  );
  return {
    answer: ({ request, body, key, fetch }) => {
      const authInfo: AuthInfo = { token: key, clientId: 'key', scopes: [] };
      clients.set(authInfo, new Backsolve({ url: WITHIN, key, fetch, ...RETRIES }));
      return handler.fetch(request, { parsedBody: body, authInfo });
    },
    close: () => handler.close(),
  };
}

/** Address of this process, which answers its own requests. */
const WITHIN = 'http://localhost';
/** The agent repeats what takes longer. */
const RETRIES = { maximumRetries: 4, retryForMs: 10_000 } as const;
