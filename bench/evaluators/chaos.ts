/**
 * Kills and freezes evaluators, workers, ingresses and Postgres while batches are worked through, and then checks that every
 * input was evaluated and counted exactly once.
 *
 *   npx node bench/evaluators/chaos.ts [--evaluations 2000] [--evaluators 8] [--batches 6] [--lease-seconds 5] [--seed 1]
 *     [--seconds 1800] [--ingresses 2] [--workers 2] [--evaluator-pause-seconds 2] [--pause-seconds 8]
 *     [--faults restart-immediate,kill,cut,restart-fast] [--gap-seconds 40] [--repeat 200] [--report file.json] [--folder dir]
 *
 * Several batches with many objectives, each with a parallelism of its own, are worked through by evaluator processes that claim over
 * HTTP and run deterministic black boxes: 10 to 50 ms each, some longer than a lease; some inputs fail, some only at the first try, a few kill
 * their evaluator. Every evaluator logs what it does. Afterwards the database is compared with these logs and with the black boxes,
 * and suggestions are repeated from what they are said to be computed from. Exits with code 1 on any violation, and when an input that
 * a dead evaluator held is claimed again later than its lease and 2 s, although an evaluator had nothing else to run; it then keeps the folder with the logs and the database.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Admin, DatabaseServer } from '../../harness/database-server.ts';
import { Client } from '../chaos/client.ts';
import { DATABASE_FAULTS, type FaultName } from '../chaos/faults.ts';
import { Fleet } from '../chaos/fleet.ts';
import { breakDatabase, openDatabase, SETTINGS } from '../chaos/phases.ts';
import { ProcessChaos } from '../chaos/process-chaos.ts';
import { randomFrom } from '../chaos/random.ts';
import { repeatThese } from '../chaos/repeat.ts';
import { quantile } from '../quantile.ts';
import {
  addObjectives,
  type BatchState,
  changeBatch,
  createBatch,
  type MadeBatch,
  planBatches,
  readBatch,
} from './batches.ts';
import { EvaluatorChaos } from './evaluator-chaos.ts';
import { EvaluatorFleet } from './evaluator-fleet.ts';
import { readJournals } from './journal.ts';
import { measureReclaims, verify } from './verify.ts';

const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
const { values } = parseArgs({
  options: {
    evaluations: text('2000'),
    evaluators: text('8'),
    batches: text('6'),
    'lease-seconds': text('5'),
    seed: text('1'),
    seconds: text('1800'),
    ingresses: text('2'),
    workers: text('2'),
    'evaluator-pause-seconds': text('2'),
    'pause-seconds': text('8'),
    faults: text('restart-immediate,kill,cut,restart-fast'),
    'gap-seconds': text('40'),
    repeat: text('200'),
    report: { type: 'string' },
    folder: { type: 'string' },
  },
});
const faults = values.faults.split(',').filter((name) => name !== '') as FaultName[];
for (const name of faults) if (!(name in DATABASE_FAULTS)) throw new Error(`there is no fault "${name}"`);
const seed = Number(values.seed);
const evaluations = Number(values.evaluations);
const limitMs = 1_000 * Number(values.seconds);
const leaseSeconds = Number(values['lease-seconds']);
const leaseMs = 1_000 * leaseSeconds;
const folder = values.folder ?? (await mkdtemp(path.join(tmpdir(), 'backsolve-evaluators-')));
/** Longer than any fault. */
const CALL_LIMIT_MS = 180_000;
/** Time after its lease within which an input that a dead evaluator held may be claimed again. */
const RECLAIM_MARGIN_MS = 2_000;
/** Added to each batch that has ended before enough inputs were evaluated. */
const MORE_OBJECTIVES = 5;
const ENDED = new Set(['completed', 'failed', 'cancelled']);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const violations = await run();
if (violations.length > 0) {
  console.log(violations.slice(0, 60).join('\n'));
  console.log(`${violations.length} violations. Logs and database are in ${folder}`);
  process.exit(1);
}
console.log('No violation.');
await rm(folder, { recursive: true, force: true });
process.exit(0);

async function run(): Promise<readonly string[]> {
  const server = await DatabaseServer.create(folder, ['max_connections=60', 'log_min_messages=warning']);
  try {
    return await runOn(server);
  } finally {
    await server.close();
  }
}

