/**
 * Measures the cost of open pages: pages of objectives and overviews of several accounts, each signed in with a session of its own,
 * that send exactly the requests of the page. Three phases: no page, all pages while nothing happens, all pages while some
 * objectives get an output every 5 s. Each tells the processor time of the service as a share of one core and the transactions of
 * the database, nearly all of one statement; the last one also how long after a write a page has its answer. Linux only.
 *
 *   npx node bench/page/open-pages.ts [--pages 200] [--accounts 10] [--seconds 30]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Backsolve } from '../../clients/typescript/src/index.ts';
import { connectTo, migrateDatabase } from '../../harness/database-handle.ts';
import { openPageSession } from '../../harness/page-session.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { makeLog } from '../../src/log.ts';
import { quantile } from '../quantile.ts';
import { blackBox, type Client, loadObjective, makeClient, startProcess } from '../service/client.ts';
import { readProcessMs } from '../service/processor-time.ts';

const { values: options } = parseArgs({
  options: {
    pages: { type: 'string', default: '200' },
    accounts: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '30' },
  },
});
const accountCount = Number(options.accounts);
/** Half of the pages of an account show an objective each, the others the overview. */
const pagesOfAccount = Math.ceil(Number(options.pages) / accountCount);
const seconds = Number(options.seconds);
const OUTPUT_EVERY_MS = 5_000;
/** As in src/dashboard: shell/waiting.ts, views/objective/state/history.ts, views/overview/overview.tsx. */
const WAIT = 'wait=20';
const PAUSE_MS = { objective: 50, overview: 2_000 };

/** An objective and how often it was completed, with the instants of the writes. */
interface Subject {
  readonly id: number;
  readonly client: Client;
  readonly writtenAt: number[];
}

const latencies = { objective: [] as number[], overview: [] as number[] };
const answers = { 200: 0, 304: 0 };
const closing = new AbortController();

const log = makeLog({ level: 'error' });
await using postgres = await startTemporaryPostgres({ log });
await main();

async function main(): Promise<void> {
  await migrateDatabase(postgres.url);
  const env = {
    PORT: '0',
    DATABASE_URL: postgres.url,
    RATE_LIMIT_PER_MINUTE: '100000',
    MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
  };
  const service = await startProcess(env, ['--cheap']);
  const db = connectTo(postgres.url);
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  const accounts: { readonly key: string; readonly subjects: readonly Subject[] }[] = [];
  for (let n = 0; n < accountCount; n++) {
    const scopes = ['read', 'write'] as const;
    const key = await createKey(db, { account: `account ${n}`, label: null, scopes, expiresAt: null });
    const client = makeClient(service.url, key, 4);
    const subjects: Subject[] = [];
    for (let k = 0; k < pagesOfAccount / 2; k++) {
      const id = Number((await loadObjective(client)).split('/').at(-1));
      subjects.push({ id, client, writtenAt: [] });
    }
    accounts.push({ key, subjects });
  }
  await db.destroy();

  const measure = async () => {
    const read = async () => {
      const { rows } = await admin.query<{ n: number }>(
        'select sum(xact_commit)::int as n from pg_stat_database where datname = current_database()',
      );
      return { processorMs: await readProcessMs(service.pid), transactions: rows[0]!.n, at: performance.now() };
    };
    const before = await read();
    await delay(seconds * 1_000);
    const after = await read();
    const elapsedMs = after.at - before.at;
    return {
      processorPercent: round((100 * (after.processorMs - before.processorMs)) / elapsedMs),
      transactionsPerSecond: round((1_000 * (after.transactions - before.transactions)) / elapsedMs),
    };
  };

  const noPage = await measure();
  const writeNone = await measureWrites(
    accounts.map(({ subjects }) => subjects[0]!),
    measure,
  );
  const pages = accounts.flatMap(({ key, subjects }) => [
    ...subjects.map((subject) => openPage(service.url, key, (call) => followObjective(call, subject))),
    ...subjects.map(() => openPage(service.url, key, (call) => followOverview(call, subjects))),
  ]);
  // Until all wait.
  await delay(10_000);
  take();
  const idle = { ...(await measure()), answers: take() };
  const active = await measureWrites(
    accounts.map(({ subjects }) => subjects[0]!),
    measure,
  );
  const result = {
    pages: pages.length,
    noPage,
    noPageWhileWriting: writeNone,
    idlePages: idle,
    pagesWhileWriting: { ...active, answers: take() },
    answerAfterWriteMs: { objective: spread(latencies.objective), overview: spread(latencies.overview) },
  };
  console.log(JSON.stringify(result, null, 2));
  closing.abort();
  await Promise.allSettled(pages);
  for (const { subjects } of accounts) subjects[0]!.client.close();
  await admin.end();
  await service.stop();
}

