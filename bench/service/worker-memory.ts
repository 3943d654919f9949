/**
 * Measures what one worker keeps: its resident memory minute by minute at constant load, before, while and after one trial grows to
 * thousands of rows, with the processor time and the latency of a suggestion. A fixed number of clients asks for suggestions at a fixed
 * rate; every objective is replaced after some runs. `serve` and PostgreSQL are processes of their own. Exits with code 1 if the level of
 * the last fifth of the time is more than a tenth and 16 MiB above that after a quarter of it (of 40 minutes: the first ten).
 *
 *   npx node bench/service/worker-memory.ts [--minutes 40] [--sample-seconds 30] [--clients 4] [--per-second 4] [--threads 2]
 *     [--grow-at 2] [--rows 2500] [--rows-per-step 100] [--node-flags=--max-semi-space-size=64] [--set NAME=VALUE ...]
 *
 * --grow-at is the minute at which the trial begins to grow, and --rows 0 leaves it out. --node-flags (default: those of the service) and
 * --set apply to the worker alone. Reads /proc: Linux only.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { makeLog } from '../../src/log.ts';
import { readProcess } from '../drills/figures.ts';
import { createKey, makeProcess, runCommand } from '../drills/fleet.ts';
import { quantiles } from '../quantile.ts';
import { type Client, loadObjective, makeClient } from './client.ts';
import { median, playCycle } from './cycle-rate.ts';
import { readProcessMs } from './processor-time.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '40' },
    'sample-seconds': { type: 'string', default: '30' },
    clients: { type: 'string', default: '4' },
    'per-second': { type: 'string', default: '4' },
    threads: { type: 'string', default: '2' },
    'grow-at': { type: 'string', default: '2' },
    rows: { type: 'string', default: '2500' },
    'rows-per-step': { type: 'string', default: '100' },
    'node-flags': { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
  },
});
const minutes = Number(options.minutes);
const clients = Number(options.clients);
const rowsWanted = Number(options.rows);
const rowsPerStep = Number(options['rows-per-step']);
/** Runs of an objective before another replaces it. */
const RUNS_PER_OBJECTIVE = 30;
const SUGGESTIONS_PER_STEP = 2;
const [INPUTS, OUTPUTS] = [6, 4];
const ALLOWED = { share: 1.1, addedMiB: 16 };
const MINUTE_MS = 60_000;

interface Sample {
  readonly minute: number;
  readonly residentMiB: number;
  readonly anonymousMiB: number;
  /** Used by and reserved for JavaScript in the main thread alone. */
  readonly heapUsedMiB: number;
  readonly heapMiB: number;
  readonly externalMiB: number;
  readonly rows: number;
  readonly suggestions: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Time of the worker with all threads. */
  readonly processorMsEach: number;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await using postgres = await startTemporaryPostgres({ log: makeLog({ level: 'error' }) });
process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  const settings = { DATABASE_URL: postgres.url };
  await runCommand(['migrate'], settings);
  const key = await createKey(settings);
  const serve = await makeProcess('serve', settings);
  const threads = { ENGINE_THREADS: options.threads, WORKER_CONCURRENCY: options.threads };
  const set = Object.fromEntries(options.set.map((one) => one.split('=', 2) as [string, string]));
  const work = await makeProcess(
    'work',
    { ...settings, ...threads, ...set },
    options['node-flags']?.split(' ').filter(Boolean),
  );
  await Promise.all([serve.start(), work.start()]);
  const client = makeClient(`http://127.0.0.1:${serve.port}`, key, clients + 1);
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > minutes * MINUTE_MS;
  const [taken, trial]: [number[], { rows: number }] = [[], { rows: 0 }];
  const load = Array.from({ length: clients }, () => playSmall(client, isOver, taken));
  if (rowsWanted > 0) load.push(delay(Number(options['grow-at']) * MINUTE_MS).then(() => grow(client, isOver, trial)));
  const samples: Sample[] = [];
  const played = Promise.all(load);
  // A failure of the load ends the measurement.
  const failed = new Promise<never>((_, reject) => played.catch(reject));
  await Promise.race([sampleAll(work, { startedAt, isOver, taken, trial, samples }), failed]);
  await played;
  client.close();
  const ended = [serve, work].flatMap(({ endedUnexpectedly }) => endedUnexpectedly ?? []);
  await Promise.all([serve.stop(), work.stop()]);
  return judge(samples, ended);
}

/** One objective after another, at a constant rate. */
async function playSmall(client: Client, isOver: () => boolean, taken: number[]): Promise<void> {
  const everyMs = (1_000 * clients) / Number(options['per-second']);
  let next = performance.now() + Math.random() * everyMs;
  while (!isOver()) {
    const path = await loadObjective(client);
    for (let run = 0; run < RUNS_PER_OBJECTIVE && !isOver(); run++) {
      await delay(Math.max(0, next - performance.now()));
      next = Math.max(next + everyMs, performance.now());
      taken.push((await playCycle(client, path)).suggestMs);
    }
    await client.call('POST', `${path}/stop`);
  }
}

