/**
 * Plays every pair of the features of a search over HTTP against a service of its own: inputs within everything that was stated, runs in
 * order, answers that are what they say, fronts as computed anew, refusals by a key that was sent. Of answers under noise it counts how
 * many hold in truth.
 *
 *   npx node bench/service/feature-pairs.ts [--seeds 1] [--cycles 12] [--feature NAME]
 *
 * Ends with 1 when a pair is at fault, or when fewer than 70 percent of the answers under noise hold.
 */
import { parseArgs } from 'node:util';
import { FEATURES, type PairOutcome, pairsOf, playPair } from '../../harness/feature-pairs.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    cycles: { type: 'string', default: '12' },
    feature: { type: 'string' },
  },
});
const LEAST_HOLDING = 0.7;

const log = makeLog({ level: 'fatal' });
await using postgres = await startTemporaryPostgres({ log });
const config = loadConfig({
  PORT: '0',
  RATE_LIMIT_PER_MINUTE: '0',
  DATABASE_URL: postgres.url,
  WORKER_CONCURRENCY: '2',
});
const db = openDatabase(config, postgres.url, log);
await migrate(db);
const service = await startService(config, postgres.url, log, { ingress: true, worker: true });
const key = await createKey(db, { account: 'pairs', label: null, scopes: ['read', 'write'], expiresAt: null });
try {
  await main();
} finally {
  await service.close();
  await db.destroy();
}

async function send(method: string, url: string, body?: unknown) {
  const answer = await fetch(service.url + url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
}

async function main(): Promise<void> {
  const outcomes: PairOutcome[] = [];
  let count = 0;
  for (let seed = 1; seed <= Number(options.seeds); seed++) {
    for (const pair of pairsOf(FEATURES)) {
      if (options.feature !== undefined && !pair.some(({ name }) => name.includes(options.feature!))) continue;
      const name = `pair ${++count}`;
      const outcome = await playPair(send, pair, { name, seed, cycles: Number(options.cycles) });
      outcomes.push(outcome);
      console.log(JSON.stringify({ pair: pair.map((one) => one.name), seed, ...outcome }));
    }
  }
  const judged = outcomes.filter(({ holdsInTruth }) => holdsInTruth !== null);
  const holding = judged.filter(({ holdsInTruth }) => holdsInTruth).length;
  const atFault = outcomes.filter(({ faults }) => faults.length > 0).length;
  const refused = outcomes.filter(({ kind }) => kind === 'refused').length;
  const ended = outcomes.filter(({ stopReason }) => stopReason !== 0).length;
  console.log(
    JSON.stringify({ pairs: outcomes.length, refused, ended, atFault, noisyAnswers: judged.length, holding }, null, 2),
  );
  process.exitCode = atFault === 0 && holding >= LEAST_HOLDING * judged.length ? 0 : 1;
}
