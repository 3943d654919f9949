/**
 * Measures what a report costs: processor time of the whole service and of its event loop alone, for HTML and PDF, and
 * how long other requests wait meanwhile. Exits with 1 if a report of 500 runs takes more than 2 s of processor time,
 * or another request waits longer than 250 ms for one of 10,000 runs.
 *
 *   npx node bench/service/report.ts [--repeats 3]
 */
import { parseArgs } from 'node:util';
import { migrateDatabase } from '../../harness/database-handle.ts';
import { seedObjective } from '../../harness/seeded-history.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';

const { values } = parseArgs({ options: { repeats: { type: 'string', default: '3' } } });
const REPEATS = Number(values.repeats);
const BARS = { processorMs: 2_000, waitMs: 250 };
const TYPES = { html: 'text/html', pdf: 'application/pdf' } as const;

const log = makeLog({ level: 'warn' });
const postgres = await startTemporaryPostgres({ log });
await migrateDatabase(postgres.url);
const config = loadConfig({ DATABASE_URL: postgres.url, PORT: '0', RATE_LIMIT_PER_MINUTE: '0' });
const service = await startService(config, postgres.url, log, { ingress: true, worker: false });
const key = await createKey(service.db, { account: 'bench', label: null, scopes: ['read', 'write'], expiresAt: null });
const authorization = `Bearer ${key}`;

async function post(method: string, path: string, body: object) {
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** Milliseconds of the longest wait of another request until `work` is done. */
async function waitsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    const begun = performance.now();
    await (await fetch(`${service.url}/v1/account`, { headers: { authorization } })).text();
    longest = Math.max(longest, performance.now() - begun);
  }
  await ended;
  return longest;
}

const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
const cpuMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

let isKept = true;
try {
  for (const runs of [500, 10_000]) {
    const id = await seedObjective(post, service.db, { inputs: 10, outputs: 10, runs, failedEvery: 50 });
    for (const [format, accept] of Object.entries(TYPES)) {
      const read = async () => {
        const answer = await fetch(`${service.url}/v1/objectives/${id}/report`, { headers: { authorization, accept } });
        if (!answer.ok) throw new Error(await answer.text());
        return (await answer.arrayBuffer()).byteLength;
      };
      const times: number[] = [];
      let bytes = 0;
      for (let i = 0; i < REPEATS; i++) {
        const before = process.cpuUsage();
        bytes = await read();
        times.push(cpuMs(process.cpuUsage(before)));
      }
      const waits: number[] = [];
      for (let i = 0; i < REPEATS; i++) waits.push(await waitsDuring(read()));
      const figures = {
        runs,
        format,
        bytes,
        firstMs: Math.round(times[0]!),
        processorMs: Math.round(median(times)),
        waitMs: Math.round(median(waits)),
      };
      console.log(JSON.stringify(figures));
      if (runs === 500 && figures.processorMs > BARS.processorMs) isKept = false;
      if (figures.waitMs > BARS.waitMs) isKept = false;
    }
  }
} finally {
  await service.close();
  await postgres.stop();
}
process.exit(isKept ? 0 : 1);
