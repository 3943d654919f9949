/**
 * Plays a scripted agent that solves problems with `backsolve mcp` in a folder, while the process of the server and the agent itself are
 * killed (kill -9) at random moments, and while it repeats its calls and sends nonsense; then two agents at one problem over /mcp, whose
 * connections break. No run may be lost or stored twice, no nonsense accepted, and no process left. Exits with code 1 otherwise.
 *
 *   npx node bench/drills/agent.ts [--kills 20] [--repeats 20] [--problems 3] [--seed 1]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Backsolve } from '../../clients/typescript/src/index.ts';
import { startOf } from '../../clients/typescript/src/solve/folder-lock.ts';
import { joinLocalService } from '../../clients/typescript/src/solve/local-service.ts';
import { type Agent, connectAgent, startAgent } from '../../harness/agent-client.ts';
import { playKilledAgent } from '../../harness/killed-agent.ts';
import type { ScriptedProblem } from '../../harness/scripted-agent.ts';
import { randomFrom } from '../chaos/random.ts';
import { runDrill } from './run-drill.ts';

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    repeats: { type: 'string', default: '20' },
    problems: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    // Options of the agent itself, which is a process of its own.
    player: { type: 'string' },
    folder: { type: 'string', default: '' },
  },
});
const [KILLS, REPEATS, PROBLEMS, SEED] = [options.kills, options.repeats, options.problems, options.seed].map(
  Number,
) as [number, number, number, number];
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const INPUTS = ['a', 'b', 'c', 'd', 'e'];

/** A smooth system with a known solution, another one for each number: it takes a search of some twenty runs. */
function problemOf(number: number): ScriptedProblem {
  const random = randomFrom(1_000 + number);
  const weights = INPUTS.map(() => INPUTS.map(() => 2 * random() - 1));
  const answer = INPUTS.map(() => 0.2 + 0.6 * random());
  const outputsAt = (x: readonly number[]) =>
    weights.map((row) =>
      row.reduce((sum, weight, i) => sum + Math.sin(3 * weight * x[i]!) + weight * x[i]! * x[(i + 1) % x.length]!, 0),
    );
  const names = INPUTS.map((_, j) => `y${j + 1}`);
  const statement = {
    name: `Drill ${number}`,
    inputs: INPUTS.map((name) => ({ name, minimum: 0, maximum: 1 })),
    outputs: outputsAt(answer).map((target, j) => ({ name: names[j]!, target, within: 0.005 })),
  };
  return {
    statement,
    run: (inputs) =>
      Object.fromEntries(outputsAt(INPUTS.map((name) => inputs[name]!)).map((value, j) => [names[j]!, value])),
  };
}

/** Notes the process before anything else happens, for the one that counts what is left. */
async function startNoted(folder: string): Promise<Agent> {
  const agent = await startAgent(['--dir', folder]);
  appendFileSync(path.join(folder, 'processes'), `${agent.pid}\n`);
  return agent;
}

/** Notes every run before it reports it: a kill loses what a process knows. */
function noted(problem: ScriptedProblem, file: string): ScriptedProblem {
  const run: ScriptedProblem['run'] = (inputs) => {
    appendFileSync(file, `${JSON.stringify(Object.values(inputs))}\n`);
    return problem.run(inputs);
  };
  return { ...problem, run };
}

/** A life of the agent: of two kills, the first is that of its server, the second its own. */
async function live(number: number): Promise<void> {
  const { folder } = options;
  let kills = 0;
  const kill = ({ pid }: Agent) => {
    kills += 1;
    process.kill(kills === 2 ? process.pid : pid!, 'SIGKILL');
  };
  const problem = noted(problemOf(number), path.join(folder, `runs.${number}`));
  const start = () => startNoted(folder);
  const { inputs: _, ...played } = await playKilledAgent({
    seed: SEED,
    kills: KILLS,
    repeats: REPEATS,
    start,
    kill,
    problem,
  });
  console.log(JSON.stringify(played));
}

/** Output of the agent at its end; undefined if it was killed. */
async function spawnLife(
  folder: string,
  number: number,
  { kills, repeats, seed }: { kills: number; repeats: number; seed: number },
) {
  const flags = ['--kills', kills, '--repeats', repeats, '--seed', seed, '--player', number, '--folder', folder];
  const args = [fileURLToPath(import.meta.url), ...flags.map(String)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code, signal] = await once(child, 'close');
  if (signal === 'SIGKILL') return undefined;
  if (code !== 0) throw new Error(`The agent ended with code ${code}.`);
  return JSON.parse(printed) as {
    readonly problem: number;
    readonly isSolved: boolean;
    readonly nonsense: number;
    readonly accepted: readonly string[];
  };
}

