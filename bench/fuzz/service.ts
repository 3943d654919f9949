/** The service as users start it: one process with an embedded Postgres and data that are deleted after the run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../harness/free-port.ts';
import { formatApiKey, makeApiKey } from '../../src/domain/accounts/api-key.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const START_TIMEOUT_MS = 120_000;
const START_POLL_MS = 200;

export interface FuzzedService {
  readonly origin: string;
  readonly key: string;
  /** Whether the process is still running. */
  isAlive(): boolean;
  stop(): Promise<void>;
}

/** Puts the data and the log, service.log, into `folder`. */
export async function startFuzzedService(folder: string): Promise<FuzzedService> {
  const port = await findFreePort();
  const key = formatApiKey(makeApiKey());
  const child = spawn(process.execPath, [MAIN, 'start'], {
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: `${folder}/data`,
      BACKSOLVE_BOOTSTRAP_API_KEY: key,
      RATE_LIMIT_PER_MINUTE: '0',
      REGISTRATION_LIMIT_PER_HOUR: '0',
      WRONG_KEYS_PER_MINUTE: '0',
      SUGGEST_WAIT_MS: '5000',
      SUGGEST_WAIT_MAXIMUM_MS: '8000',
      // The fuzzer competes with the event loop for the processor; that guard has its own tests.
      MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
      ALLOW_REGISTRATION: 'true',
      ENGINE_THREADS: '1',
      // The outcome is counted from the lines of the requests.
      LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(`${folder}/service.log`);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const exited = once(child, 'exit');
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (isAlive()) child.kill('SIGTERM');
    await exited;
    log.end();
  };
  const origin = `http://127.0.0.1:${port}`;
  try {
    await untilReady(origin, isAlive);
  } catch (error) {
    await stop();
    throw error;
  }
  return { origin, key, isAlive, stop };
}

async function untilReady(origin: string, isAlive: () => boolean): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline && isAlive()) {
    const response = await fetch(`${origin}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, START_POLL_MS));
  }
  throw new Error('the service did not start; see service.log');
}
