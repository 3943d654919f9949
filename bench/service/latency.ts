/**
 * Cold start of `npm start` to ready, and the time from a suggest request to its answer at one client, split into waiting
 * (until a worker claims it), reading, computing and writing, on the real optimizer.
 *
 *   node bench/service/latency.ts [--steps 150]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrateDatabase } from '../../harness/database-handle.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts';
import { makeLog } from '../../src/log.ts';
import { blackBox, loadObjective, makeClient, startProcess } from './client.ts';

const { values: options } = parseArgs({ options: { steps: { type: 'string', default: '150' } } });
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

/** Milliseconds from the start of the command to the first 200 of /readyz. */
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
    { PORT: '0', DATABASE_URL: postgres.url, LOG_LEVEL: 'info', RATE_LIMIT_PER_MINUTE: '0' },
    [],
  );
  const client = makeClient(service.url, service.key, 1);
  const totals: number[] = [];
  let path = await loadObjective(client);
  for (let step = 0; step < Number(options.steps); step++) {
    if (step % 15 === 0) path = await loadObjective(client);
    const startedAt = performance.now();
    const { input } = await client.call<{ input: number[] }>('POST', `${path}/inverses`);
    totals.push(performance.now() - startedAt);
    await client.call('POST', `${path}/inverse-output`, { output: blackBox(input) });
  }
  client.close();
  await service.stop();
  await postgres.stop();
  const computed = service.lines.filter((line) => line['msg'] === 'suggestion.computed') as unknown as Phase[];
  const phases = {
    totalMs: quantiles(totals),
    waitedMs: quantiles(computed.map((line) => line.waitedMs)),
    readMs: quantiles(computed.map((line) => line.readMs)),
    computeMs: quantiles(computed.map((line) => line.suggestTimeNs / 1e6)),
    writeMs: quantiles(computed.map((line) => line.writeMs)),
  };
  console.table(phases);
  console.log(JSON.stringify({ suggest: phases, steps: totals.length }));
}

interface Phase {
  readonly waitedMs: number;
  readonly readMs: number;
  readonly suggestTimeNs: number;
  readonly writeMs: number;
}

function quantiles(values: readonly number[]): Record<'p50' | 'p95' | 'max', number> {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN).toFixed(2));
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}