async function runOn(server: DatabaseServer): Promise<readonly string[]> {
  const { url, key } = await openDatabase(server, 'evaluators');
  const admin = new Admin(url);
  const fleet = await Fleet.start({
    databaseUrl: url,
    folder,
    ingresses: Number(values.ingresses),
    workers: Number(values.workers),
    settings: SETTINGS,
  });
  const retries = new Map<string, number>();
  const client = new Client({
    ports: fleet.ingressPorts,
    key,
    random: randomFrom(seed),
    onRetry: (reason) => retries.set(reason, (retries.get(reason) ?? 0) + 1),
    timeLimitMs: CALL_LIMIT_MS,
    doubled: 0.05,
  });
  const batches: MadeBatch[] = [];
  for (const plan of planBatches(Number(values.batches), evaluations)) batches.push(await createBatch(client, plan));
  // One is cancelled midway.
  const doomed = await createBatch(client, { box: 'mixer', parallelism: 4, objectives: 30 });
  batches.push(doomed);
  const evaluators = new EvaluatorFleet({
    folder,
    ports: fleet.ingressPorts,
    key,
    seed,
    leaseSeconds,
    evaluators: Number(values.evaluators),
    boxes: Object.fromEntries(batches.map(({ projectId, box }) => [projectId, box])),
  });
  const quiet = new AbortController();
  const { signal } = quiet;
  const pauseMs = 1_000 * Number(values['pause-seconds']);
  const processes = new ProcessChaos({ fleet, admin, random: randomFrom(seed + 1), pauseMs, signal });
  const blows = new EvaluatorChaos({
    fleet: evaluators,
    admin,
    random: randomFrom(seed + 2),
    pauseMs: 1_000 * Number(values['evaluator-pause-seconds']),
    leaseMs,
    signal,
  });
  const startedAt = Date.now();
  const isOver = () => Date.now() - startedAt > limitMs;
  const gapMs = 1_000 * Number(values['gap-seconds']);
  const database = breakDatabase({ server, fleet, options: { seed, faults, gapMs, awaySeconds: 20 }, signal, isOver });
  const breaking = Promise.all([processes.run(), blows.run(), database.done]);
  const pauses = await watch(client, batches, doomed, { isOver, startedAt, blows, processes, fleet, evaluators });
  const seconds = (Date.now() - startedAt) / 1000;
  quiet.abort();
  await breaking;
  await evaluators.close();
  await fleet.untilReady(60_000);
  // The service cleans up after lost answers and late reports by itself.
  await delay(leaseMs + 5_000);
  const { lines, idleTimes } = await readJournals(folder);
  const verified = await verify(admin, lines, batches, leaseMs);
  const every = Math.max(1, Math.floor(verified.suggested.length / Math.max(1, Number(values.repeat))));
  const repeated = await repeatThese(
    url,
    verified.suggested.filter((_, i) => i % every === 0).slice(0, Number(values.repeat)),
  );
  const reclaims = measureReclaims(lines, {
    blows: blows.blows,
    windows: [...database.windows, ...pauses],
    idleTimes,
    began: verified.began,
    leaseMs,
    marginMs: RECLAIM_MARGIN_MS,
  });
  await fleet.close();
  await admin.close();
  client.close();

  const done = verified.states['done'] ?? 0;
  const worst = Math.max(0, ...reclaims.calmMs);
  const worstDisturbed = Math.max(0, ...reclaims.disturbedMs);
  const p99 = quantile(reclaims.calmMs, 0.99);
  const found = [
    ...Object.entries(verified.violations).flatMap(([kind, which]) => which.map((what: string) => `${kind}: ${what}`)),
    ...repeated.differences.map((what) => `cannot be repeated: ${what}`),
    ...fleet.complaints,
    ...evaluators.complaints,
    ...[...retries]
      .filter(([reason]) => reason.startsWith('500'))
      .map(([reason, times]) => `${times} answers ${reason}`),
    ...(done < evaluations ? [`only ${done} of ${evaluations} evaluations in time`] : []),
    ...(reclaims.calmMs.length === 0 ? ['no input of a dead evaluator was claimed again'] : []),
    ...(worst > leaseMs + RECLAIM_MARGIN_MS ? [`claimed again ${worst} ms after the death of its evaluator`] : []),
  ];
  const report = {
    at: new Date().toISOString(),
    seed,
    seconds: Math.round(seconds),
    batches: batches.map(({ box, parallelism, objectives }) => ({ box, parallelism, objectives })),
    evaluations: verified.states,
    fates: verified.fates,
    lostLeases: verified.losses,
    failedTries: verified.retries,
    lateReports: verified.lateReports,
    evaluators: { ...blows.counts, starts: evaluators.starts },
    processes: processes.counts,
    databaseFaults: database.windows.length,
    reclaimMs: {
      count: reclaims.calmMs.length,
      p50: quantile(reclaims.calmMs, 0.5),
      p99,
      worst,
      needless: reclaims.needless,
      behindOthers: { count: reclaims.queuedMs.length, worst: Math.max(0, ...reclaims.queuedMs) },
      afterDatabaseFault: { count: reclaims.disturbedMs.length, worst: worstDisturbed },
    },
    repeated: {
      suggestions: repeated.count,
      withOtherObjectives: repeated.withOthers,
      withOpenInverses: repeated.withPending,
    },
    retries: Object.fromEntries(retries),
    loggedWarnings: Object.fromEntries(fleet.events),
    violations: found,
  };
  console.log(JSON.stringify({ ...report, violations: found.length }, null, 2));
  if (values.report !== undefined) await writeFile(values.report, `${JSON.stringify(report, null, 2)}\n`);
  return found;
}

