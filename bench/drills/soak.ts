/**
 * Plays many cycles (suggest, load output) to see whether anything grows that should not: resident memory, heap, handles, open
 * files and connections of `serve` and `work`, and the size of the queue's table with its indexes. Exits with code 1 if
 * something grows, a request failed, a process ended unexpectedly, or the database does not hold exactly the cycles played.
 *
 *   npx node bench/drills/soak.ts --cycles 100000 [--cheap] [--clients 8] [--samples 100] [--per-objective 10]
 *     [--heap-mb 192] [--report FILE]
 *
 * A verdict on growth takes 5 minutes; a shorter run judges everything else and says so, because heaps and dead rows fluctuate.
 * Objectives are short, and are stopped and deleted at the end, so that the cost of a cycle stays constant. Prints a table of
 * samples and, for the second half of the run, the slope per cycle with its standard error.
 *
 * --cheap replaces the optimizer by a cheap one and doubles the speed. Heap is the minimum of a sample's scrapes, two per
 * second: what garbage collection leaves. The queue's table is the maximum over 90 s, longer than the interval of autovacuum.
 * Growth below 5 percent over the second half counts as flat. Rows that are kept on purpose (inverses, and idempotency keys for
 * 24 hours) grow and are listed separately. Reads /proc: Linux only.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { DatabaseServer } from '../../harness/database-server.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { blackBox, type Client, loadObjective, makeClient } from '../service/client.ts';
import { type Figure, KEPT, type Sample, UNITS, WATCHED, Watch } from './figures.ts';
import { createKey, heapOptions, makeProcess, runCommand } from './fleet.ts';
import { runDrill } from './run-drill.ts';
import { type Trend, trendOf } from './trend.ts';

const { values: options } = parseArgs({
  options: {
    cycles: { type: 'string', default: '100000' },
    cheap: { type: 'boolean', default: false },
    clients: { type: 'string', default: '8' },
    samples: { type: 'string', default: '100' },
    'per-objective': { type: 'string', default: '10' },
    // Node collects garbage late while there is room; a leak shows sooner in a small heap.
    'heap-mb': { type: 'string', default: '192' },
    report: { type: 'string' },
  },
});
const CYCLES = Number(options.cycles);
const CLIENTS = Number(options.clients);
const PER_OBJECTIVE = Number(options['per-objective']);
const SHOWN_SAMPLES = 20;
/** Enough for several full garbage collections and several runs of autovacuum, one per minute. */
const VERDICT_SECONDS = 300;
const MEBIBYTE = 1024 * 1024;

await runDrill(soak);

async function soak(folder: string): Promise<readonly string[]> {
  const server = await DatabaseServer.create(join(folder, 'database'), ['jit=off', 'log_min_messages=warning']);
  const metricsPort = await findFreePort();
  const settings = {
    DATABASE_URL: server.url,
    WORKER_CONCURRENCY: options.cheap ? '8' : '2',
    ENGINE_THREADS: '2',
    NODE_OPTIONS: heapOptions(Number(options['heap-mb'])),
  };
  await runCommand(['migrate'], settings);
  const key = await createKey(settings);
  const serve = await makeProcess('serve', { ...settings, METRICS_PORT: String(metricsPort) });
  const work = await makeProcess('work', settings);
  const main = options.cheap ? new URL('cheap-main.ts', import.meta.url).pathname : undefined;
  await Promise.all([serve.start(main), work.start(main)]);
  const client = makeClient(`http://127.0.0.1:${serve.port}`, key, CLIENTS, { usesIdempotencyKeys: true });
  const database = new pg.Client({ connectionString: server.url });
  await database.connect();

  const watch = new Watch({ serve, metricsPort, work, database }, CYCLES / Number(options.samples));
  const failures: string[] = [];
  const startedAt = performance.now();
  await play(client, failures, (cycles) => watch.note(cycles));
  const seconds = (performance.now() - startedAt) / 1_000;
  const samples = await watch.end();
  const lost = await countMissing(database);
  client.close();
  await database.end();
  const ended = [serve, work].flatMap(({ endedUnexpectedly }) => endedUnexpectedly ?? []);
  const stops = await Promise.all([serve, work].map((member) => member.stop()));
  await server.close();

  const trends = trendsOf(samples);
  const isLong = seconds >= VERDICT_SECONDS;
  show(samples, trends, { seconds, isLong });
  if (options.report !== undefined) {
    const report = { at: new Date().toISOString(), ...options, seconds, failures: failures.length, trends, samples };
    await writeFile(options.report, `${JSON.stringify(report, null, 2)}\n`);
  }
  const growing = isLong ? Object.keys(WATCHED).filter((name) => !trends[name as Figure].isFlat) : [];
  if (!isLong) console.log(`Too short for a verdict on growth, which takes ${VERDICT_SECONDS} s.`);
  else if (growing.length === 0) console.log('Flat: nothing grows except what is kept on purpose.');
  return [
    ...failures.slice(0, 20),
    ...lost,
    ...ended,
    ...stops.flatMap(({ code }) => (code === 0 ? [] : [`a process ended with code ${code}`])),
    ...growing.map((name) => `${name} grows`),
  ];
}

