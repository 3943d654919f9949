/**
 * `solve` of the TypeScript client against a service of its own:
 *
 *   overhead   processor time of the client per run, one at a time and 64 at a time
 *   kills      a program that solves 20 problems is killed with SIGKILL 50 times at random moments and started again. All must be
 *              solved; no run whose result was in the journal when the program died may be called again; every result in a journal must
 *              be what the service has
 *
 * Exit code 1 when one of these is broken, or when a run costs more than 5 ms.
 *
 *   npx node bench/clients/typescript.ts [--kills 50] [--problems 20] [--only overhead|kills]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type FinishedLine, type JournalLine, runsOf } from '../../clients/typescript/src/evaluator/journal.ts';
import { Backsolve } from '../../clients/typescript/src/index.ts';
import { joinLocalService } from '../../clients/typescript/src/solve/local-service.ts';
import { real, solve, within } from '../../clients/typescript/src/solve.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    problems: { type: 'string', default: '20' },
    only: { type: 'string' },
  },
});
const LIMIT_MS = 5;
/** A program is killed at most this long after its start, or after its first call of the black box. */
const LATEST_MS = { start: 3_000, call: 400 };

const root = new URL('../../', import.meta.url).pathname;
const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-client-bench-'));
process.env['BACKSOLVE_COMMAND'] = `${process.execPath} ${root}bin/backsolve.js`;
const service = await joinLocalService(path.join(folder, 'service'));
const client = new Backsolve({ url: service.url, key: service.key });

