/**
 * Plays problems with one solver and appends the results.
 *
 *   npx node bench/solvers/run.ts [--solver backsolve] [--set held-out|small-regions] [--seeds 1,2,3] [--family f]
 *                             [--problem name,name] [--time-cap seconds] [--no-save] [--again]
 *
 * `--no-save` neither reads nor writes results; it serves tuning and is therefore refused for the held-out set. `--again`
 * also plays what is recorded. Peers run in the Python environment that bench/peers/setup.sh creates; `--time-cap` ends each of
 * their plays after so many seconds of processor time.
 */
import { parseArgs } from 'node:util';
import { warmUp } from '../../src/optimizer/suggest.ts';
import type { Problem } from '../problems/problem.ts';
import { parseSetName, problemsOf } from '../problems/sets.ts';
import { startPeer } from './peer.ts';
import { play } from './play.ts';
import {
  appendResult,
  currentCommit,
  fingerprint,
  optimizerVersion,
  playKey,
  type Result,
  readResults,
} from './results.ts';
import { costOf, geometricMean } from './scores.ts';

const { values: options } = parseArgs({
  options: {
    solver: { type: 'string', default: 'backsolve' },
    set: { type: 'string', default: 'collection' },
    seeds: { type: 'string', default: '1,2,3' },
    family: { type: 'string' },
    problem: { type: 'string' },
    'time-cap': { type: 'string', default: '120' },
    'no-save': { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
  },
});

const set = parseSetName(options.set);
if (set === 'held-out' && options['no-save'])
  throw new Error('--no-save is not allowed with the held-out set: all its plays are recorded');
const problems = problemsOf(set);
const names = options.problem?.split(',');
const families = options.family?.split(',');
const chosen = problems.filter(
  (problem) => (!names || names.includes(problem.name)) && (!families || families.includes(problem.family)),
);
if (chosen.length === 0) throw new Error('no problem matches --problem and --family');
const seeds = options.seeds.split(',').map(Number);
const timeCapSeconds = Number(options['time-cap']);

type Player = (problem: Problem, seed: number) => Promise<Pick<Result, 'runs' | 'solved' | 'seconds' | 'end'>>;

async function makePlayer(solver: string): Promise<{ version: string; player: Player; close: () => void }> {
  if (solver === 'backsolve') {
    warmUp();
    return { version: optimizerVersion(), player: async (problem, seed) => play(problem, seed), close: () => {} };
  }
  const peer = await startPeer(solver);
  return {
    version: peer.version,
    player: (problem, seed) => peer.play(problem.name, seed, timeCapSeconds),
    close: peer.close,
  };
}

function report(problem: Problem, plays: readonly Result[]): void {
  const runs = plays.map((result) => (result.solved ? `${result.runs}` : `${result.runs}! ${result.end}`)).join(', ');
  const seconds = plays.reduce((total, result) => total + result.seconds, 0);
  process.stdout.write(`${problem.family.padEnd(18)} ${problem.name.padEnd(28)} ${runs}  (${seconds.toFixed(1)} s)\n`);
}

function summarize(results: readonly Result[]): void {
  const byName = new Map(problems.map((problem) => [problem.name, problem]));
  const lines = [...new Set(chosen.map((problem) => problem.family)), 'all'].map((family) => {
    const members = results.filter((result) => family === 'all' || byName.get(result.problem)!.family === family);
    const mean = geometricMean(members.map((result) => costOf(result, byName.get(result.problem)!.budget)));
    const solved = members.filter((result) => result.solved).length;
    return `${family.padEnd(18)} solved ${solved}/${members.length}  runs ${mean.toFixed(2)}`;
  });
  process.stdout.write(`\n${lines.join('\n')}\n`);
}

const { version, player, close } = await makePlayer(options.solver);
const commit = currentCommit();
const recorded = new Map((options['no-save'] ? [] : readResults(set)).map((result) => [playKey(result), result]));
const all: Result[] = [];
for (const problem of chosen) {
  const plays: Result[] = [];
  for (const seed of seeds) {
    const identity = {
      solver: options.solver,
      version,
      problem: problem.name,
      fingerprint: fingerprint(problem),
      seed,
    };
    const known = options.again ? undefined : recorded.get(playKey(identity));
    const result = known ?? { ...identity, ...pick(await player(problem, seed)), commit };
    if (!known && !options['no-save']) appendResult(set, result);
    plays.push(result);
  }
  report(problem, plays);
  all.push(...plays);
}
close();
summarize(all);

function pick({ runs, solved, seconds, end }: Awaited<ReturnType<Player>>) {
  return { runs, solved, seconds: Math.round(seconds * 1000) / 1000, end };
}
