import { once } from 'node:events';
import path from 'node:path';
import type { Config } from '../settings/config.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';
import { complain } from './print.ts';
import type { Connection } from './problems.ts';

const flags = { dir: text, url: text, key: text } as const;

interface Values {
  readonly dir?: string | undefined;
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

export const mcp: Command = {
  summary: 'serve AI agents over standard input and output (Model Context Protocol)',
  usage: `Usage: backsolve mcp [--dir FOLDER] [--url URL --key KEY]

The program that an AI agent starts to find inputs with Backsolve; docs/guides/agents.md shows the configuration of some. It speaks
the Model Context Protocol on standard input and output, logs to standard error, and ends with its input, once every request in it is answered. Uses the service at
URL (or BACKSOLVE_URL and BACKSOLVE_API_KEY), or one of its own in .backsolve of FOLDER, which several agents share.

  --dir FOLDER   where the data of the service of its own are (the current folder)

Exit codes: 0 the input has ended, 2 wrong usage.`,
  flags,

  async run(args, config) {
    const { values } = parseCommand(this.usage, { args: [...args], options: flags });
    const url = values.url ?? config.client.url;
    if (url !== undefined && (values.key ?? config.client.key) === undefined)
      throw new CommandError(`${url} needs an API key: --key, or BACKSOLVE_API_KEY in the environment.`);
    await serve(values, config);
    return 0;
  },
};

async function serve(values: Values, config: Config): Promise<void> {
  const { serveAgentOverStdio } = await import('../agents/over-stdio.ts');
  const service = new SharedConnection(values, config);
  const server = serveAgentOverStdio({
    connect: async () => (await service.get()).client,
    onFault: (error) => complain(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  });
  // Requests that came before the end of the input are answered, unless the client asks this process to end.
  await Promise.race([server.ended, once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await server.close();
  await service.release();
}

/** Made by the first call that needs it, so that an agent gets the list of tools immediately; tried again after a failure. */
class SharedConnection {
  readonly #values: Values;
  readonly #config: Config;
  #made: Promise<Connection> | undefined;

  constructor(values: Values, config: Config) {
    this.#values = values;
    this.#config = config;
  }

  get(): Promise<Connection> {
    this.#made ??= this.#connect().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  async release(): Promise<void> {
    await (await this.#made?.catch(() => undefined))?.release();
  }

  /** Throws ToolError with what the person can do. */
  async #connect(): Promise<Connection> {
    const [{ connectTo }, { RunFolder }, { toComplaint }, { ToolError }] = await Promise.all([
      import('./problems.ts'),
      import('../runner/run-folder.ts'),
      import('./run.ts'),
      import('../agents/tools/tool.ts'),
    ]);
    const home = path.resolve(this.#values.dir ?? '.');
    const folder = new RunFolder(path.join(home, 'agent'));
    try {
      return await connectTo(this.#values, this.#config, folder, () => complain('Starting the service ...'));
    } catch (error) {
      const known = toComplaint(error);
      if (known === undefined) throw error;
      throw new ToolError(
        `${known.message}\nThe data are kept in .backsolve of ${home}; backsolve mcp --dir FOLDER keeps them elsewhere.`,
      );
    }
  }
}
