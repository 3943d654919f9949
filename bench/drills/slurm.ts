/**
 * Plays the scripts of docs/guides/many-machines.md, as they are printed, on a real Slurm while jobs are cancelled, requeued, signalled, killed,
 * not launched and out of time, the node is taken down or loses its power, and slurmctld is killed. An Epilog takes 0, 3 or 20 s after each job. No run may be lost, repeated after it had an output, or
 * count as failed. Exits with code 1 otherwise.
 *
 *   npx node bench/drills/slurm.ts [--runs 200] [--form array|job] [--seconds-per-run 2] [--pause-seconds 8] [--seed 1]
 *     [--evaluator-seconds 150] [--packages FOLDER]
 *
 * Needs Linux, root and Debian's packages, which it unpacks into a folder and does not install.
 */
import { once } from 'node:events';
import { chmod, mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DatabaseServer } from '../../harness/database-server.ts';
import { execute } from '../../harness/one-statement.ts';
import { Client } from '../chaos/client.ts';
import { BOXES } from '../chaos/problems.ts';
import { randomFrom } from '../chaos/random.ts';
import { createBatch, readBatch } from '../evaluators/batches.ts';
import { createKey, makeProcess, runCommand } from './fleet.ts';
import { type GuideFiles, readGuide } from './guide-files.ts';
import { runDrill } from './run-drill.ts';
import type { BoxLine } from './slurm-box.ts';
import { SlurmCluster } from './slurm-cluster.ts';
import { type Counts, count, disturb, type Form } from './slurm-faults.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    form: { type: 'string' },
    'seconds-per-run': { type: 'string', default: '2' },
    'pause-seconds': { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    /** Then the evaluator on the login node is killed; its leases last a minute. */
    'evaluator-seconds': { type: 'string', default: '150' },
    packages: { type: 'string', default: path.join(tmpdir(), 'backsolve-slurm-packages') },
  },
});
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE = 'docs/guides/many-machines.md';
const BOX = BOXES.find(({ name }) => name === 'mixer')!;
const PARALLELISM = 12;
/** Runs of an objective of createBatch, on average; some more than are asked for. */
const RUNS_PER_OBJECTIVE = 7;
const CALL_LIMIT_MS = 60_000;
const LIMIT_MS = 1_800_000;
const pauseMs = 1_000 * Number(options['pause-seconds']);
const evaluatorLifeMs = 1_000 * Number(options['evaluator-seconds']);
const random = randomFrom(Number(options.seed));

interface Stage {
  readonly cluster: SlurmCluster;
  readonly home: string;
  readonly guide: GuideFiles;
  readonly batchId: number;
}

await runDrill(drill);

async function drill(folder: string): Promise<readonly string[]> {
  const server = await DatabaseServer.create(path.join(folder, 'database'), ['jit=off']);
  const settings = { DATABASE_URL: server.url, WORKER_CONCURRENCY: '2', ENGINE_THREADS: '1' };
  await runCommand(['migrate'], settings);
  const key = await createKey(settings);
  const fleet = [await makeProcess('serve', settings), await makeProcess('work', settings)];
  await Promise.all(fleet.map((member) => member.start()));
  const ports = [fleet[0]!.port];
  const client = new Client({ ports, key, random, onRetry: () => undefined, timeLimitMs: CALL_LIMIT_MS, doubled: 0 });
  const cluster = await SlurmCluster.start(path.join(folder, 'slurm'), path.resolve(options.packages));
  const guide = await readGuide(GUIDE, '## Slurm');
  const home = path.join(folder, 'home');
  await furnish(home, guide, `BACKSOLVE_URL=http://127.0.0.1:${ports[0]}\nBACKSOLVE_API_KEY=${key}\n`);
  const broken: string[] = [];
  try {
    for (const form of ['array', 'job'] as const) {
      if (options.form !== undefined && options.form !== form) continue;
      const objectives = Math.ceil(Number(options.runs) / RUNS_PER_OBJECTIVE);
      const { id: batchId } = await createBatch(client, { box: BOX.name, parallelism: PARALLELISM, objectives });
      const counts = await play(form, { cluster, home, guide, batchId }, client);
      broken.push(...(await verify(form, server.url, batchId, home, counts)));
    }
  } finally {
    await cluster.close();
    await Promise.all(fleet.map((member) => member.stop()));
    await server.close();
  }
  return broken;
}

