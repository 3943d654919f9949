/** Agents as tests and drills play them: real clients of the protocol that know only what the tools say. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** Answer of a tool. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the data of each tool have a form of their own.
  readonly data: any;
}

export interface Agent {
  readonly client: Client;
  /** Id of the process that it talks to; null over HTTP. */
  readonly pid: number | null;
  call(tool: string, args: object): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** Protocol that the client speaks: that of 2025 with a handshake, or that of 2026 without. */
export type Era = 'legacy' | 'auto';

/** Over /mcp of a service. */
export async function connectAgent(url: string, key: string, era: Era = 'legacy'): Promise<Agent> {
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  return await open(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }), era);
}

/** Starts `backsolve mcp`, with these arguments and exactly these settings. */
export async function startAgent(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  era: Era = 'legacy',
): Promise<Agent> {
  const main = new URL('../src/main.ts', import.meta.url).pathname;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', ...args],
    env: { ...settings },
    stderr: 'ignore',
  });
  return await open(transport, era);
}

async function open(transport: StreamableHTTPClientTransport | StdioClientTransport, era: Era): Promise<Agent> {
  const client = new Client({ name: 'scripted-agent', version: '1.0.0' }, { versionNegotiation: { mode: era } });
  await client.connect(transport);
  return {
    client,
    pid: transport instanceof StdioClientTransport ? transport.pid : null,
    call: async (name, args) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...args } });
      const [first] = content as readonly { readonly text: string }[];
      return { isError: isError === true, text: first!.text, data: structuredContent };
    },
    close: () => client.close(),
  };
}
