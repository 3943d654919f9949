/** The server for agents on standard input and output, for a client that started this process. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type AgentServerOptions, makeAgentServer } from './agent-server.ts';

/** Returns how to stop. Calls in progress are abandoned: their clients repeat them. */
export function serveAgentOverStdio(options: AgentServerOptions): () => Promise<void> {
  const handle = serveStdio(() => makeAgentServer(options), { onerror: options.onFault });
  return () => handle.close();
}
