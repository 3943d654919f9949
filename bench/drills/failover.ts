/**
 * The primary dies under load and its synchronous standby takes over. Nothing acknowledged to a client may be missing or stored
 * twice, and every client must make progress within 30 s of the promotion. Exits with code 1 otherwise.
 *
 *   npx node bench/drills/failover.ts [--clients 8] [--inverses 300] [--outage-seconds 3] [--commit on|remote_apply]
 *     [--asynchronous]
 *
 * The service reaches the database at one address, which moves to the new primary: a TCP proxy here, a load balancer or a
 * virtual IP in production. (test/fault/several-hosts.test.ts has a DATABASE_URL of both servers instead.) Half a second before the primary dies, its link to the
 * standby fails. A commit that does not wait for the standby is then acknowledged and lost, so the drill must find losses
 * with --asynchronous.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DatabaseServer } from '../../harness/database-server.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { execute } from '../../harness/one-statement.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { createKey, makeFleet, type Process, runCommand } from './fleet.ts';
import { describeViolations, type Load, startLoad, verifyDatabase } from './load.ts';
import { runDrill } from './run-drill.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '8' },
    // Before the primary dies, and again after the standby has taken over. --steps is the former name.
    inverses: { type: 'string' },
    steps: { type: 'string', default: '300' },
    // From the death of the primary to the promotion: monitoring needs time to be sure.
    'outage-seconds': { type: 'string', default: '3' },
    commit: { type: 'string', default: 'on' },
    asynchronous: { type: 'boolean', default: false },
  },
});
const RECOVERY_LIMIT_MS = 30_000;
const LINK_DOWN_MS = 500;
const STANDBY = 'standby';

await runDrill(drill);

async function drill(folder: string): Promise<readonly string[]> {
  const { primary, standby, link } = await startServers(folder);
  const address = new TcpProxy(primary.url);
  await address.listen();
  const settings = {
    DATABASE_URL: address.through(primary.url),
    WORKER_CONCURRENCY: '2',
    ENGINE_THREADS: '1',
  };
  await runCommand(['migrate'], settings);
  const key = await createKey(settings);
  const { fleet, ports } = await makeFleet(settings);
  await Promise.all(fleet.map((member) => member.start()));
  const load = await startLoad({ ports, key, clients: Number(options.clients) });
  await load.moreInverses(Number(options.inverses ?? options.steps));
  console.log(JSON.stringify({ replication: await replicationState(primary.url), inversesBefore: load.inverses() }));

  link.stall();
  await delay(LINK_DOWN_MS);
  await primary.vanish();
  const diedAt = Date.now();
  await delay(1_000 * Number(options['outage-seconds']));
  await link.close();
  await execute(standby.url, 'select pg_promote(true, 60)');
  const promotedAt = Date.now();
  address.switchTo(standby.url);
  address.cut();
  const readyMs = await untilAllReady(fleet, promotedAt);
  await load.moreInverses(Number(options.inverses ?? options.steps));
  const report = await load.stop();
  const violations = describeViolations(await verifyDatabase(standby.url, load.journals));
  const recovery = recoveryOf(load, diedAt, promotedAt);
  console.log(JSON.stringify({ promotedAfterMs: promotedAt - diedAt, readyMs, recovery }, undefined, 2));
  console.log(JSON.stringify({ ...report, violations: violations.length }, undefined, 2));
  const ended = fleet.flatMap(({ endedUnexpectedly }) => endedUnexpectedly ?? []);
  const stops = await Promise.all(fleet.map((member) => member.stop()));
  await address.close();
  await standby.close();
  return [
    ...violations,
    ...report.complaints,
    ...ended,
    ...stops.flatMap(({ code }, i) => (code === 0 ? [] : [`${fleet[i]!.role} ended with code ${code}`])),
    ...(readyMs > RECOVERY_LIMIT_MS ? [`not every process was ready ${RECOVERY_LIMIT_MS} ms after the promotion`] : []),
    ...(recovery.slowestClientMs > RECOVERY_LIMIT_MS
      ? [`a client made no progress for ${recovery.slowestClientMs} ms after the promotion`]
      : []),
  ];
}

/** Starts a primary and a standby that follows it over `link`. */
async function startServers(folder: string) {
  const shared = ['jit=off', 'wal_level=replica', 'max_wal_senders=4', `synchronous_commit=${options.commit}`];
  const primary = await DatabaseServer.create(join(folder, 'primary'), [
    ...shared,
    ...(options.asynchronous ? [] : [`synchronous_standby_names=${STANDBY}`]),
  ]);
  await primary.admit('host replication all 127.0.0.1/32 scram-sha-256');
  await primary.stop('fast');
  const link = new TcpProxy(primary.url);
  await link.listen();
  const from = new URL(link.through(primary.url));
  const source = `host=${from.hostname} port=${from.port} user=${from.username} password=${from.password}`;
  const standby = await primary.copyTo(join(folder, 'standby'), await findFreePort(), {
    // Once promoted, it has no standby and must not wait for one.
    settings: [`primary_conninfo=${source} application_name=${STANDBY}`, 'synchronous_standby_names='],
    files: { 'standby.signal': '' },
  });
  await primary.start();
  await standby.start();
  while ((await replicationState(primary.url)) !== (options.asynchronous ? 'async' : 'sync')) await delay(50);
  return { primary, standby, link };
}

async function replicationState(url: string): Promise<string | undefined> {
  const [row] = await execute<{ state: string }>(url, `select sync_state as state from pg_stat_replication`);
  return row?.state;
}

/** Returns the milliseconds from `since` until every process is ready. */
async function untilAllReady(fleet: readonly Process[], since: number): Promise<number> {
  for (;;) {
    const areReady = await Promise.all(fleet.map((member) => member.isReady()));
    const ms = Date.now() - since;
    if (areReady.every((isReady) => isReady) || ms > 2 * RECOVERY_LIMIT_MS) return ms;
    await delay(100);
  }
}

interface Recovery {
  /** From the last inverse before the primary died to the first one after the promotion. */
  readonly standstillMs: number;
  /** From the promotion to the first inverse of any client, and of the slowest client. */
  readonly firstSuggestedMs: number;
  readonly slowestClientMs: number;
}

function recoveryOf(load: Load, diedAt: number, promotedAt: number): Recovery {
  const lastBefore = Math.max(...load.inverseTimesOf.flat().filter((at) => at <= diedAt));
  const first = load.inverseTimesOf.map((times) => times.find((at) => at > promotedAt) ?? Number.POSITIVE_INFINITY);
  const earliest = Math.min(...first);
  return {
    standstillMs: earliest - lastBefore,
    firstSuggestedMs: earliest - promotedAt,
    slowestClientMs: Math.max(...first) - promotedAt,
  };
}