/** The home of the guide's user: a clone in ~/backsolve, the files that the guide prints, and the program `simulate`. */
async function furnish(home: string, { files }: GuideFiles, settings: string): Promise<void> {
  const clone = path.join(home, 'backsolve');
  await mkdir(clone, { recursive: true });
  for (const name of await readdir(ROOT)) await symlink(path.join(ROOT, name), path.join(clone, name));
  await writeFile(path.join(home, '.backsolve'), settings);
  for (const [name, text] of files) await writeFile(path.join(clone, name), text);
  await chmod(path.join(clone, 'as-job'), 0o755);
  const box = fileURLToPath(new URL('slurm-box.ts', import.meta.url));
  const call = [process.execPath, box, path.join(home, 'journal'), BOX.name, options['seconds-per-run']];
  await writeFile(path.join(clone, 'simulate'), `#!/bin/sh\nexec ${call.map((word) => `'${word}'`).join(' ')}\n`);
  await chmod(path.join(clone, 'simulate'), 0o755);
}

/** The printed command that begins so, for this batch. */
function printed({ guide, batchId }: Stage, beginning: string): string {
  const command = guide.commands.find((line) => line.startsWith(beginning));
  if (command === undefined) throw new Error(`${GUIDE} has no command ${beginning}`);
  return command.replace(/ 5( |$)/, ` ${batchId}$1`);
}

/** Until the batch is over. Returns how often each fault was played. */
async function play(form: Form, stage: Stage, client: Client): Promise<Counts> {
  const over = new AbortController();
  const counts: Counts = {};
  const playing = Promise.all([
    form === 'array' ? keepArrays(stage, over.signal, counts) : keepEvaluator(stage, over.signal, counts),
    disturb(form, stage.cluster, { signal: over.signal, pauseMs, random, counts }),
  ]);
  const startedAt = Date.now();
  let state = await readBatch(client, stage.batchId);
  for (let shownAt = 0; state.status !== 'completed'; state = await readBatch(client, stage.batchId)) {
    if (Date.now() - startedAt > LIMIT_MS || state.status === 'failed') break;
    if (Date.now() - shownAt > 30_000) {
      shownAt = Date.now();
      console.log(
        JSON.stringify({
          form,
          seconds: Math.round((Date.now() - startedAt) / 1000),
          ...state.evaluations,
          faults: counts,
        }),
      );
    }
    await delay(1_000);
  }
  over.abort();
  await playing;
  await stage.cluster.try(['scancel', '--user=root']);
  console.log(JSON.stringify({ form, seconds: Math.round((Date.now() - startedAt) / 1000) }));
  return counts;
}

/** Cancelled and finished arrays are submitted again, some with too little time. */
async function keepArrays(stage: Stage, signal: AbortSignal, counts: Counts): Promise<void> {
  const command = printed(stage, 'sbatch evaluate.sbatch');
  const short = ['--time=1 --signal=B:TERM@20', '--time=1 --signal=B:CONT@1'];
  for (let i = 0; !signal.aborted; i++) {
    const { cluster, home } = stage;
    const known = [...(await cluster.jobs('RUNNING')), ...(await cluster.jobs('PENDING'))];
    if (known.length < PARALLELISM) {
      const flags = i % 3 === 0 ? '' : `${short[(i % 3) - 1]} `;
      const submit = command.replace('sbatch ', `sbatch ${flags}`);
      const answer = await cluster.try(['bash', '-c', submit], {
        cwd: path.join(home, 'backsolve'),
        env: { HOME: home },
      });
      if (answer !== '') count(counts, flags === '' ? 'arrays' : 'arrays short of time');
    }
    await delay(3_000, undefined, { signal }).catch(() => undefined);
  }
}

