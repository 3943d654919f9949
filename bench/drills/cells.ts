/**
 * Two cells behind HAProxy with the files of deploy/cells, each with its own PostgreSQL and processes, and clients of both. One cell is
 * killed whole: the clients of the other must see no error and no slower answer of the proxy. Then it comes back, and nothing that was confirmed may be
 * missing. Exits with code 1 otherwise.
 *
 *   npx node bench/drills/cells.ts [--clients 3] [--runs 100]
 *
 * Needs haproxy on PATH.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DatabaseServer } from '../../harness/database-server.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { makeProcess, type Process, runCommand } from './fleet.ts';
import { describeViolations, type Load, startLoad, verifyDatabase } from './load.ts';
import { runDrill } from './run-drill.ts';

const { values: options } = parseArgs({
  options: { clients: { type: 'string', default: '3' }, runs: { type: 'string', default: '100' } },
});
const SHIPPED = new URL('../../deploy/cells/', import.meta.url);
const CALL_LIMIT_MS = 120_000;
const runs = Number(options.runs);

interface Cell {
  readonly name: string;
  readonly server: DatabaseServer;
  readonly serve: Process;
  readonly work: Process;
  readonly key: string;
}

await runDrill(drill);

async function drill(folder: string): Promise<readonly string[]> {
  const cells = [await startCell(folder, 'c1'), await startCell(folder, 'c2')] as const;
  const proxy = await startProxy(folder, cells);
  const loads: Load[] = [];
  for (const { key } of cells) {
    loads.push(
      await startLoad({ ports: [proxy.port], key, clients: Number(options.clients), timeLimitMs: CALL_LIMIT_MS }),
    );
  }
  const [other, struck] = loads as [Load, Load];
  await Promise.all(loads.map((load) => load.moreInverses(runs / 4)));
  const [, victim] = cells;
  console.log(`${victim.name} dies with its database`);
  const startedAt = Date.now();
  for (const { pid } of [victim.serve, victim.work]) process.kill(pid, 'SIGKILL');
  await victim.server.vanish();
  const before = struck.inverses();
  await other.moreInverses(runs);
  const meanwhile = struck.inverses() - before;
  const longestPauseMs = longestPause(other, startedAt);
  await victim.server.start();
  await Promise.all([victim.serve.start(), victim.work.start()]);
  await struck.moreInverses(runs / 4);
  const reports = await Promise.all(loads.map((load) => load.stop()));
  const violations: string[] = [];
  for (const [i, { name, server }] of cells.entries()) {
    const found = describeViolations(await verifyDatabase(server.url, loads[i]!.journals));
    violations.push(...found.map((one) => `${name}: ${one}`));
  }
  const named = Object.fromEntries(
    cells.map(({ name }, i) => [name, { ...reports[i]!, complaints: reports[i]!.complaints.length }]),
  );
  console.log(
    JSON.stringify(
      { ...named, meanwhile: { c1: runs, c2: meanwhile, longestPauseOfC1Ms: longestPauseMs } },
      undefined,
      2,
    ),
  );
  proxy.close();
  for (const { serve, work, server } of cells) {
    await Promise.all([serve.stop(), work.stop()]);
    await server.close();
  }
  return [
    ...violations,
    ...reports.flatMap(({ complaints }) => complaints),
    ...Object.entries(reports[0]!.retries).map(([reason, times]) => `an account of c1 saw ${times} times: ${reason}`),
  ];
}

async function untilReady(url: string): Promise<void> {
  const isReady = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await delay(100);
}

/** Between two runs of any client, after `from`. */
function longestPause(load: Load, from: number): number {
  const times = load.inverseTimesOf
    .flat()
    .filter((at) => at > from)
    .sort((a, b) => a - b);
  return Math.max(...times.map((at, i) => at - (times[i - 1] ?? from)));
}

async function startCell(folder: string, name: string): Promise<Cell> {
  const server = await DatabaseServer.create(path.join(folder, name), ['jit=off']);
  const settings = {
    DATABASE_URL: server.url,
    CELL: name,
    WORKER_CONCURRENCY: '2',
    ENGINE_THREADS: '1',
    TRUST_PROXY: '1',
  };
  await runCommand(['migrate'], settings);
  const [text] = (await runCommand(['keys', 'create'], settings)).match(/bks_\w+/)!;
  const [serve, work] = [await makeProcess('serve', settings), await makeProcess('work', settings)];
  await Promise.all([serve.start(), work.start()]);
  return { name, server, serve, work, key: text };
}

async function startProxy(folder: string, cells: readonly Cell[]) {
  const port = await findFreePort();
  let text = (await readFile(new URL('haproxy.cfg', SHIPPED), 'utf8')).replace('bind *:8080', `bind 127.0.0.1:${port}`);
  for (const { name, serve } of cells) text = text.replace(`${name}.example:8080`, `127.0.0.1:${serve.port}`);
  await writeFile(path.join(folder, 'haproxy.cfg'), text);
  await copyFile(new URL('cells.map', SHIPPED), path.join(folder, 'cells.map'));
  const child = spawn('haproxy', ['-f', 'haproxy.cfg', '-db'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  await once(child, 'spawn');
  await untilReady(`http://127.0.0.1:${port}/readyz`);
  return { port, close: () => child.kill('SIGTERM') };
}
