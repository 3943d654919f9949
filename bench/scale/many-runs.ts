/**
 * Plays one search over thousands of runs, many of them open at a time, with the optimizer alone.
 *
 *   npx node bench/scale/many-runs.ts [--runs 5000] [--at-once 64] [--problem rastrigin-10-minimize] [--seed 1]
 *
 * Outputs arrive in a random order. Every proposal must be a candidate that is neither known nor open. Prints a JSON line per
 * tenth of the runs: the best value, and the mean and the longest processor time of a suggestion, in s. Exits with code 1 when
 * a suggestion repeats an input, when the search gives up, or when a suggestion takes 1 s.
 */
import { parseArgs } from 'node:util';
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { longProblems } from '../badly-posed/long-problems.ts';
import { toDefinition } from '../problems/problem.ts';
import { makeUniform } from '../problems/random.ts';
import { WORK_LIMIT } from '../solvers/play.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    'at-once': { type: 'string', default: '64' },
    problem: { type: 'string', default: 'rastrigin-10-minimize' },
    seed: { type: 'string', default: '1' },
  },
});
const runs = Number(options.runs);
const seed = Number(options.seed);
/** Seconds of processor time within which a suggestion is computed. */
const BAR = 1;
const problem = longProblems.find(({ name }) => name === options.problem);
if (problem === undefined) throw new Error(`no problem is called ${options.problem}`);
const goal = compileGoal(toDefinition(problem));
const space = { variables: problem.variables };
const uniform = makeUniform(seed);

warmUp();
const X: number[] = [];
const Y: number[] = [];
const open: number[][] = [];
const known = new Set<string>();
let times: number[] = [];
let isWithin = true;

function complete(): void {
  const [input] = open.splice(Math.floor(uniform() * open.length), 1);
  X.push(...input!);
  Y.push(...problem!.evaluate(input!, { seed, index: Y.length })!);
  if (Y.length % Math.ceil(runs / 10) > 0) return;
  const mean = times.reduce((sum, time) => sum + time / times.length, 0);
  const best = Y.reduce((least, y) => Math.min(least, y));
  process.stdout.write(`${JSON.stringify({ runs: Y.length, best, mean, most: Math.max(...times) })}\n`);
  isWithin &&= Math.max(...times) < BAR;
  times = [];
}

while (Y.length < runs) {
  while (open.length < Number(options['at-once']) && Y.length + open.length < runs) {
    const before = process.threadCpuUsage();
    const proposal = suggest({
      space,
      goal,
      history: { count: Y.length, X: Float64Array.from(X), Y: Float64Array.from(Y), failed: new Uint8Array(Y.length) },
      pending: Float64Array.from(open.flat()),
      firstSuggested: 0,
      convergence: problem.convergence,
      seed,
      workLimit: WORK_LIMIT,
    });
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1e6);
    if (proposal.kind !== 'candidate') throw new Error(`gave up after ${Y.length} runs: ${proposal.reason}`);
    const input = Array.from(proposal.input);
    if (known.has(input.join())) throw new Error(`proposed ${input} again after ${Y.length} runs`);
    known.add(input.join());
    open.push(input);
  }
  complete();
}
process.exitCode = isWithin ? 0 : 1;
