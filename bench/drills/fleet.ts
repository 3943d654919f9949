/** Processes as an operator runs them: `backsolve serve` and `backsolve work` on one database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../harness/free-port.ts';
import { NODE_FLAGS } from '../../src/installation.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
const READY_LIMIT_MS = 60_000;

/** Without the guards against overload, which would treat a busy machine as a failure of the service. */
const UNGUARDED = { LOG_LEVEL: 'fatal', RATE_LIMIT_PER_MINUTE: '0', MAXIMUM_EVENT_LOOP_DELAY_MS: '0' };

export type Role = 'serve' | 'work';

export interface Process {
  readonly role: Role;
  /** The public port of `serve`, the probe port of `work`. */
  readonly port: number;
  readonly pid: number;
  /** Description of how it ended, unless it was stopped. */
  readonly endedUnexpectedly: string | undefined;
  /** Starts the role on its port, from the entry point `main`. Resolves when it is ready. */
  start(main?: string): Promise<void>;
  isReady(): Promise<boolean>;
  /** Sends SIGTERM and waits for the end. Returns the milliseconds and the exit code. */
  stop(): Promise<{ readonly ms: number; readonly code: number | null }>;
}

/** @param nodeFlags  of Node, as the service starts by default */
export async function makeProcess(
  role: Role,
  settings: Readonly<Record<string, string>>,
  nodeFlags: readonly string[] = NODE_FLAGS,
): Promise<Process> {
  const port = await findFreePort();
  let child: ChildProcess | undefined;
  let endedUnexpectedly: string | undefined;
  let isStopping = false;
  const isReady = () => answersReady(port);
  // An interrupted drill leaves no processes behind.
  process.once('exit', () => child?.kill('SIGKILL'));
  return {
    role,
    port,
    get pid() {
      return child!.pid!;
    },
    get endedUnexpectedly() {
      return endedUnexpectedly;
    },
    isReady,
    start: async (main = MAIN) => {
      const ports = role === 'serve' ? { PORT: String(port) } : { HEALTH_PORT: String(port) };
      const env = { ...process.env, ...UNGUARDED, ...settings, ...ports };
      const started = spawn(process.execPath, [...nodeFlags, main, role], {
        env,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      child = started;
      isStopping = false;
      endedUnexpectedly = undefined;
      started.once('exit', (code, signal) => {
        if (!isStopping) endedUnexpectedly = `${role} ended unexpectedly: ${signal ?? `code ${code}`}`;
      });
      const deadline = performance.now() + READY_LIMIT_MS;
      while (!(await isReady())) {
        if (endedUnexpectedly !== undefined) throw new Error(endedUnexpectedly);
        if (performance.now() > deadline) throw new Error(`${role} is not ready after ${READY_LIMIT_MS} ms`);
        await delay(100);
      }
    },
    stop: async () => {
      isStopping = true;
      const hasEnded = child === undefined || child.exitCode !== null || child.signalCode !== null;
      if (hasEnded) return { ms: 0, code: child?.exitCode ?? null };
      const startedAt = performance.now();
      const exited = once(child!, 'exit');
      child!.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      return { ms: Math.round(performance.now() - startedAt), code };
    },
  };
}

/** Two ingresses and two workers that have not been started, with the ports of the ingresses. */
export async function makeFleet(settings: Readonly<Record<string, string>>) {
  const fleet: Process[] = [];
  for (const role of ['serve', 'serve', 'work', 'work'] as const) fleet.push(await makeProcess(role, settings));
  return { fleet, ports: fleet.filter(({ role }) => role === 'serve').map(({ port }) => port) };
}

/** Runs a command to its end and returns its output. Throws if it fails. */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  main = MAIN,
): Promise<string> {
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`backsolve ${args.join(' ')} ended with code ${code}`);
  return Buffer.concat(chunks).toString();
}

/** NODE_OPTIONS for a heap of so many MiB, as in a container; those of the service besides, as commands are started without them. */
export function heapOptions(mebibytes: number): string {
  return [`--max-old-space-size=${mebibytes}`, ...NODE_FLAGS].join(' ');
}

/** Creates an API key of the account "default". */
export async function createKey(settings: Readonly<Record<string, string>>, main = MAIN): Promise<string> {
  return (await runCommand(['keys', 'create'], settings, main)).match(/bks_\w+/)![0];
}

async function answersReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}
