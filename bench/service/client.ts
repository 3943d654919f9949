/** A client for benchmarks, with keep-alive connections and no retries. Every answer of 300 or above is an error. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

export interface Client {
  call<T>(method: string, path: string, body?: object): Promise<T>;
  close(): void;
}

export interface ClientOptions {
  /** Whether every POST has a fresh Idempotency-Key. */
  readonly usesIdempotencyKeys?: boolean;
}

export function makeClient(
  origin: string,
  key: string,
  connections: number,
  { usesIdempotencyKeys = false }: ClientOptions = {},
): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(origin);
  const call = <T>(method: string, path: string, body?: object): Promise<T> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${key}`,
        ...(usesIdempotencyKeys && method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      };
      const outgoing = request({ hostname, port, method, path: `/v1${path}`, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          // 204 has no body.
          if (response.statusCode! < 300) resolve((answer === '' ? undefined : JSON.parse(answer)) as T);
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  return { call, close: () => agent.destroy() };
}

export interface ServiceProcess {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  /** The logged JSON lines. */
  readonly lines: Record<string, unknown>[];
  stop(): Promise<void>;
}

/** Starts service-process.ts and waits until it is ready. */
export async function startProcess(
  env: Record<string, string>,
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): Promise<ServiceProcess> {
  const script = new URL('./service-process.ts', import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, [...nodeArgs, script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: Record<string, unknown>[] = [];
  const ready = Promise.withResolvers<{ url: string; key: string }>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const entry = JSON.parse(line) as Record<string, unknown>;
    if ('key' in entry) ready.resolve(entry as { url: string; key: string });
    else lines.push(entry);
  });
  child.once('exit', () => ready.reject(new Error('the service ended before it was ready')));
  const { url, key } = await ready.promise;
  const stop = async () => {
    const exited = once(child, 'exit');
    child.stdin!.end();
    await exited;
  };
  return { url, key, pid: child.pid!, lines, stop };
}

/** Creates a model, a project with two cases and an objective that no input satisfies. Returns the objective's path. */
export async function loadObjective(client: Client, parallelism = 1): Promise<string> {
  const model = await client.call<{ id: number }>('POST', '/models', { name: `bench ${crypto.randomUUID()}` });
  const project = await client.call<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'bench',
    inputCount: 2,
    minimums: [0, 0],
    maximums: [10, 10],
    inputTypes: ['float', 'float'],
    categories: [],
    inputCases: [
      [0, 0],
      [10, 1],
    ],
  });
  const cases = { outputCount: 2, outputCases: [blackBox([0, 0]), blackBox([10, 1])] };
  const projectPath = `/models/${model.id}/projects/${project.id}`;
  const { trial_id } = await client.call<{ trial_id: number }>('POST', `${projectPath}/output-cases`, cases);
  const trialPath = `${projectPath}/trials/${trial_id}`;
  const objective = await client.call<{ id: number }>('POST', `${trialPath}/objectives`, {
    objectives: [-1000, -1000],
    objectiveTypes: ['lessthan', 'lessthan'],
    desiredL1Norm: 0,
    initialInput: [5, 5],
    initialOutput: blackBox([5, 5]),
    ...(parallelism > 1 && { parallelism, holdBack: false }),
  });
  return `${trialPath}/objectives/${objective.id}`;
}

/** A smooth black box with positive outputs. */
export function blackBox(input: readonly number[]): number[] {
  return [(input[0]! - 3) ** 2 + input[1]!, Math.exp(input[0]! / 10) + Math.cos(input[1]!) ** 2];
}
