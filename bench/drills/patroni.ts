/**
 * A PostgreSQL that fails over by itself, under clients that play objectives and evaluators that work through a batch. In turn the
 * primary is killed, frozen and cut off, and an administrator switches over. Nothing confirmed may be lost or stored twice, no run may
 * count as failed, and runs must go on within ttl and 8 s. Exits with code 1 otherwise.
 *
 *   npx node bench/drills/patroni.ts [--through haproxy|hosts] [--faults kill,freeze,cut,switchover] [--runs 200] [--clients 4]
 *     [--evaluators 3] [--programs FOLDER]
 *
 * --through hosts: DATABASE_URL names both servers, and there is no HAProxy in between. Needs Linux, root, Debian's haproxy and
 * postgresql, and PyPI. Uses the files of deploy/patroni.
 */
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Admin } from '../../harness/database-server.ts';
import { Client } from '../chaos/client.ts';
import { randomFrom } from '../chaos/random.ts';
import { addObjectives, createBatch, type MadeBatch, readBatch } from '../evaluators/batches.ts';
import { EvaluatorFleet } from '../evaluators/evaluator-fleet.ts';
import { readJournals } from '../evaluators/journal.ts';
import { verify } from '../evaluators/verify.ts';
import { createKey, makeFleet, runCommand } from './fleet.ts';
import { describeViolations, type Load, startLoad, verifyDatabase } from './load.ts';
import { PatroniCluster } from './patroni-cluster.ts';
import { runDrill } from './run-drill.ts';

const { values: options } = parseArgs({
  options: {
    through: { type: 'string', default: 'haproxy' },
    faults: { type: 'string', default: 'kill,freeze,cut,switchover' },
    runs: { type: 'string', default: '200' },
    clients: { type: 'string', default: '4' },
    evaluators: { type: 'string', default: '3' },
    programs: { type: 'string', default: path.join(tmpdir(), 'backsolve-patroni-programs') },
  },
});
const FAULTS = {
  kill: (cluster: PatroniCluster) => cluster.kill(),
  freeze: (cluster: PatroniCluster) => cluster.freeze(),
  cut: (cluster: PatroniCluster) => cluster.cutLink(),
  switchover: (cluster: PatroniCluster) => cluster.switchOver(),
};
type Fault = keyof typeof FAULTS;
/** That of deploy/patroni/patroni.yml. */
const TTL_SECONDS = 20;
const GAP_LIMIT_MS = 1_000 * (TTL_SECONDS + 8);
const CALL_LIMIT_MS = 120_000;
const LEASE_SECONDS = 30;
const OBJECTIVES = 12;
const MORE_OBJECTIVES = 4;
const seed = 1;

await runDrill(drill);

async function drill(folder: string): Promise<readonly string[]> {
  const cluster = await PatroniCluster.start(path.join(folder, 'cluster'), path.resolve(options.programs));
  try {
    return await play(folder, cluster);
  } finally {
    await cluster.close();
  }
}

async function play(folder: string, cluster: PatroniCluster): Promise<readonly string[]> {
  const settings = {
    DATABASE_URL: options.through === 'hosts' ? cluster.hostsUrl : cluster.url,
    WORKER_CONCURRENCY: '2',
    ENGINE_THREADS: '1',
  };
  await runCommand(['migrate'], settings);
  const key = await createKey(settings);
  const { fleet, ports } = await makeFleet(settings);
  await Promise.all(fleet.map((member) => member.start()));
  const load = await startLoad({ ports, key, clients: Number(options.clients), timeLimitMs: CALL_LIMIT_MS });
  const evaluating = await startEvaluating(folder, ports, key);
  await load.moreInverses(20);
  const gaps: Gap[] = [];
  for (const name of options.faults.split(',') as Fault[]) gaps.push(await strike(name, cluster, load));
  while (load.inverses() + (await evaluating.done()) < Number(options.runs)) await delay(1_000);
  const report = await load.stop();
  const batches = await evaluating.close();
  await cluster.untilHealthy();
  const admin = new Admin(cluster.url);
  const verified = await verify(admin, (await readJournals(folder)).lines, batches, 1_000 * LEASE_SECONDS);
  await admin.close();
  const violations = [
    ...describeViolations(await verifyDatabase(cluster.url, load.journals)),
    ...Object.entries(verified.violations).flatMap(([kind, found]) => found.map((what: string) => `${kind}: ${what}`)),
  ];
  const { lost, doubled, misjudged } = verified.violations;
  const evaluations = {
    ...verified.states,
    lost: lost.length,
    repeated: doubled.length,
    wronglyFailed: misjudged.length,
  };
  console.log(
    JSON.stringify(
      { through: options.through, gaps, ...report, evaluations, violations: violations.length },
      undefined,
      2,
    ),
  );
  const ended = fleet.flatMap(({ endedUnexpectedly }) => endedUnexpectedly ?? []);
  await Promise.all(fleet.map((member) => member.stop()));
  return [
    ...violations,
    ...report.complaints,
    ...evaluating.complaints(),
    ...ended,
    ...gaps.filter(({ gapMs }) => gapMs > GAP_LIMIT_MS).map(({ fault, gapMs }) => `${fault}: no run for ${gapMs} ms`),
  ];
}

interface Gap {
  readonly fault: Fault;
  readonly gapMs: number;
  readonly runs: number;
}

/** Returns the longest time without a run of any client, from the fault until the cluster is healthy again. */
async function strike(fault: Fault, cluster: PatroniCluster, load: Load): Promise<Gap> {
  const from = Date.now();
  console.log(`${new Date(from).toISOString()} ${fault}`);
  await FAULTS[fault](cluster);
  await load.moreInverses(10);
  await cluster.untilHealthy();
  await load.moreInverses(10);
  const times = load.inverseTimesOf.flat().sort((a, b) => a - b);
  const gaps = times.map((at, i) => (at > from ? at - times[i - 1]! : 0));
  const found = { fault, gapMs: Math.max(...gaps), runs: times.filter((at) => at > from).length };
  console.log(JSON.stringify(found));
  return found;
}

interface Evaluating {
  readonly done: () => Promise<number>;
  readonly complaints: () => readonly string[];
  /** Resolves when every batch is over. */
  close(): Promise<readonly MadeBatch[]>;
}

/** A batch, continued as long as the drill lasts, and its evaluators. */
async function startEvaluating(folder: string, ports: readonly number[], key: string): Promise<Evaluating> {
  const random = randomFrom(seed);
  const client = new Client({ ports, key, random, onRetry: () => undefined, timeLimitMs: CALL_LIMIT_MS, doubled: 0 });
  const batch = await createBatch(client, { box: 'mixer', parallelism: 4, objectives: OBJECTIVES });
  const evaluators = new EvaluatorFleet({
    folder,
    ports,
    key,
    seed,
    leaseSeconds: LEASE_SECONDS,
    evaluators: Number(options.evaluators),
    boxes: { [batch.projectId]: batch.box },
  });
  let isClosing = false;
  const continuing = (async () => {
    for (let objectives = OBJECTIVES; ; await delay(1_000)) {
      const { status } = await readBatch(client, batch.id);
      if (status !== 'completed') continue;
      if (isClosing) return;
      await addObjectives(client, batch, objectives, MORE_OBJECTIVES);
      objectives += MORE_OBJECTIVES;
    }
  })();
  return {
    done: async () => (await readBatch(client, batch.id)).evaluations.done,
    complaints: () => evaluators.complaints,
    close: async () => {
      isClosing = true;
      await continuing;
      await evaluators.close();
      client.close();
      return [batch];
    },
  };
}
