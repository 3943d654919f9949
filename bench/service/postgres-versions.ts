/**
 * Measures cycles (suggest, load output) per second on several versions of PostgreSQL with their default settings: the newest
 * and oldest embedded ones, and those that the system has installed, with the just-in-time compiler where it is available. All
 * servers run together and each round measures all of them, so that other load on the machine affects them alike.
 *
 *   npx node bench/service/postgres-versions.ts [--seconds 6] [--rounds 5] [--clients 4] [--bar 0.8]
 *
 * Exits with code 1 if the median of a version is below `bar` times that of the newest.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrateDatabase } from '../../harness/database-handle.ts';
import { findInstalledBinaries, findOldestBinaries } from '../../harness/postgres-versions.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { makeLog } from '../../src/log.ts';
import { findBinaries, type PostgresBinaries } from '../../src/postgres/postgres-binaries.ts';
import { type CycleRate, measureCycles, median } from './cycle-rate.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '4' },
    bar: { type: 'string', default: '0.8' },
  },
});
const seconds = Number(options.seconds);
const log = makeLog({ level: 'warn' });

interface Server {
  readonly name: string;
  readonly postgres: TemporaryPostgres;
  readonly rates: CycleRate[];
}

const servers: Server[] = [];
try {
  for (const binaries of await listBinaries()) servers.push(await openServer(binaries));
  for (const clients of options.clients.split(',').map(Number)) await compare(clients);
} finally {
  for (const { postgres } of servers) await postgres.stop();
}

/** Newest first. */
async function listBinaries(): Promise<readonly PostgresBinaries[]> {
  const oldest = await findOldestBinaries();
  if (oldest === undefined) console.log('skipped the oldest supported version: it has no package for this platform');
  return [await findBinaries(), ...(await findInstalledBinaries()), ...(oldest === undefined ? [] : [oldest])];
}

async function openServer(binaries: PostgresBinaries): Promise<Server> {
  const postgres = await startTemporaryPostgres({ binaries, log });
  await migrateDatabase(postgres.url);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ jit: string; compiles: boolean }>(
    "select current_setting('jit') as jit, pg_jit_available() as compiles",
  );
  await client.end();
  const compiler = rows[0]!.compiles ? `compiler, jit ${rows[0]!.jit}` : 'no compiler';
  return { name: `${binaries.version} (${compiler})`, postgres, rates: [] };
}

async function compare(clients: number): Promise<void> {
  for (const { rates } of servers) rates.length = 0;
  for (let round = 0; round < Number(options.rounds); round++) {
    const first = round % servers.length;
    for (const { postgres, rates } of [...servers.slice(first), ...servers.slice(0, first)]) {
      rates.push(await measureCycles({ DATABASE_URL: postgres.url }, { clients, seconds }));
    }
  }
  const newest = median(servers[0]!.rates.map(({ perSecond }) => perSecond));
  for (const { name, rates } of servers) {
    const perSecond = median(rates.map((rate) => rate.perSecond));
    const share = perSecond / newest;
    if (share < Number(options.bar)) process.exitCode = 1;
    console.log(
      JSON.stringify({
        postgres: name,
        clients,
        cyclesPerSecond: Number(perSecond.toFixed(1)),
        rounds: rates.map((rate) => rate.perSecond.toFixed(1)).join(' '),
        suggestP50Ms: Number(median(rates.map(({ suggestMs }) => suggestMs.p50)).toFixed(1)),
        suggestP95Ms: Number(median(rates.map(({ suggestMs }) => suggestMs.p95)).toFixed(1)),
        shareOfNewest: Number(share.toFixed(3)),
      }),
    );
  }
}
