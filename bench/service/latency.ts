/**
 * Measures a cold start of `npm start`, and the latency of suggestions of the real optimizer for one client, split into waiting
 * (until a worker claims the job), reading, computing and writing.
 *
 *   npx node bench/service/latency.ts [--inverses 150]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrateDatabase } from '../../harness/database-handle.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { makeLog } from '../../src/log.ts';
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { quantiles } from '../quantile.ts';
import { loadObjective, makeClient, startProcess } from './client.ts';
import { playCycle } from './cycle-rate.ts';

const { values: options } = parseArgs({
  options: {
    inverses: { type: 'string' },
    // The former name of --inverses.
    steps: { type: 'string', default: '150' },
  },
});
const INVERSES_PER_OBJECTIVE = 15;
const SHARES = { p50: 0.5, p95: 0.95, max: 1 };
const log = makeLog({ level: 'warn' });

const dataDir = await mkdtemp(join(tmpdir(), 'backsolve-bench-'));
try {
  const firstMs = await coldStart(dataDir);
  const secondMs = await coldStart(dataDir);
  console.log(JSON.stringify({ coldStartMs: { first: Math.round(firstMs), again: Math.round(secondMs) } }));
  await splitLatency();
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

/** Returns the milliseconds from the start of the command until /readyz answers 200. */
async function coldStart(folder: string): Promise<number> {
  const port = await findFreePort();
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const env = { ...process.env, PORT: String(port), DATA_DIR: folder, LOG_LEVEL: 'warn' };
  const startedAt = performance.now();
  const child: ChildProcess = spawn(process.execPath, [main, 'start'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  while (!(await isReady(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  const elapsedMs = performance.now() - startedAt;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  return elapsedMs;
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
}

async function splitLatency(): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  await migrateDatabase(postgres.url);
  const service = await startProcess(
    { PORT: '0', DATABASE_URL: postgres.url, LOG_LEVEL: 'debug', RATE_LIMIT_PER_MINUTE: '0' },
    [],
  );
  const client = makeClient(service.url, service.key, 1);
  const totals: number[] = [];
  let path = await loadObjective(client);
  for (let n = 0; n < Number(options.inverses ?? options.steps); n++) {
    if (n % INVERSES_PER_OBJECTIVE === 0) path = await loadObjective(client);
    totals.push((await playCycle(client, path)).suggestMs);
  }
  client.close();
  await service.stop();
  await postgres.stop();
  const computed = service.lines.filter((line) => line['msg'] === 'suggestion.computed') as unknown as Phase[];
  const phases = {
    totalMs: quantiles(totals, SHARES),
    waitedMs: quantiles(
      computed.map((line) => line.waitedMs),
      SHARES,
    ),
    readMs: quantiles(
      computed.map((line) => line.readMs),
      SHARES,
    ),
    computeMs: quantiles(
      computed.map((line) => line.suggestTimeNs / 1e6),
      SHARES,
    ),
    writeMs: quantiles(
      computed.map((line) => line.writeMs),
      SHARES,
    ),
  };
  console.table(phases);
  console.log(JSON.stringify({ suggest: phases, inverses: totals.length }));
}

interface Phase {
  readonly waitedMs: number;
  readonly readMs: number;
  readonly suggestTimeNs: number;
  readonly writeMs: number;
}
