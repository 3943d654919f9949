/**
 * Full cycles (suggest, load output) with a trivially cheap optimizer: statements and transactions of one cycle, cycles per
 * second and processor time per cycle with 1, 4 and 16 clients. With a Python that has Optuna, the same number of clients
 * plays ask and tell on Optuna's RDBStorage, in alternating rounds on the same server:
 *
 *   python3 -m venv /tmp/optuna && /tmp/optuna/bin/pip install optuna==5.0.0 psycopg2-binary
 *   npx node bench/service/cycles.ts [--seconds 6] [--rounds 3] [--clients 1,4,16] [--open 1] [--keys] [--list]
 *     [--optuna /tmp/optuna/bin/python]
 *
 * --open keeps so many runs of each objective open; --keys sends an Idempotency-Key with every POST; --list prints the
 * statements of one cycle with one open run. Linux only.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { loadObjective, makeClient } from './client.ts';
import { measureCosts, median, playCycle, THROUGHPUT_SETTINGS } from './cycle-rate.ts';
import { readServerMs } from './processor-time.ts';
import { recordStatements, type Statement } from './statements.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '1,4,16' },
    open: { type: 'string', default: '1' },
    keys: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    optuna: { type: 'string' },
  },
});
const seconds = Number(options.seconds);
const usesIdempotencyKeys = options.keys;
const open = Number(options.open);

const log = makeLog({ level: 'warn' });
await using postgres = await startTemporaryPostgres({ log });
await main();

interface OptunaRate {
  readonly version: string;
  readonly perSecond: number;
  readonly clientMs: number;
  readonly databaseMs: number;
}

async function main(): Promise<void> {
  const config = loadConfig({ ...THROUGHPUT_SETTINGS, DATABASE_URL: postgres.url });
  const db = openDatabase(config, postgres.url, log);
  await migrate(db);
  await db.destroy();
  const statements = await recordOneCycle();
  if (options.list) for (const { text } of statements) console.log(text.replace(/\s+/g, ' ').trim());
  const isPartOfTransaction = ({ text }: Statement) => text === 'begin' || text === 'commit';
  console.log(
    JSON.stringify({
      oneCycle: {
        statements: statements.length,
        transactions: countTransactions(statements),
        ofSeveralStatements: statements.filter(isPartOfTransaction).length / 2,
      },
    }),
  );
  for (const clients of options.clients.split(',').map(Number)) {
    const rates: Awaited<ReturnType<typeof measureCosts>>[] = [];
    const optunas: OptunaRate[] = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      const settings = { DATABASE_URL: postgres.url };
      rates.push(await measureCosts(settings, postgres.url, { clients, seconds, usesIdempotencyKeys, open }));
      if (options.optuna !== undefined) optunas.push(await measureOptuna(options.optuna, clients));
    }
    const of = <T>(each: readonly T[], read: (one: T) => number) => Number(median(each.map(read)).toFixed(2));
    console.log(
      JSON.stringify({
        clients,
        perSecond: of(rates, ({ perSecond }) => perSecond),
        serviceMs: of(rates, ({ serviceMs }) => serviceMs),
        databaseMs: of(rates, ({ databaseMs }) => databaseMs),
        processorMs: of(rates, ({ serviceMs, databaseMs }) => serviceMs + databaseMs),
        transactions: of(rates, ({ transactions }) => transactions),
        suggestP50Ms: of(rates, ({ suggestMs }) => suggestMs.p50),
        ...(optunas.length > 0 && {
          optuna: {
            version: optunas[0]!.version,
            perSecond: of(optunas, ({ perSecond }) => perSecond),
            clientMs: of(optunas, ({ clientMs }) => clientMs),
            databaseMs: of(optunas, ({ databaseMs }) => databaseMs),
          },
          ratio: Number(median(rates.map(({ perSecond }, i) => perSecond / optunas[i]!.perSecond)).toFixed(2)),
        }),
      }),
    );
  }
}

/** In this process, so that the statements can be seen. The worker polls no more often than this cycle takes. */
async function recordOneCycle(): Promise<readonly Statement[]> {
  const config = loadConfig({ ...THROUGHPUT_SETTINGS, POLL_INTERVAL_MS: '60000', DATABASE_URL: postgres.url });
  const service = await startService(config, postgres.url, log, {
    ingress: true,
    worker: true,
    engine: makeCheapEngine(),
  });
  const account = { account: 'bench', label: null, scopes: ['read', 'write'], expiresAt: null } as const;
  const client = makeClient(service.url!, await createKey(service.db, account), 1, { usesIdempotencyKeys });
  const path = await loadObjective(client);
  await playCycle(client, path);
  const statements = await recordStatements(async () => {
    await playCycle(client, path);
  });
  client.close();
  await service.close();
  return statements;
}

/** Statements between begin and commit count as one transaction; every other statement is its own. */
function countTransactions(statements: readonly Statement[]): number {
  const inside = new Set<unknown>();
  let count = 0;
  for (const { connection, text } of statements) {
    if (text === 'begin') inside.add(connection);
    if (!inside.has(connection) || text === 'commit') count += 1;
    if (text === 'commit') inside.delete(connection);
  }
  return count;
}

/** In a database of its own on the same server. */
async function measureOptuna(python: string, clients: number): Promise<OptunaRate> {
  const script = new URL('./optuna_cycles.py', import.meta.url).pathname;
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  try {
    const { rowCount } = await admin.query("select from pg_database where datname = 'optuna'");
    if (rowCount === 0) await admin.query('create database optuna');
    const url = new URL(postgres.url);
    url.pathname = '/optuna';
    url.protocol = 'postgresql+psycopg2';
    const before = await readServerMs(admin);
    const args = [script, '--url', url.href, '--clients', String(clients), '--seconds', String(seconds)];
    const { stdout } = await promisify(execFile)(python, args);
    const { cycles, ...rate } = JSON.parse(stdout) as Omit<OptunaRate, 'databaseMs'> & { readonly cycles: number };
    // Its warm-up is in the server's time and not in its cycles.
    const share = seconds / (seconds + 2);
    return { ...rate, databaseMs: ((await readServerMs(admin)) - before) * (share / Math.max(1, cycles)) };
  } finally {
    await admin.end();
  }
}
