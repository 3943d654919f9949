/**
 * Measures the memory of `serve` and `work`, on which the requests and limits in deploy/kubernetes and compose.yaml are based:
 * resident (VmRSS) and peak (VmHWM) at rest, with small objectives, with objectives of many inputs, outputs and cases, and with
 * large bodies. Settings as in deploy/kubernetes; the heap is half of the container's limit, as Node chooses it there.
 * Reads /proc: Linux only.
 *
 *   npx node bench/scale/memory.ts [--clients 16] [--inverses 600] [--inputs 50] [--outputs 20] [--cases 500] [--bodies 4]
 *     [--body-cases 10000] [--serve-limit-mb 768] [--work-limit-mb 1024]
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { makeLog } from '../../src/log.ts';
import { createKey, heapOptions, makeProcess, type Process, runCommand } from '../drills/fleet.ts';
import { startLoad } from '../drills/load.ts';
import { type Client, makeClient } from '../service/client.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '16' },
    inverses: { type: 'string' },
    // The former name of --inverses.
    steps: { type: 'string', default: '600' },
    inputs: { type: 'string', default: '50' },
    outputs: { type: 'string', default: '20' },
    cases: { type: 'string', default: '500' },
    bodies: { type: 'string', default: '4' },
    'body-cases': { type: 'string', default: '10000' },
    'serve-limit-mb': { type: 'string', default: '768' },
    'work-limit-mb': { type: 'string', default: '1024' },
  },
});
const REST_MS = 5_000;
const LARGE_INVERSES = 5;
const LARGE_CLIENTS = 4;
/** As in deploy/kubernetes/settings.yaml. */
const SETTINGS = { WORKER_CONCURRENCY: '2', ENGINE_THREADS: '2' };

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await using postgres = await startTemporaryPostgres({ log: makeLog({ level: 'error' }) });
await main();

async function main(): Promise<void> {
  const settings = { ...SETTINGS, DATABASE_URL: postgres.url };
  await runCommand(['migrate'], settings);
  const key = await createKey(settings);
  const heapOf = (limit: string) => ({ NODE_OPTIONS: heapOptions(Number(limit) / 2) });
  const serve = await makeProcess('serve', { ...settings, ...heapOf(options['serve-limit-mb']), METRICS_PORT: '' });
  const work = await makeProcess('work', { ...settings, ...heapOf(options['work-limit-mb']) });
  await Promise.all([serve.start(), work.start()]);
  const rows: Record<string, Awaited<ReturnType<typeof readMemory>>> = {};
  const note = async (name: string) => {
    for (const member of [serve, work]) rows[`${member.role}, ${name}`] = await readMemory(member);
  };
  const client = makeClient(`http://127.0.0.1:${serve.port}`, key, Number(options.clients));
  await delay(REST_MS);
  await note('at rest');
  const load = await startLoad({ ports: [serve.port], key, clients: Number(options.clients) });
  await load.moreInverses(Number(options.inverses ?? options.steps));
  await load.stop();
  await note(`${options.clients} clients, small objectives`);
  await Promise.all(Array.from({ length: LARGE_CLIENTS }, () => playLarge(client, Number(options.cases))));
  await note(`${LARGE_CLIENTS} clients, ${options.inputs} inputs, ${options.outputs} outputs, ${options.cases} cases`);
  const bodies = await Promise.allSettled(
    Array.from({ length: Number(options.bodies) }, () => loadCases(client, Number(options['body-cases']))),
  );
  await note(`${options.bodies} projects of ${options['body-cases']} cases loaded together`);
  console.table(rows);
  for (const outcome of bodies) if (outcome.status === 'rejected') console.log(String(outcome.reason).slice(0, 300));
  for (const { role, endedUnexpectedly } of [serve, work])
    if (endedUnexpectedly !== undefined) console.log(role, endedUnexpectedly);
  client.close();
  await Promise.all([serve.stop(), work.stop()]);
}

/** In MiB, the unit of the limits. */
async function readMemory({ pid }: Process) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN);
  return {
    residentMiB: Math.round(read('VmRSS') / 1024),
    mostMiB: Math.round(read('VmHWM') / 1024),
    threads: read('Threads'),
  };
}

function blackBox(input: readonly number[]): number[] {
  return Array.from({ length: Number(options.outputs) }, (_, j) =>
    input.reduce((sum, x, i) => sum + Math.cos((i + 1) * (j + 1)) * x + Math.sin(x * (j + 1)) / (i + 1), 0),
  );
}

/** Loads a trial with `count` cases. Returns its path and the input of the first case. */
async function loadCases(client: Client, count: number) {
  const inputCount = Number(options.inputs);
  const inputCases = Array.from({ length: count }, (_, n) =>
    Array.from({ length: inputCount }, (_, i) => 10 * ((((n + 1) * (i + 1) * 0.6180339887498949) % 1) as number)),
  );
  const model = await client.call<{ id: number }>('POST', '/models', { name: `memory ${crypto.randomUUID()}` });
  const project = await client.call<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'memory',
    inputCount,
    minimums: new Array(inputCount).fill(0),
    maximums: new Array(inputCount).fill(10),
    inputTypes: new Array(inputCount).fill('float'),
    categories: [],
    inputCases,
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const outputCases = inputCases.map(blackBox);
  const { trial_id } = await client.call<{ trial_id: number }>('POST', `${path}/output-cases`, {
    outputCount: Number(options.outputs),
    outputCases,
  });
  return { path: `${path}/trials/${trial_id}`, input: inputCases[0]! };
}

async function playLarge(client: Client, cases: number): Promise<void> {
  const { path, input } = await loadCases(client, cases);
  const outputs = Number(options.outputs);
  const objective = await client.call<{ id: number }>('POST', `${path}/objectives`, {
    objectives: new Array(outputs).fill(-1_000),
    objectiveTypes: new Array(outputs).fill('lessthan'),
    desiredL1Norm: 0,
    initialInput: input,
    initialOutput: blackBox(input),
  });
  for (let n = 0; n < LARGE_INVERSES; n++) {
    const inverse = `${path}/objectives/${objective.id}/inverses`;
    let suggested = await client.call<{ id: number; input: number[] | null }>('POST', inverse);
    while (suggested.input === null) {
      await delay(200);
      suggested = await client.call('GET', `${inverse}/${suggested.id}`);
    }
    await client.call('POST', `${path}/objectives/${objective.id}/inverse-output`, {
      output: blackBox(suggested.input),
    });
  }
}