interface Watched {
  readonly isOver: () => boolean;
  readonly startedAt: number;
  readonly blows: EvaluatorChaos;
  readonly processes: ProcessChaos;
  readonly fleet: Fleet;
  readonly evaluators: EvaluatorFleet;
}

/**
 * Waits until every batch has ended and enough inputs are evaluated, or cancels them when the time is over; adds objectives to batches that have ended before. Meanwhile one
 * batch is paused and resumed, and `doomed` is cancelled. Returns when the batch was paused.
 */
async function watch(
  client: Client,
  batches: readonly MadeBatch[],
  doomed: MadeBatch,
  { isOver, startedAt, blows, processes, fleet, evaluators }: Watched,
): Promise<readonly { readonly from: number; readonly to: number }[]> {
  const pauses: { from: number; to: number }[] = [];
  const added = new Map<number, number>();
  let isCancelled = false;
  let printedAt = 0;
  while (!isOver()) {
    const states = new Map<MadeBatch, BatchState>();
    for (const batch of batches) states.set(batch, await readBatch(client, batch.id));
    const sum = (name: keyof BatchState['evaluations']) =>
      [...states.values()].reduce((total, state) => total + state.evaluations[name], 0);
    const done = sum('done');
    if (Date.now() - printedAt > 10_000) {
      printedAt = Date.now();
      const ended = [...states.values()].filter(({ status }) => ENDED.has(status)).length;
      const { killed, frozen } = blows.counts;
      console.log(
        `${Math.round((Date.now() - startedAt) / 1000)} s: ${done} done, ${sum('failed')} failed, ${sum('waiting')} waiting, ${sum('leased')} leased, ${ended} of ${batches.length} batches ended; evaluators killed ${killed}, frozen ${frozen}, others ${processes.counts.killedWorkers + processes.counts.killedIngresses}; complaints ${fleet.complaints.length + evaluators.complaints.length}`,
      );
    }
    if (!isCancelled && done > evaluations / 10) {
      isCancelled = true;
      await changeBatch(client, doomed.id, 'cancel');
    }
    const [solving] = [...states].find(([batch, { status }]) => status === 'solving' && batch !== doomed) ?? [];
    if (pauses.length === 0 && done > evaluations / 4 && solving !== undefined) {
      const from = Date.now();
      await changeBatch(client, solving.id, 'pause');
      await delay(3_000);
      await changeBatch(client, solving.id, 'resume');
      pauses.push({ from, to: Date.now() });
    }
    const areEnded = [...states.values()].every(({ status }) => ENDED.has(status));
    if (areEnded && done >= evaluations && isCancelled) return pauses;
    if (done < evaluations) {
      for (const [batch, { status }] of states) {
        if (status !== 'completed') continue;
        const from = added.get(batch.id) ?? batch.objectives;
        await addObjectives(client, batch, from, MORE_OBJECTIVES);
        added.set(batch.id, from + MORE_OBJECTIVES);
      }
    }
    await delay(500);
  }
  // The batch ends here and is verified as cancelled.
  for (const { id } of batches) await changeBatch(client, id, 'cancel');
  return pauses;
}
