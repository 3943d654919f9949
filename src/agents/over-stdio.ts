/** The server for agents on standard input and output, for a client that started this process. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type AgentServerOptions, makeAgentServer } from './agent-server.ts';

export interface StdioServer {
  /** Resolves when the input has ended and every request in it is answered, or when nobody reads the answers any more. */
  readonly ended: Promise<void>;
  /** Calls in progress are abandoned: their clients repeat them. */
  close(): Promise<void>;
}

export function serveAgentOverStdio(options: AgentServerOptions): StdioServer {
  const transport = new Answering();
  const handle = serveStdio(() => makeAgentServer(options), { onerror: options.onFault, transport });
  transport.watch();
  return { ended: transport.ended, close: () => handle.close() };
}

/** Its standard input goes on where that of the process ends, which would end what is being answered. */
class Answering extends StdioServerTransport {
  readonly ended: Promise<void>;
  readonly #open = new Set<string | number>();
  #isAnswered: () => void = () => undefined;

  constructor() {
    const input = new PassThrough();
    super(input);
    process.stdin.pipe(input, { end: false });
    const inputEnded = Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
    this.ended = inputEnded.then(() => this.#untilAnswered(input));
  }

  /** Follows what comes in; call it once the server listens. */
  watch(): void {
    const [take, closed] = [this.onmessage, this.onclose];
    this.onmessage = (message) => {
      this.#noteTaken(message);
      take?.(message);
    };
    this.onclose = () => {
      this.#open.clear();
      this.#isAnswered();
      closed?.();
    };
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message)) this.#answered(message.id);
  }

  #noteTaken(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    // A cancelled request has no answer, and a subscription goes on until the end.
    if (message.method === 'notifications/cancelled') this.#answered(message.params?.['requestId'] as string | number);
    else if ('id' in message && message.method !== 'subscriptions/listen') this.#open.add(message.id);
  }

  #answered(id: string | number | undefined): void {
    if (id !== undefined) this.#open.delete(id);
    if (this.#open.size === 0) this.#isAnswered();
  }

  async #untilAnswered(input: PassThrough): Promise<void> {
    // Input that was read may still be on its way.
    do await setImmediate();
    while (input.readableLength + input.writableLength > 0);
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#isAnswered = resolve));
  }
}