/** Compares what the service has stored of a problem with what the agent ran. */
async function judge(client: Backsolve, problem: number, ran: readonly string[]) {
  const stored: string[] = [];
  const states: Record<string, number> = {};
  for await (const { state, input } of client.pages('listEvaluations', { query: { batch_id: problem } })) {
    states[state] = (states[state] ?? 0) + 1;
    if (state === 'done') stored.push(JSON.stringify(input));
  }
  const inputs = new Set(ran);
  return {
    runs: stored.length,
    storedTwice: stored.length - new Set(stored).size,
    lost: [...inputs].filter((input) => !stored.includes(input)).length,
    invented: stored.filter((input) => !inputs.has(input)).length,
    wronglyFailed: states['failed'] ?? 0,
    runAgain: ran.length - inputs.size,
  };
}

const linesOf = async (file: string) => (await readFile(file, 'utf8')).trim().split('\n');

async function playOverStdio(folder: string, client: Backsolve, number: number): Promise<readonly string[]> {
  const lives = KILLS / 2;
  const accepted: string[] = [];
  for (let life = 0; life < lives; life++) {
    const end = await spawnLife(folder, number, { kills: 2, repeats: 2, seed: SEED + 100 * number + life });
    if (end !== undefined) throw new Error('The agent has survived.');
  }
  const end = await spawnLife(folder, number, { kills: 0, repeats: REPEATS, seed: SEED + 100 * number + lives });
  accepted.push(...end!.accepted);
  const judged = await judge(client, end!.problem, await linesOf(path.join(folder, `runs.${number}`)));
  console.log(
    JSON.stringify({
      over: 'stdio',
      number,
      kills: 2 * lives,
      repeats: REPEATS,
      isSolved: end!.isSolved,
      ...judged,
      accepted: accepted.length,
    }),
  );
  return complaintsOf(`problem ${number} over stdio`, { ...judged, isSolved: end!.isSolved, accepted });
}

async function playOverHttp(
  folder: string,
  client: Backsolve,
  { url, key, number }: { url: string; key: string; number: number },
): Promise<readonly string[]> {
  const file = path.join(folder, `runs.${number}`);
  const problem = noted(problemOf(number), file);
  const play = (name: string, seed: number) =>
    playKilledAgent({
      seed,
      kills: KILLS / 2,
      repeats: REPEATS / 2,
      name,
      problem,
      start: () => connectAgent(url, key),
      kill: (agent) => void agent.close().catch(() => undefined),
    });
  const [left, right] = await Promise.all([play('left', SEED + 1), play('right', SEED + 2)]);
  const judged = await judge(client, left.problem, await linesOf(file));
  const both = [...left.inputs].filter((input) => right.inputs.has(input)).length;
  const accepted = [...left.accepted, ...right.accepted];
  const isSolved = left.isSolved && right.isSolved && left.problem === right.problem;
  console.log(
    JSON.stringify({
      over: '/mcp, two agents',
      number,
      kills: KILLS,
      repeats: REPEATS,
      isSolved,
      ...judged,
      runByBoth: both,
      accepted: accepted.length,
    }),
  );
  const broken = complaintsOf(`problem ${number} over /mcp`, { ...judged, isSolved, accepted });
  return both === 0 ? broken : [...broken, `problem ${number}: ${both} inputs were run by both agents`];
}

interface Judged extends Awaited<ReturnType<typeof judge>> {
  readonly isSolved: boolean;
  readonly accepted: readonly string[];
}

function complaintsOf(
  what: string,
  { storedTwice, lost, invented, wronglyFailed, isSolved, accepted }: Judged,
): readonly string[] {
  const counts = Object.entries({ storedTwice, lost, invented, wronglyFailed }).filter(([, count]) => count > 0);
  return [
    ...counts.map(([name, count]) => `${what}: ${name} ${count}`),
    ...(isSolved ? [] : [`${what} is not solved`]),
    ...accepted.map((call) => `${what}: accepted ${call}`),
  ];
}

async function drill(folder: string): Promise<readonly string[]> {
  const broken: string[] = [];
  const command = [process.execPath, MAIN];
  const service = await joinLocalService(path.join(folder, '.backsolve'), { command });
  const client = new Backsolve({ url: service.url, key: service.key, fetch: service.fetch });
  for (let number = 1; number <= PROBLEMS; number++) {
    broken.push(...(await playOverStdio(folder, client, number)));
    broken.push(...(await playOverHttp(folder, client, { ...service, number: PROBLEMS + number })));
  }
  const batches = (await client.call('listBatches')).body.length;
  if (batches !== 2 * PROBLEMS) broken.push(`${2 * PROBLEMS} problems became ${batches}`);
  const started = await linesOf(path.join(folder, 'processes'));
  const left = (await Promise.all(started.map((pid) => startOf(Number(pid))))).filter((start) => start !== undefined);
  if (left.length > 0) broken.push(`${left.length} of ${started.length} processes are left`);
  console.log(JSON.stringify({ processesStarted: started.length, left: left.length, problems: batches }));
  await service.close();
  return broken;
}

if (options.player === undefined) await runDrill(drill);
else await live(Number(options.player));