/** One evaluator on the login node, which is killed now and then and started again. */
async function keepEvaluator(stage: Stage, signal: AbortSignal, counts: Counts): Promise<void> {
  const { cluster, home } = stage;
  const command = `set -a; . ~/.backsolve; exec ${printed(stage, 'node bin/backsolve.js evaluate')}`;
  while (!signal.aborted) {
    const log = await open(path.join(home, 'evaluate.log'), 'a');
    const evaluator = cluster.spawn(['bash', '-c', command], {
      cwd: path.join(home, 'backsolve'),
      env: { HOME: home },
      log: log.fd,
    });
    await log.close();
    const ended = once(evaluator, 'exit');
    await Promise.race([ended, delay(evaluatorLifeMs, undefined, { signal }).catch(() => undefined)]);
    if (!signal.aborted) count(counts, 'evaluators killed');
    evaluator.kill(signal.aborted ? 'SIGTERM' : 'SIGKILL');
    await ended;
  }
}

interface Row {
  readonly id: number;
  readonly state: string;
  readonly input: readonly number[];
  readonly output: readonly number[] | null;
  readonly tries: number;
  readonly losses: number;
  readonly reason: string | null;
  readonly finishedAt: Date | null;
}

async function verify(
  form: Form,
  url: string,
  batchId: number,
  home: string,
  counts: Counts,
): Promise<readonly string[]> {
  const rows = await execute<Row>(
    url,
    `select e.id::float8, e.state, e.input, i.output, e.tries, e.losses, e.failure_reason as reason, e.finished_at as "finishedAt"
     from evaluations e left join inverses i on i.id = e.inverse_id where e.batch_id = ${batchId} order by e.id`,
  );
  const journal = await readFile(path.join(home, 'journal'), 'utf8');
  const lines = journal
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as BoxLine);
  const byId = Map.groupBy(lines, ({ id }) => id);
  const done = rows.filter(({ state }) => state === 'done');
  const name = ({ id, state, tries, losses, reason }: Row) =>
    `${form}: evaluation ${id} is ${state}, ${tries} tries, ${losses} losses: ${reason}`;
  const failed = rows.filter(({ state }) => state === 'failed').map((row) => `wrongly failed: ${name(row)}`);
  const stuck = rows
    .filter(({ state }) => state === 'waiting' || state === 'leased')
    .map((row) => `lost: ${name(row)}`);
  const wrong = done
    .filter(({ input, output }) => output !== null && JSON.stringify(output) !== JSON.stringify(BOX.run(input)))
    .map((row) => `lost, with another output: ${name(row)}`);
  const repeated = done
    .filter(({ id, finishedAt }) =>
      byId.get(id)?.some(({ event, at }) => event === 'start' && at > finishedAt!.getTime()),
    )
    .map((row) => `repeated: ${name(row)}`);
  const ends = (row: Row) => byId.get(row.id)?.filter(({ event }) => event === 'end').length ?? 0;
  const starts = (row: Row) => byId.get(row.id)?.filter(({ event }) => event === 'start').length ?? 0;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const figures = {
    form,
    faults: counts,
    runs: rows.length,
    done: done.length,
    cancelled: rows.filter(({ state }) => state === 'cancelled').length,
    lost: stuck.length + wrong.length,
    repeated: repeated.length,
    wronglyFailed: failed.length,
    startsCutShort: sum(rows.map(starts)) - sum(rows.map(ends)),
    finishedTwice: done.filter((row) => ends(row) > 1).length,
    triesCounted: sum(rows.map(({ tries }) => tries)),
    leasesLost: sum(rows.map(({ losses }) => losses)),
  };
  console.log(JSON.stringify(figures, undefined, 2));
  const few = done.length < Number(options.runs) ? [`${form}: only ${done.length} runs`] : [];
  return [...failed, ...stuck, ...wrong, ...repeated, ...few];
}