/** Measures while each objective gets an output every 5 s, evenly spread. */
async function measureWrites<T>(subjects: readonly Subject[], measure: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const writers = subjects.map(async ({ id, client, writtenAt }, n) => {
    await delay((OUTPUT_EVERY_MS * n) / subjects.length);
    while (!ended.signal.aborted) {
      const { input } = await client.call<{ input: number[] }>('POST', `/objectives/${id}/inverses`);
      await client.call('POST', `/objectives/${id}/inverse-output`, { output: blackBox(input) });
      writtenAt.push(performance.now());
      await delay(OUTPUT_EVERY_MS);
    }
  });
  const measured = await measure();
  ended.abort();
  await Promise.all(writers);
  return measured;
}

/** Signs in and follows until the end. */
async function openPage(url: string, key: string, follow: (call: Backsolve['call']) => Promise<void>): Promise<void> {
  const { headers } = await openPageSession(url, key);
  const service = new Backsolve({
    url,
    maximumRetries: 0,
    fetch: async (input, init) => {
      const sent = new Headers(init?.headers);
      for (const [name, value] of Object.entries(headers)) sent.set(name, value);
      const answer = await fetch(input, { ...init, headers: sent });
      answers[answer.status as 200 | 304] += 1;
      return answer;
    },
  });
  try {
    await follow(service.call.bind(service));
  } catch (error) {
    if (!closing.signal.aborted) throw error;
  }
}

async function followObjective(call: Backsolve['call'], subject: Subject): Promise<void> {
  const path = { objective_id: subject.id };
  const { signal } = closing;
  let { body, headers } = await call('getHistory', { path, signal });
  let seen = body.completedCount;
  let last = body.iterations.at(-1) ?? 1;
  for (;;) {
    await delay(PAUSE_MS.objective, undefined, { signal });
    const answer = await call('getHistory', {
      path,
      query: {
        after: Math.min(last, ...body.openIterations) - 1,
        completed: body.completedCount,
        knownInsight: body.insightVersion,
      },
      ifNoneMatch: headers.get('etag') ?? undefined,
      prefer: WAIT,
      signal,
    });
    if (answer.status === 304) continue;
    ({ body, headers } = answer);
    last = body.iterations.at(-1) ?? last;
    note('objective', subject, seen, body.completedCount);
    seen = body.completedCount;
  }
}

async function followOverview(call: Backsolve['call'], subjects: readonly Subject[]): Promise<void> {
  const query = { limit: 50, trend: 24 };
  const { signal } = closing;
  let { body, headers } = await call('listAllObjectives', { query, signal });
  // The first of them is written to.
  const countOf = () => body.find(({ id }) => id === subjects[0]!.id)!;
  const completed = () => countOf().attemptCount - Number(countOf().waitsFor !== null);
  let seen = completed();
  for (;;) {
    await delay(PAUSE_MS.overview, undefined, { signal });
    const ifNoneMatch = headers.get('etag') ?? undefined;
    const answer = await call('listAllObjectives', { query, ifNoneMatch, prefer: WAIT, signal });
    if (answer.status === 304) continue;
    ({ body, headers } = answer);
    note('overview', subjects[0]!, seen, completed());
    seen = completed();
  }
}

/** The writes that a page has now seen for the first time. */
function note(kind: keyof typeof latencies, { writtenAt }: Subject, before: number, now: number): void {
  // An answer may overtake that of its write.
  for (let n = before; n < now; n++) latencies[kind].push(Math.max(0, performance.now() - (writtenAt[n] ?? Infinity)));
}

function take() {
  const taken = { ...answers };
  answers[200] = 0;
  answers[304] = 0;
  return taken;
}

function spread(values: readonly number[]) {
  return { count: values.length, median: round(quantile(values, 0.5)), p95: round(quantile(values, 0.95)) };
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
