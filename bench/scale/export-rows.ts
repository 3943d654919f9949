/**
 * Measures the cost of reading out the rows of an objective: the peak resident memory of `serve` (VmHWM, set back before each
 * measurement) and the time, as CSV and as lines of JSON, for more and more iterations; then the history by columns of 10,000
 * iterations, and the answer that nothing has changed. The heap is half of the container's limit, as Node chooses it there. The
 * client reads as fast as it can. Reads /proc: Linux only.
 *
 *   npx node bench/scale/export-rows.ts [--inputs 10] [--outputs 10] [--repeats 9] [--serve-limit-mb 768]
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { connectTo } from '../../harness/database-handle.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { makeLog } from '../../src/log.ts';
import { createKey, heapOptions, makeProcess, type Process, runCommand } from '../drills/fleet.ts';
import { makeClient } from '../service/client.ts';

const { values: options } = parseArgs({
  options: {
    inputs: { type: 'string', default: '10' },
    outputs: { type: 'string', default: '10' },
    repeats: { type: 'string', default: '9' },
    'serve-limit-mb': { type: 'string', default: '768' },
  },
});
const INPUTS = Number(options.inputs);
const OUTPUTS = Number(options.outputs);
const ROWS = [1_000, 10_000, 100_000];
const HISTORY_ROWS = 10_000;
const BATCH = 10_000;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await using postgres = await startTemporaryPostgres({ log: makeLog({ level: 'error' }) });
const settings = { DATABASE_URL: postgres.url };
await runCommand(['migrate'], settings);
const key = await createKey(settings);
const heap = { NODE_OPTIONS: heapOptions(Number(options['serve-limit-mb']) / 2) };
const serve = await makeProcess('serve', { ...settings, ...heap, METRICS_PORT: '' });
await serve.start();
const db = connectTo(postgres.url, { statementTimeoutMs: 0 });
try {
  const paths = await prepare(db);
  // The figures exclude everything that a process loads with its first answers.
  for (const format of ['text/csv', 'application/x-ndjson']) await fetchRows(paths.get(1_000)!, format);
  const rows: Record<string, object> = {};
  for (const format of ['text/csv', 'application/x-ndjson']) {
    for (const count of ROWS) rows[`${format}, ${count} rows`] = await measure(paths.get(count)!, format);
  }
  console.table(rows);
  await measureHistory(paths.get(HISTORY_ROWS)!);
} finally {
  await db.destroy();
  await serve.stop();
}

/** Objectives with as many iterations as ROWS says, by that number. */
async function prepare(on: Db): Promise<ReadonlyMap<number, string>> {
  const client = makeClient(`http://127.0.0.1:${serve.port}`, key, 1);
  const model = await client.call<{ id: number }>('POST', '/models', { name: 'export' });
  const input = new Array(INPUTS).fill(0.5);
  const output = new Array(OUTPUTS).fill(1);
  const project = await client.call<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'export',
    inputCount: INPUTS,
    minimums: new Array(INPUTS).fill(0),
    maximums: new Array(INPUTS).fill(1),
    inputTypes: new Array(INPUTS).fill('float'),
    inputCases: [input],
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const set = await client.call<{ trial_id: number }>('POST', `${path}/output-cases`, {
    outputCount: OUTPUTS,
    outputCases: [output],
  });
  await sql`alter table inverses disable trigger user`.execute(on);
  const paths = new Map<number, string>();
  for (const count of ROWS) {
    const { id } = await client.call<{ id: number }>('POST', `${path}/trials/${set.trial_id}/objectives`, {
      objectives: new Array(OUTPUTS).fill(-1),
      objectiveTypes: new Array(OUTPUTS).fill('lessthan'),
      initialInput: input,
      initialOutput: output,
      desiredL1Norm: 0,
    });
    for (let from = 2; from <= count; from += BATCH) {
      await sql`
        insert into inverses (account_id, objective_id, iteration, input, output, loaded_at)
        select o.account_id, o.id, n, array(select random() + 0 * n from generate_series(1, ${INPUTS}::int)),
          array(select random() + 0 * n from generate_series(1, ${OUTPUTS}::int)), now()
        from objectives o, generate_series(${from}::int, ${Math.min(count, from + BATCH - 1)}::int) n
        where o.id = ${id}`.execute(on);
    }
    await sql`
      update objectives set attempt_count = ${count}::int - 1, judged_through = ${count}::int where id = ${id}`.execute(
      on,
    );
    paths.set(count, `/objectives/${id}`);
  }
  await sql`analyze`.execute(on);
  client.close();
  return paths;
}

async function fetchRows(path: string, format: string): Promise<{ readonly bytes: number; readonly lines: number }> {
  const answer = await fetch(`http://127.0.0.1:${serve.port}/v1${path}/history`, {
    headers: { authorization: `Bearer ${key}`, accept: format },
  });
  let bytes = 0;
  let lines = 0;
  for await (const chunk of answer.body!) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines += 1;
  }
  return { bytes, lines };
}

async function measure(path: string, format: string) {
  // Resident memory before the answer is that of all earlier ones.
  await resetPeak(serve);
  const before = await readMemory(serve, 'VmRSS');
  const startedAt = performance.now();
  const { bytes, lines } = await fetchRows(path, format);
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    lines,
    megabytes: Number((bytes / 1e6).toFixed(1)),
    seconds: Number(seconds.toFixed(2)),
    'rows per second': Math.round(lines / seconds),
    'resident before, MiB': before,
    'peak, MiB': await readMemory(serve, 'VmHWM'),
  };
}

async function measureHistory(path: string): Promise<void> {
  const url = `http://127.0.0.1:${serve.port}/v1${path}/history`;
  const headers = { authorization: `Bearer ${key}` };
  const time = async (extra: Readonly<Record<string, string>>) => {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers: { ...headers, ...extra } });
    const { byteLength } = await answer.arrayBuffer();
    return { ms: performance.now() - startedAt, byteLength, status: answer.status, etag: answer.headers.get('etag')! };
  };
  const { etag, byteLength } = await time({});
  const name = `${HISTORY_ROWS} iterations by columns, ${(byteLength / 1e6).toFixed(1)} MB`;
  for (const [what, extra] of [
    [name, {}],
    ['not changed (304)', { 'if-none-match': etag }],
  ] as const) {
    const times: number[] = [];
    for (let n = 0; n < Number(options.repeats); n++) times.push((await time(extra)).ms);
    times.sort((a, b) => a - b);
    console.log(
      `${what}: median ${times[Math.floor(times.length / 2)]!.toFixed(1)} ms, least ${times[0]!.toFixed(1)} ms`,
    );
  }
}

async function resetPeak({ pid }: Process): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** In MiB. */
async function readMemory({ pid }: Process, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1]) / 1024);
}