/** Plays all cycles; stops every objective and deletes its model after the last of its cycles. */
async function play(client: Client, failures: string[], note: (cycles: number) => void): Promise<void> {
  let begun = 0;
  let done = 0;
  const loop = async () => {
    while (begun < CYCLES) {
      const count = Math.min(PER_OBJECTIVE, CYCLES - begun);
      begun += count;
      const path = await loadObjective(client);
      for (let cycle = 0; cycle < count; cycle++) {
        const { input } = await client.call<{ input: number[] }>('POST', `${path}/inverses`);
        await client.call('POST', `${path}/inverse-output`, { output: blackBox(input) });
        note(++done);
      }
      await client.call('POST', `${path}/stop`);
      await client.call('DELETE', path.slice(0, path.indexOf('/projects')));
    }
  };
  const once = () =>
    loop().catch((error: unknown) => failures.push(error instanceof Error ? error.message : String(error)));
  await Promise.all(Array.from({ length: CLIENTS }, once));
}

/** Compares the stored cycles with those played, and finds jobs left behind. */
async function countMissing(database: pg.Client): Promise<readonly string[]> {
  const { rows } = await database.query<{ inverses: number; attempts: number; jobs: number }>(`
    select (select count(*)::int from inverses where iteration > 1 and output is not null) as inverses,
      (select coalesce(sum(attempt_count), 0)::int from objectives) as attempts,
      (select count(*)::int from suggestion_jobs) as jobs`);
  const { inverses, attempts, jobs } = rows[0]!;
  return [
    ...(inverses === CYCLES ? [] : [`${CYCLES} cycles were played, ${inverses} are stored`]),
    ...(attempts === CYCLES ? [] : [`${CYCLES} cycles were played, ${attempts} attempts are counted`]),
    ...(jobs === 0 ? [] : [`${jobs} jobs were left behind`]),
  ];
}

/** Trends of the second half; the first half fills caches, pools and tables. */
function trendsOf(samples: readonly Sample[]): Readonly<Record<Figure, Trend>> {
  const second = samples.slice(Math.floor(samples.length / 2));
  const trends = (Object.keys(UNITS) as Figure[]).map((name) => [
    name,
    trendOf(second.map((sample) => [sample.cycles, sample[name]] as const)),
  ]);
  return Object.fromEntries(trends) as Record<Figure, Trend>;
}

function show(
  samples: readonly Sample[],
  trends: Readonly<Record<Figure, Trend>>,
  { seconds, isLong }: { readonly seconds: number; readonly isLong: boolean },
): void {
  const judge = (name: Figure) => {
    if (name in KEPT) return 'kept on purpose';
    if (!isLong) return '';
    return trends[name].isFlat ? 'flat' : 'GROWS';
  };
  const round = (name: Figure, value: number) => Number((UNITS[name] === 'MiB' ? value / MEBIBYTE : value).toFixed(1));
  const stride = Math.max(1, Math.floor(samples.length / SHOWN_SAMPLES));
  const names = Object.keys(UNITS) as Figure[];
  console.table(
    samples
      .filter((_, i) => i % stride === 0 || i === samples.length - 1)
      .map((sample) => ({
        cycles: sample.cycles,
        ...Object.fromEntries(names.map((name) => [name, round(name, sample[name])])),
      })),
  );
  console.table(
    Object.fromEntries(
      names.map((name) => {
        const { mean, slope, error, growth } = trends[name];
        const unit = UNITS[name] === 'MiB' ? 'bytes' : 'units';
        return [
          name,
          {
            mean: `${round(name, mean)} ${UNITS[name]}`.trim(),
            'slope per cycle': `${slope.toPrecision(3)} ± ${error.toPrecision(2)} ${unit}`,
            'growth, second half': `${round(name, growth)} ${UNITS[name]}`.trim(),
            verdict: judge(name),
          },
        ];
      }),
    ),
  );
  const rate = CYCLES / seconds;
  console.log(`${CYCLES} cycles in ${seconds.toFixed(0)} s, ${rate.toFixed(0)} per second, ${samples.length} samples`);
}
