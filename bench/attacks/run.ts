/**
 * Measures the effect of a hostile account on another: the victim's latency and failures, and the memory of the service, attack by
 * attack, against `serve` and `work` with the heap that Node chooses at the manifest's memory limit.
 *
 *   npx node bench/attacks/run.ts [--seconds 15] [--only 'slow bodies,full bodies'] [--database URL]
 *
 * Exits with code 1 unless the victim's p95 stays below 3 times its quiet value, no call fails, no process ends, and the
 * resident memory of `serve` stays below 1 GiB. Reads /proc: Linux only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePort } from '../../harness/free-port.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeLog } from '../../src/log.ts';
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { quantile } from '../quantile.ts';
import { blackBox, type Client, loadObjective, makeClient } from '../service/client.ts';
import { ATTACKS } from './attacks.ts';
import { VICTIMS } from './victims.ts';

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '15' }, only: { type: 'string' }, database: { type: 'string' } },
});
const seconds = Number(options.seconds);
const names = options.only?.split(',') ?? Object.keys(ATTACKS);

/** Node's default heap at 768 MiB. */
const HEAP_MIB = 384;
const HOST = '127.0.0.1';
const BARS = { ratio: 3, failures: 0, residentMib: 1024 } as const;
const VICTIM_PAUSE_MS = 20;

const log = makeLog({ level: 'warn' });
const folder = await mkdtemp(join(tmpdir(), 'backsolve-attacks-'));
const postgres =
  options.database === undefined
    ? await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log })
    : { url: options.database, stop: async () => undefined };
const db = openDatabase(loadConfig({ DATABASE_URL: postgres.url }), postgres.url, log);
await migrate(db);
const scopes = ['read', 'write', 'admin'] as const;
const keyOf = (account: string) => createKey(db, { account, label: null, scopes, expiresAt: null });

const port = await findFreePort();
const env = {
  ...process.env,
  DATABASE_URL: postgres.url,
  HOST,
  PORT: String(port),
  LOG_LEVEL: 'error',
  ALLOW_PRIVATE_EVALUATORS: '127.0.0.1,127.0.0.2',
};
const start = (role: string): ChildProcess =>
  spawn(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, mainFile(), role], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
const serve = start('serve');
const work = start('work');
let ends = 0;
serve.once('exit', () => ends++);
work.once('exit', () => ends++);
await untilReady();

const client = makeClient(`http://${HOST}:${port}`, await keyOf('victim'), 4);
const rows: Row[] = [];
await play(client, 5); // Warms up compiled code and prepared statements.
for (const name of names) {
  const victim = await VICTIMS[name]?.(client);
  await victim?.piece();
  const quiet = await play(client, seconds, victim?.piece);
  await resetPeak(serve.pid!);
  const attack = startAttack(name, await keyOf(`attacker of ${name}`));
  await attack.begun;
  await delay(2_000);
  const attacked = await play(client, seconds, victim?.piece);
  victim?.close();
  const answers = await attack.answers;
  rows.push(toRow(name, quiet, attacked, await peakMib(serve.pid!), answers));
  console.table(rows.slice(-1));
  await delay(2_000);
}
client.close();
const endsSeen = ends;
for (const child of [serve, work]) {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
await db.destroy();
await postgres.stop();
await rm(folder, { recursive: true, force: true });
console.table(rows);
console.log(JSON.stringify({ seconds, restarts: endsSeen, rows }));
process.exitCode = rows.every(isWithin) && endsSeen === 0 ? 0 : 1;

interface Played {
  readonly times: readonly number[];
  readonly failures: readonly string[];
}

/** Plays polls and cycles of one client, one call at a time, and in each cycle one piece of that at which the attack aims. */
async function play(victim: Client, forSeconds: number, piece?: () => Promise<unknown>): Promise<Played> {
  const times: number[] = [];
  const failures: string[] = [];
  const timed = <T>(method: string, path: string, body?: object) => timedWork(() => victim.call<T>(method, path, body));
  const timedWork = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    const startedAt = performance.now();
    try {
      return await work();
    } catch (error) {
      failures.push((error as Error).message.slice(0, 200));
      return undefined;
    } finally {
      times.push(performance.now() - startedAt);
      await delay(VICTIM_PAUSE_MS);
    }
  };
  const deadline = performance.now() + forSeconds * 1000;
  let path: string | undefined;
  for (let cycle = 0; performance.now() < deadline; cycle++) {
    if (path === undefined || cycle % 10 === 0) path = await loadObjective(victim).catch(() => undefined);
    if (path === undefined) {
      failures.push('the objective could not be loaded');
      continue;
    }
    await timed('GET', '/models?limit=20');
    if (piece !== undefined) await timedWork(piece);
    const suggested = await timed<{ input: number[] | null }>('POST', `${path}/inverses`);
    await timed('GET', path);
    if (suggested?.input == null) path = undefined;
    else await timed('POST', `${path}/inverse-output`, { output: blackBox(suggested.input) });
  }
  return { times, failures };
}

interface Row {
  readonly attack: string;
  readonly 'quiet p95, ms': number;
  readonly 'attacked p95, ms': number;
  readonly ratio: number;
  readonly 'median ratio': number;
  readonly calls: number;
  readonly failures: number;
  readonly 'peak MiB': number;
  readonly answered: string;
}

function toRow(attack: string, quiet: Played, attacked: Played, peak: number, answered: string): Row {
  const [before, during] = [quantile(quiet.times, 0.95), quantile(attacked.times, 0.95)];
  for (const failure of attacked.failures.slice(0, 3)) console.log(`  ${attack}: ${failure}`);
  return {
    attack,
    'quiet p95, ms': round(before),
    'attacked p95, ms': round(during),
    ratio: round(during / before),
    'median ratio': round(quantile(attacked.times, 0.5) / quantile(quiet.times, 0.5)),
    calls: attacked.times.length,
    failures: attacked.failures.length,
    'peak MiB': Math.round(peak),
    answered,
  };
}

function isWithin(row: Row): boolean {
  return row.ratio < BARS.ratio && row.failures === BARS.failures && row['peak MiB'] < BARS.residentMib;
}

/** The first line of the attacker says that its preparations are over, the second holds its answers. */
function startAttack(
  name: string,
  key: string,
): { readonly begun: Promise<string>; readonly answers: Promise<string> } {
  const script = new URL('./attacker.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, name, HOST, String(port), key, String(seconds + 2)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const begun = Promise.withResolvers<string>();
  const answers = Promise.withResolvers<string>();
  const lines = createInterface({ input: child.stdout! });
  lines.once('line', (first) => {
    lines.once('line', answers.resolve);
    begun.resolve(first);
  });
  child.once('exit', () => {
    begun.resolve('never');
    answers.resolve('the attack failed');
  });
  return { begun: begun.promise, answers: answers.promise };
}

/** Peak resident memory since the last reset. */
async function peakMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'VmHWM: 0 kB');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024;
}

async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

async function untilReady(): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(`http://${HOST}:${port}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await delay(100);
  }
  throw new Error('serve did not become ready within 30 s');
}

function mainFile(): string {
  return new URL('../../src/main.ts', import.meta.url).pathname;
}

function round(value: number): number {
  return Number(value.toFixed(2));
}