/** Adds cases to a trial step by step, and asks for suggestions after each. The trial stays. */
async function grow(client: Client, isOver: () => boolean, trial: { rows: number }): Promise<void> {
  const inputOf = (n: number) =>
    Array.from({ length: INPUTS }, (_, i) => 10 * (((n + 1) * (i + 1) * 0.6180339887498949) % 1));
  const start = inputOf(0);
  const model = await client.call<{ id: number }>('POST', '/models', { name: 'growing' });
  const project = await client.call<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'growing',
    inputCount: INPUTS,
    minimums: new Array(INPUTS).fill(0),
    maximums: new Array(INPUTS).fill(10),
    inputTypes: new Array(INPUTS).fill('float'),
    inputCases: [start],
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const cases = { outputCount: OUTPUTS, outputCases: [outputOf(start)] };
  const trialPath = `${path}/trials/${(await client.call<{ trial_id: number }>('POST', `${path}/output-cases`, cases)).trial_id}`;
  const objective = await client.call<{ id: number }>('POST', `${trialPath}/objectives`, {
    objectives: new Array(OUTPUTS).fill(-1_000),
    objectiveTypes: new Array(OUTPUTS).fill('lessthan'),
    desiredL1Norm: 0,
    initialInput: start,
    initialOutput: outputOf(start),
    maximumAttempts: 100_000,
  });
  const objectivePath = `${trialPath}/objectives/${objective.id}`;
  trial.rows = 1;
  while (trial.rows < rowsWanted && !isOver()) {
    const inputs = Array.from({ length: Math.min(rowsPerStep, rowsWanted - trial.rows) }, (_, k) =>
      inputOf(trial.rows + k),
    );
    await client.call('POST', `${trialPath}/cases`, { inputs, outputs: inputs.map(outputOf) });
    trial.rows += inputs.length;
    for (let run = 0; run < SUGGESTIONS_PER_STEP; run++) {
      const inverses = `${objectivePath}/inverses`;
      let asked = await client.call<{ id: number; input: number[] | null }>('POST', inverses);
      while (asked.input === null) {
        await delay(200);
        asked = await client.call('GET', `${inverses}/${asked.id}`);
      }
      await client.call('POST', `${objectivePath}/inverse-output`, { output: outputOf(asked.input) });
    }
  }
}

function outputOf(input: readonly number[]): number[] {
  return Array.from({ length: OUTPUTS }, (_, j) =>
    input.reduce((sum, x, i) => sum + Math.cos((i + 1) * (j + 1)) * x + Math.sin((x * (j + 1)) / 3) / (i + 1), 0),
  );
}

interface Watched {
  readonly startedAt: number;
  readonly isOver: () => boolean;
  /** Milliseconds of the small suggestions since the last sample. */
  readonly taken: number[];
  readonly trial: { readonly rows: number };
  readonly samples: Sample[];
}

async function sampleAll(
  work: { readonly pid: number; readonly port: number },
  { startedAt, isOver, taken, trial, samples }: Watched,
): Promise<void> {
  let processorMs = await readProcessMs(work.pid);
  while (!isOver()) {
    await delay(1_000 * Number(options['sample-seconds']));
    const before = processorMs;
    processorMs = await readProcessMs(work.pid);
    const times = taken.splice(0);
    const { p50, p95 } = quantiles(times, { p50: 0.5, p95: 0.95 });
    const sample: Sample = {
      minute: Number(((performance.now() - startedAt) / MINUTE_MS).toFixed(1)),
      ...(await readMemory(work)),
      rows: trial.rows,
      suggestions: times.length,
      p50Ms: p50,
      p95Ms: p95,
      processorMsEach: Number(((processorMs - before) / Math.max(1, times.length)).toFixed(1)),
    };
    samples.push(sample);
    console.log(JSON.stringify(sample));
  }
}

async function readMemory({ pid, port }: { readonly pid: number; readonly port: number }) {
  const { resident, anonymous, heap, heapTotal, external } = await readProcess(pid, port);
  const toMiB = (bytes: number) => Math.round(bytes / 1024 ** 2);
  return {
    residentMiB: toMiB(resident),
    anonymousMiB: toMiB(anonymous),
    heapUsedMiB: toMiB(heap),
    heapMiB: toMiB(heapTotal),
    externalMiB: toMiB(external),
  };
}

/** Prints the level at each quarter of the time: the median of the samples of a tenth of the time before it. */
function judge(samples: readonly Sample[], ended: readonly string[]): boolean {
  const level = (until: number, during: number) =>
    median(
      samples
        .filter(({ minute }) => minute > (until - during) * minutes && minute <= until * minutes + 0.5)
        .map(({ residentMiB }) => residentMiB),
    );
  const levels = [0.25, 0.5, 0.75, 1].map((share) => [`minute ${minutes * share}`, level(share, 0.1)]);
  const [first, last] = [level(0.25, 0.1), level(1, 0.2)];
  const isBounded = last <= first * ALLOWED.share + ALLOWED.addedMiB;
  const mostMiB = Math.max(...samples.map(({ residentMiB }) => residentMiB));
  console.log(JSON.stringify({ levelsMiB: Object.fromEntries(levels), mostMiB, lastFifthMiB: last, isBounded, ended }));
  return isBounded && ended.length === 0;
}
