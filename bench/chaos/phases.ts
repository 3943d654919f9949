/** The two phases of a run, under chaos and undisturbed, each with its own database and fleet. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Admin, type DatabaseServer } from '../../harness/database-server.ts';
import { execute, withDatabase } from '../../harness/one-statement.ts';
import { DATABASE_FAULTS, type FaultName } from './faults.ts';
import { Fleet } from './fleet.ts';
import type { Journal } from './play.ts';
import { Players } from './players.ts';
import { type ChaosCounts, ProcessChaos } from './process-chaos.ts';
import { randomFrom } from './random.ts';
import { type Repeated, repeatSuggestions } from './repeat.ts';
import { compareStandings } from './standing.ts';
import { measureRecovery, type Recovery, type Violations, verify, type Window } from './verify.ts';

export interface RunOptions {
  readonly inverses: number;
  readonly clients: number;
  readonly limitMs: number;
  readonly seed: number;
  readonly ingresses: number;
  readonly workers: number;
  readonly faults: readonly FaultName[];
  readonly awaySeconds: number;
  readonly gapMs: number;
  /** The mean pause between two faults of processes. */
  readonly pauseMs: number;
  readonly inverseLimit: number;
  readonly folder: string;
}

export interface FaultRecord extends Window {
  readonly name: FaultName;
  /** From the end of the fault to the next finished inverse; null if none followed. */
  readonly resumedAfterMs: number | null;
}

export interface Outcome {
  readonly journals: readonly Journal[];
  readonly inverses: number;
  readonly seconds: number;
  readonly counts: ChaosCounts;
  readonly starts: number;
  readonly faults: readonly FaultRecord[];
  readonly recovery: Recovery;
  readonly found: Violations;
  readonly repeated: Repeated;
  /** Objectives whose stored state is not what their runs lead to. */
  readonly standings: readonly string[];
  /** Processes that would have required a person, and answers that break the interface. */
  readonly complaints: readonly string[];
  readonly retries: Readonly<Record<string, number>>;
  readonly events: Readonly<Record<string, number>>;
}

/** The product's defaults, except for one engine thread per worker and no rate limit. */
export const SETTINGS = {
  LOG_LEVEL: 'info',
  RATE_LIMIT_PER_MINUTE: '0',
  WORKER_CONCURRENCY: '2',
  ENGINE_THREADS: '1',
  DATABASE_POOL_SIZE: '5',
};
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
/** After this time a client gives up on a call; no fault lasts as long. */
const CALL_LIMIT_MS = 180_000;
/** A fault is survived when the next inverse follows within this time. */
export const RESUME_LIMIT_MS = 30_000;

export async function runChaos(server: DatabaseServer, options: RunOptions): Promise<Outcome> {
  const { url, key } = await openDatabase(server, 'chaos');
  const admin = new Admin(url);
  const fleet = await Fleet.start({ ...options, databaseUrl: url, settings: SETTINGS });
  const players = makePlayers(fleet, key, options);
  const complaints: string[] = [];
  const setup = await players.prepare();
  const quiet = new AbortController();
  const processes = new ProcessChaos({
    fleet,
    admin,
    random: randomFrom(options.seed),
    pauseMs: options.pauseMs,
    signal: quiet.signal,
  });
  const startedAt = Date.now();
  const isOver = () => Date.now() - startedAt > options.limitMs;
  const faults = breakDatabase({ server, fleet, options, signal: quiet.signal, isOver });
  const breaking = Promise.all([processes.run(), faults.done]);
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const { killedWorkers, killedIngresses, frozen, restarted } = processes.counts;
    console.log(
      `${seconds} s: ${players.inverseTimes.length} inverses, ${killedWorkers + killedIngresses} killed, ${frozen} frozen, ${restarted} restarted, database faults ${faults.windows.length}${faults.now === undefined ? '' : ` (now ${faults.now})`}, complaints ${fleet.complaints.length + players.complaints.length}`,
    );
  }, 10_000);
  await players.play(setup, () => isOver() || (players.inverseTimes.length >= options.inverses && faults.isComplete));
  quiet.abort();
  await breaking;
  clearInterval(progress);
  const seconds = (Date.now() - startedAt) / 1000;
  // Every process must recover on its own.
  await fleet.untilReady(RESUME_LIMIT_MS);
  await delay(2_000);
  const found = await verify(admin, players.journals);
  const repeated = await repeatSuggestions(url, players.journals);
  const standings = await compareStandings(url, players.journals);
  const recovery = await measureRecovery(admin, processes.blows, faults.windows);
  await fleet.close();
  await admin.close();
  players.close();
  complaints.push(...fleet.complaints, ...players.complaints);
  return {
    journals: players.journals,
    inverses: players.inverseTimes.length,
    seconds,
    counts: processes.counts,
    starts: fleet.starts,
    faults: faults.windows.map((window) => ({
      ...window,
      resumedAfterMs: resumed(players.inverseTimes, window),
    })),
    recovery,
    found,
    repeated,
    standings,
    complaints,
    retries: Object.fromEntries(players.retries),
    events: Object.fromEntries(fleet.events),
  };
}

