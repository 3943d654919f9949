/** Processes of the product as an operator runs them: `backsolve serve` and `backsolve work` on one database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../harness/free-port.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
const READY_LIMIT_MS = 60_000;

/** The guards against overload would count a machine that is busy with other work as a failure of the service. */
const UNGUARDED = { LOG_LEVEL: 'fatal', RATE_LIMIT_PER_MINUTE: '0', MAXIMUM_EVENT_LOOP_DELAY_MS: '0' };

export type Role = 'serve' | 'work';

export interface Process {
  readonly role: Role;
  /** Of `serve` the public one, of `work` that of the probes. */
  readonly port: number;
  readonly pid: number;
  /** How it ended without being told to; undefined while it runs or when it was told to. */
  readonly endedByItself: string | undefined;
  /** The same role on the same port, from `main` on. Resolves when it is ready. */
  start(main?: string): Promise<void>;
  isReady(): Promise<boolean>;
  /** SIGTERM and the wait for its end; milliseconds and exit code. */
  stop(): Promise<{ readonly ms: number; readonly code: number | null }>;
}

export async function makeProcess(role: Role, settings: Readonly<Record<string, string>>): Promise<Process> {
  const port = await findFreePort();
  let child: ChildProcess | undefined;
  let endedByItself: string | undefined;
  let isStopping = false;
  const isReady = () => answersReady(port);
  // A drill that is interrupted takes its processes along.
  process.once('exit', () => child?.kill('SIGKILL'));
  return {
    role,
    port,
    get pid() {
      return child!.pid!;
    },
    get endedByItself() {
      return endedByItself;
    },
    isReady,
    start: async (main = MAIN) => {
      const ports = role === 'serve' ? { PORT: String(port) } : { HEALTH_PORT: String(port) };
      const env = { ...process.env, ...UNGUARDED, ...settings, ...ports };
      const started = spawn(process.execPath, [main, role], { env, stdio: ['ignore', 'inherit', 'inherit'] });
      child = started;
      isStopping = false;
      started.once('exit', (code, signal) => {
        if (!isStopping) endedByItself = `${role} ended by itself: ${signal ?? `code ${code}`}`;
      });
      const deadline = performance.now() + READY_LIMIT_MS;
      while (!(await isReady())) {
        if (endedByItself !== undefined) throw new Error(endedByItself);
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

/** Runs a command of the product to its end. */
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
  if (code !== 0) throw new Error(`backsolve ${args.join(' ')} ended with ${code}`);
  return Buffer.concat(chunks).toString();
}

/**
 * NODE_OPTIONS for a heap of so many MiB as in a container. On a machine with more memory Node gives new objects 128 MiB; a small
 * heap would be full with that alone, and collected all the time.
 */
export function heapOptions(mebibytes: number): string {
  return `--max-old-space-size=${mebibytes} --max-semi-space-size=16`;
}

/** A fresh API key of the account "default". */
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
