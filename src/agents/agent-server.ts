/** The server for agents (Model Context Protocol): tools over the client of /v1, and the guides as resources. */
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Backsolve } from '../../clients/typescript/src/index.ts';
import { VERSION } from '../installation.ts';
import { describeError } from './describe-error.ts';
import { listGuides } from './guides.ts';
import { explainProblem } from './tools/explain-problem.ts';
import { listProblems } from './tools/list-problems.ts';
import { nextInputs } from './tools/next-inputs.ts';
import { readProblem } from './tools/read-problem.ts';
import { reportOutputs } from './tools/report-outputs.ts';
import { stateProblem } from './tools/state-problem.ts';
import type { Tool } from './tools/tool.ts';

const TOOLS: readonly Tool[] = [stateProblem, nextInputs, reportOutputs, readProblem, explainProblem, listProblems];

const INSTRUCTIONS = `Backsolve finds the inputs of an expensive black box that give the outputs you want, in the fewest runs. You run the black box; Backsolve says which inputs to run next.
1. state_problem: what can be set, and what is wanted. 2. next_inputs: the inputs to run now. 3. Run the black box with exactly these inputs; never guess or invent outputs. 4. report_outputs, with all digits. Repeat 2 to 4 until next_inputs says that there is nothing left to run.
Every call can be repeated: after an error, a lost answer or a restart, call the same tool with the same arguments, or list_problems to find your problem again. Nothing can be deleted here.`;

export interface AgentServerOptions {
  /** May take a while at first, or throw a ToolError. */
  connect(): Promise<Backsolve>;
  /** Told of faults of this program. */
  onFault(error: unknown): void;
}

export async function makeAgentServer(options: AgentServerOptions): Promise<McpServer> {
  const server = new McpServer(
    { name: 'backsolve', title: 'Backsolve', version: VERSION },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false }, resources: { listChanged: false } } },
  );
  for (const tool of TOOLS) addTool(server, tool, options);
  for (const { name, title, description, read } of await listGuides()) {
    const about = { title, mimeType: 'text/markdown', ...(description !== undefined && { description }) };
    server.registerResource(name, `backsolve://guides/${name}`, about, async (uri) => ({
      contents: [{ uri: uri.href, mimeType: 'text/markdown', text: await read() }],
    }));
  }
  return server;
}

function addTool(server: McpServer, tool: Tool, options: AgentServerOptions): void {
  const { name, title, description, isReadOnly } = tool;
  const annotations = {
    title,
    readOnlyHint: isReadOnly,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  server.registerTool(name, { title, description, annotations, inputSchema: unread(tool.schema) }, (args, context) =>
    callTool(tool, args, context, options),
  );
}

async function callTool(tool: Tool, args: unknown, { mcpReq }: ServerContext, options: AgentServerOptions) {
  try {
    const client = await options.connect();
    const { text, data } = await tool.run({ client, args, signal: mcpReq.signal, note: progressOf(mcpReq) });
    return { content: [{ type: 'text' as const, text }], structuredContent: { ...data } };
  } catch (error) {
    const words = describeError(error);
    if (words === undefined && !mcpReq.signal.aborted) options.onFault(error);
    const text =
      words ??
      'Backsolve failed by a fault of its own, which its log describes. Call the same tool again; nothing is lost.';
    return { content: [{ type: 'text' as const, text }], isError: true };
  }
}

/** For clients that asked for it, with a token. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): (sentence: string) => Promise<void> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return async () => undefined;
  let progress = 0;
  return async (message) => {
    progress += 1;
    await notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  };
}

/** Describes the arguments and lets all pass: the tool reads them itself, because its words for what is wrong are better. */
function unread(schema: z.ZodType) {
  const toJson = () => z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }) as Record<string, unknown>;
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'backsolve',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: toJson, output: toJson },
    },
  };
}