/** Plays the same objectives undisturbed on a fresh database. */
export async function runUndisturbed(
  server: DatabaseServer,
  options: RunOptions,
  disturbed: readonly Journal[],
): Promise<readonly Journal[]> {
  const { url, key } = await openDatabase(server, 'undisturbed');
  const fleet = await Fleet.start({ ...options, databaseUrl: url, settings: SETTINGS });
  const players = makePlayers(fleet, key, options);
  const setup = await players.prepare();
  const startedAt = Date.now();
  await players.play(setup, () => players.journals.length >= disturbed.length);
  const seconds = (Date.now() - startedAt) / 1000;
  console.log(`undisturbed: ${players.inverseTimes.length} inverses in ${seconds.toFixed(0)} s`);
  await fleet.close();
  players.close();
  if (fleet.complaints.length + players.complaints.length > 0) {
    throw new Error(`the undisturbed run was disturbed: ${[...fleet.complaints, ...players.complaints].join('; ')}`);
  }
  return players.journals;
}

function makePlayers(fleet: Fleet, key: string, options: RunOptions): Players {
  return new Players({ ...options, ports: fleet.ingressPorts, key, timeLimitMs: CALL_LIMIT_MS, doubled: 0.05 });
}

/** Makes a migrated database and a key with the product's own commands. */
export async function openDatabase(server: DatabaseServer, name: string): Promise<{ url: string; key: string }> {
  await execute(server.url, `create database ${name}`);
  const url = withDatabase(server.url, name);
  const env = { PATH: process.env['PATH'], DATABASE_URL: url, LOG_LEVEL: 'warn' };
  const run = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [MAIN, ...args], { env })).stdout.trim();
  await run('migrate');
  return { url, key: await run('keys', 'create', '--account', 'chaos') };
}

export interface Breaking {
  readonly done: Promise<void>;
  readonly windows: (Window & { readonly name: FaultName })[];
  readonly isComplete: boolean;
  readonly now: FaultName | undefined;
}

/** Repeats the faults in order, with a pause between two. */
export function breakDatabase(context: {
  readonly server: DatabaseServer;
  readonly fleet: Fleet;
  readonly options: Pick<RunOptions, 'seed' | 'faults' | 'gapMs' | 'awaySeconds'>;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}): Breaking {
  const { options, signal } = context;
  const admin = new Admin(context.server.url);
  const random = randomFrom(options.seed + 77);
  const windows: (Window & { readonly name: FaultName })[] = [];
  const state: { now: FaultName | undefined } = { now: undefined };
  const work = async () => {
    for (let round = 0; !signal.aborted && options.faults.length > 0; round++) {
      await delay(options.gapMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      const name = options.faults[round % options.faults.length]!;
      state.now = name;
      const from = Date.now();
      await DATABASE_FAULTS[name]({ ...context, admin, random, awaySeconds: options.awaySeconds });
      windows.push({ name, from, to: Date.now() });
      state.now = undefined;
    }
    await admin.close();
  };
  return {
    done: work(),
    windows,
    get isComplete() {
      return windows.length >= options.faults.length;
    },
    get now() {
      return state.now;
    },
  };
}

function resumed(inverseTimes: readonly number[], window: Window): number | null {
  const next = inverseTimes.find((at) => at > window.to);
  return next === undefined ? null : next - window.to;
}
