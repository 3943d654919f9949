/** Processes of the product as an operator runs them: `backsolve serve` and `backsolve work` on one database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

/** The guards against overload would count a machine that is busy with other work as a failure of the restart. */
const UNGUARDED = { LOG_LEVEL: 'error', RATE_LIMIT_PER_MINUTE: '0', MAXIMUM_EVENT_LOOP_DELAY_MS: '0' };

export interface Process {
  readonly role: 'serve' | 'work';
  readonly port: number;
  /** The same role on the same port, from `main` on. */
  start(main?: string): Promise<void>;
  /** SIGTERM and the wait for its end; milliseconds and exit code. */
  stop(): Promise<{ readonly ms: number; readonly code: number | null }>;
}

export async function makeProcess(
  role: 'serve' | 'work',
  settings: Readonly<Record<string, string>>,
): Promise<Process> {
  const port = await findPort();
  let child: ChildProcess | undefined;
  return {
    role,
    port,
    start: async (main = MAIN) => {
      const ports = role === 'serve' ? { PORT: String(port) } : { HEALTH_PORT: String(port) };
      const env = { ...process.env, ...UNGUARDED, ...settings, ...ports };
      child = spawn(process.execPath, [main, role], { env, stdio: ['ignore', 'inherit', 'inherit'] });
      await untilReady(child, port);
    },
    stop: async () => {
      if (child === undefined || child.exitCode !== null) return { ms: 0, code: child?.exitCode ?? null };
      const startedAt = performance.now();
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
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

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`a process ended with ${child.exitCode} before it was ready`);
    try {
      if ((await fetch(`http://127.0.0.1:${port}/readyz`)).ok) return;
    } catch {
      // Not listening yet.
    }
    await delay(100);
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