let isBroken = false;
try {
  if (values.only !== 'kills') {
    await measureRequests(400);
    // The first search also pays for compiling.
    for (const isWarm of [false, true]) await measure(1, isWarm ? 100 : 30, isWarm);
    await measure(64, 512);
  }
  if (values.only !== 'overhead') await killOften(Number(values.kills), Number(values.problems));
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = isBroken ? 1 : 0;

/** The cost of two bare requests: every run needs them to get an input and to report its output. */
async function measureRequests(pairs: number): Promise<void> {
  const headers = { authorization: `Bearer ${service.key}` };
  const once = async () => (await fetch(`${service.url}/v1/account`, { headers })).text();
  await once();
  const before = process.cpuUsage();
  for (let i = 0; i < 2 * pairs; i++) await once();
  const { user, system } = process.cpuUsage(before);
  console.log(`two bare requests: ${((user + system) / 1000 / pairs).toFixed(2)} ms of processor time`);
}

/** A search for unreachable outputs, so that it uses its budget. */
async function measure(parallel: number, budget: number, isWarm = true): Promise<void> {
  let running = 0;
  let most = 0;
  const before = process.cpuUsage();
  const { history } = await solve(
    async ({ a, b }) => {
      most = Math.max(most, ++running);
      await sleep(parallel === 1 ? 0 : 200);
      running--;
      return [1 + Math.abs(Math.sin(9 * a) * Math.cos(7 * b)), a + b];
    },
    {
      client,
      folder,
      name: `overhead ${parallel} ${budget}`,
      inputs: { a: real(0, 1), b: real(0, 1) },
      goals: { y: within(0, 0.5), z: within(9, 0.1) },
      parallel,
      budget,
      cases: Math.max(4, parallel),
      progress: false,
    },
  );
  const { user, system } = process.cpuUsage(before);
  if (!isWarm) return;
  const perRun = (user + system) / 1000 / history.length;
  console.log(
    `${parallel} at a time (most ${most}): ${history.length} runs, ${perRun.toFixed(2)} ms of processor time each`,
  );
  if (perRun > LIMIT_MS || most !== parallel) isBroken = true;
}

async function killOften(kills: number, problems: number): Promise<void> {
  let left = kills;
  const sums = { solved: 0, runs: 0, calls: 0, repeated: 0, lost: 0, starts: 0, killed: 0 };
  for (let n = 0; n < problems; n++) {
    const work = path.join(folder, `${n}`);
    const calls = path.join(folder, `${n}.log`);
    let noted = 0;
    // Evenly among the problems, as long as they last.
    let share = Math.ceil(left / (problems - n));
    for (;;) {
      sums.starts += 1;
      const known = new Set(
        (await journalOf(work)).filter(isFinished).map(({ input }) => JSON.stringify(toNamed(input))),
      );
      const killedAt = share % 3 === 0 ? 'start' : 'call';
      const printed = await runFor(n, work, calls, share > 0 ? killedAt : undefined);
      const lines = await linesOf(calls);
      sums.repeated += lines.slice(noted).filter((line) => known.has(line)).length;
      sums.calls += lines.length - noted;
      noted = lines.length;
      if (printed === undefined) {
        share--;
        left--;
        sums.killed += 1;
        continue;
      }
      const { status, runs } = JSON.parse(printed) as { status: string; runs: number };
      if (status === 'satisfied') sums.solved += 1;
      sums.runs += runs;
      break;
    }
    sums.lost += await countLost(work);
  }
  console.log(sums);
  if (sums.solved !== problems || sums.repeated > 0 || sums.lost > 0) isBroken = true;
}

/** The output of the program; undefined if it was killed. */
async function runFor(
  n: number,
  work: string,
  calls: string,
  killAfter?: keyof typeof LATEST_MS,
): Promise<string | undefined> {
  await mkdir(work, { recursive: true });
  const child = spawn(process.execPath, [path.join(root, 'bench/clients/program.ts'), `${n}`, calls], {
    cwd: work,
    env: { PATH: process.env['PATH'], BACKSOLVE_URL: service.url, BACKSOLVE_API_KEY: service.key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  if (killAfter !== undefined) void killSoon(child, calls, killAfter);
  const [code, signal] = await ended;
  if (signal === 'SIGKILL') return undefined;
  if (code !== 0) throw new Error(`Problem ${n} ended with ${code ?? signal}.`);
  return printed;
}

async function killSoon(child: ChildProcess, calls: string, after: keyof typeof LATEST_MS): Promise<void> {
  const before = (await linesOf(calls)).length;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  while (after === 'call' && isRunning() && (await linesOf(calls)).length === before) await sleep(10);
  await sleep(Math.random() * LATEST_MS[after]);
  if (isRunning()) child.kill('SIGKILL');
}

/** Results of the journal that the service does not have, or has otherwise. */
async function countLost(work: string): Promise<number> {
  let lost = 0;
  for (const run of runsOf(await journalOf(work))) {
    const { body } = await client.call('getEvaluation', { path: { evaluation_id: run.evaluation } });
    const expected = run.outcome.kind === 'output' ? ['done', 'cancelled'] : ['failed', 'cancelled'];
    let isKept = expected.includes(body.state);
    if (isKept && body.state === 'done' && run.outcome.kind === 'output') {
      const path = { objective_id: body.objectiveId ?? 0, inverse_id: body.inverseId ?? 0 };
      const output = body.inverseId === null ? body.output : (await client.call('getInverse', { path })).body.output;
      isKept = JSON.stringify(output) === JSON.stringify(run.outcome.output);
    }
    if (!isKept) lost += 1;
  }
  return lost;
}

function isFinished(line: JournalLine): line is FinishedLine {
  return line.kind === 'finished';
}

function toNamed([a, b, k, m]: readonly number[]) {
  return { a, b, k, m: m === 1 ? 'steel' : 'brass' };
}

async function journalOf(work: string): Promise<readonly JournalLine[]> {
  const place = path.join(work, '.backsolve/typescript');
  const [name] = await readdir(place).catch(() => []);
  if (name === undefined) return [];
  // The last line may be torn.
  return (await linesOf(path.join(place, name, 'runs.jsonl'))).map((line) => JSON.parse(line) as JournalLine);
}

/** Whole lines. */
async function linesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
}
