/**
 * A client as a careful user would write it. It calls any ingress, limits the time of every call, and repeats a call after a
 * network error, 429 or 5xx, at another ingress where there is one. It sends some calls twice simultaneously, as a proxy might.
 * Outputs name their iteration, so that a late copy of a call cannot reach another one.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { pick } from './random.ts';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly location: string | undefined;
  readonly retryAfterSeconds: number;
}

export interface ClientOptions {
  readonly ports: readonly number[];
  readonly key: string;
  readonly random: () => number;
  /** Called with the reason of every retry. */
  readonly onRetry: (reason: string) => void;
  readonly timeLimitMs: number;
  /** The share of calls sent twice simultaneously. */
  readonly doubled: number;
}

const WAIT_SECONDS = 5;
/**
 * The server answers within the requested wait; a call that takes much longer is lost. Shorter than the longest freeze, so
 * that a frozen process carries out some calls after the client has repeated them.
 */
const CALL_LIMIT_MS = 8_000;

class GaveUp extends Error {}

export class Client {
  /** Calls sent, including retries and copies. */
  sent = 0;
  readonly #options: ClientOptions;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Returns the first answer that calls for no retry. Throws GaveUp after the time limit. */
  async call(method: string, path: string, body?: object): Promise<Answer> {
    const key = crypto.randomUUID();
    const deadline = performance.now() + this.#options.timeLimitMs;
    let port = pick(this.#options.random, this.#options.ports);
    for (let attempt = 1; ; attempt++) {
      const other = pick(this.#options.random, this.#others(port));
      const sent = [this.#send(port, method, path, body, key)];
      if (this.#options.random() < this.#options.doubled) sent.push(this.#send(other, method, path, body, key));
      port = other;
      const answers = await Promise.all(sent);
      const answer = answers.find((one) => typeof one === 'object' && !isTemporary(one)) ?? answers[0]!;
      if (typeof answer === 'object' && !isTemporary(answer)) return answer;
      const reason = typeof answer === 'string' ? answer : describe(answer);
      this.#options.onRetry(reason);
      if (performance.now() > deadline) throw new GaveUp(`${method} ${path}: ${reason}`);
      const pauseMs = Math.min(2_000, 50 * 2 ** attempt) * (0.5 + this.#options.random());
      const askedMs = typeof answer === 'string' ? 0 : 1000 * answer.retryAfterSeconds;
      await delay(Math.max(pauseMs, askedMs));
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #others(port: number): readonly number[] {
    const others = this.#options.ports.filter((candidate) => candidate !== port);
    return others.length > 0 ? others : [port];
  }

  /** Resolves to the answer or to the code of the network error. */
  #send(port: number, method: string, path: string, body: object | undefined, key: string): Promise<Answer | string> {
    this.sent += 1;
    return new Promise((resolve) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${this.#options.key}`,
        prefer: `wait=${WAIT_SECONDS}`,
        ...(method === 'POST' && { 'idempotency-key': key }),
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      };
      const outgoing = request(
        { hostname: '127.0.0.1', port, method, path, headers, agent: this.#agent, timeout: CALL_LIMIT_MS },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', () => resolve('response cut'));
          response.on('aborted', () => resolve('response cut'));
          response.on('end', () => {
            const answer = Buffer.concat(chunks).toString();
            resolve({
              status: response.statusCode!,
              body: (answer === '' ? {} : JSON.parse(answer)) as Record<string, unknown>,
              location: response.headers.location,
              retryAfterSeconds: Number(response.headers['retry-after'] ?? 0),
            });
          });
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error('no answer'), { code: 'no answer' })));
      outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      outgoing.end(text);
    });
  }
}

/** Includes the conflict with a copy of the same call that is still running. */
function isTemporary({ status, body }: Answer): boolean {
  const kind = String(body['type'] ?? '');
  return status >= 500 || status === 429 || (status === 409 && !/iteration-open|output-conflict|lease-lost/.test(kind));
}

function describe({ status, body }: Answer): string {
  return `${status} ${String(body['type'] ?? '').replace(/^.*[/:]/, '')}`;
}
