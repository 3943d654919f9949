/**
 * The best value after hundreds of runs of one number that has many local minima or a long valley, beside CMA-ES on the same
 * problems, seeds and starts.
 *
 *   npx node bench/badly-posed/long-searches.ts [--seeds 11,12,13,14,15,16,17,18] [--runs 500] [--form minimize]
 *     [--problems rastrigin-10,ackley-10,rosenbrock-20] [--write]
 *
 * A form is how the number is stated: minimize (towards zero) or limit (at most 0.001). CMA-ES needs
 * bench/peers/setup.sh. Medians; the bar: the value is at most that of CMA-ES, and no search gives up before its budget. With
 * --write the plays are stored in results/long-searches.json. Exits with code 1 when the bar is missed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { warmUp } from '../../src/optimizer/suggest.ts';
import type { Problem } from '../problems/problem.ts';
import { quantile } from '../quantile.ts';
import { startPython } from '../solvers/peer.ts';
import { playAndRecord } from '../solvers/play.ts';
import { longProblems } from './long-problems.ts';

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '11,12,13,14,15,16,17,18' },
    runs: { type: 'string', default: '500' },
    form: { type: 'string', default: 'minimize' },
    problems: { type: 'string', default: 'rastrigin-10,ackley-10,rosenbrock-20' },
    write: { type: 'boolean', default: false },
  },
});
const runs = Number(options.runs);
const TIME_CAP_SECONDS = 3_600;

interface LongPlay {
  readonly problem: string;
  readonly seed: number;
  readonly runs: number;
  readonly end: string;
  /** The best values after 100, 200, ... runs and at the end. */
  readonly best: readonly number[];
  readonly peer: readonly number[];
}

type Values = readonly (readonly number[] | null)[];

function bestAfter(outputs: Values): number[] {
  const counts = Array.from({ length: Math.ceil(runs / 100) }, (_, k) => Math.min(runs, 100 * (k + 1)));
  const least = (count: number) =>
    Math.min(...outputs.slice(0, count).map((output) => output?.[0] ?? Number.MAX_VALUE));
  return counts.map((count) => Number(least(count).toPrecision(6)));
}

const peer = startPython('play.py', ['cma', process.execPath]);
const { version } = (await peer.read()) as { version: string };

async function playBoth(problem: Problem, seed: number): Promise<LongPlay> {
  const { play, evaluations } = playAndRecord({ ...problem, budget: runs }, seed);
  const asked = { problem: problem.name, seed, timeCapSeconds: TIME_CAP_SECONDS };
  const { outputs } = (await peer.ask(asked)) as { outputs: Values };
  const best = bestAfter(evaluations.map(({ output }) => output));
  return { problem: problem.name, seed, runs: play.runs, end: play.end, best, peer: bestAfter(outputs) };
}

const problems = options.problems.split(',').map((name) => {
  const problem = longProblems.find((one) => one.name === `${name}-${options.form}`);
  if (problem === undefined) throw new Error(`no problem is called ${name}-${options.form}`);
  return problem;
});
warmUp();
const plays: LongPlay[] = [];
for (const seed of options.seeds.split(',').map(Number)) {
  for (const problem of problems) {
    const one = await playBoth(problem, seed);
    plays.push(one);
    process.stdout.write(`${JSON.stringify(one)}\n`);
  }
}
peer.close();

let isMet = true;
process.stdout.write(
  `| class | plays | played out | median | CMA-ES ${version} | bar met |\n| - | -: | -: | -: | -: | - |\n`,
);
for (const { name } of problems) {
  const own = plays.filter(({ problem }) => problem === name);
  const playedOut = own.filter(({ end }) => end === 'budget' || end === 'satisfied').length;
  const ours = quantile(
    own.map(({ best }) => best.at(-1)!),
    0.5,
  );
  const theirs = quantile(
    own.map((one) => one.peer.at(-1)!),
    0.5,
  );
  const meets = ours <= theirs && playedOut === own.length;
  isMet &&= meets;
  process.stdout.write(`| ${name} | ${own.length} | ${playedOut} | ${ours} | ${theirs} | ${meets ? 'yes' : 'no'} |\n`);
}
if (options.write) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('long-searches.json', folder), `${JSON.stringify({ runs, version, plays }, null, 1)}\n`);
}
process.exitCode = isMet ? 0 : 1;
