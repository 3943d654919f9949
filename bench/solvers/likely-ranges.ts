/**
 * The gain of a stated likely range that contains the solution, and the cost of one that does not: runs with the ranges over
 * runs without them, geometric means over the problems of the collection that have floats.
 *
 *   npx node bench/solvers/likely-ranges.ts [--problems 40] [--seeds 8] [--part 1/2]
 *
 * A part takes every second (third, ...) problem, so that parts can run beside each other.
 * Bars: at most 0.85 with ranges half as wide as the bounds that hold the solution off centre, at most 1.15 with others.
 * Measured: 0.856 and 1.049, with standard errors over the seeds of 0.013 and 0.016.
 */
import { parseArgs } from 'node:util';
import type { Variable } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import type { Problem } from '../problems/problem.ts';
import { problemsOf } from '../problems/sets.ts';
import { play } from './play.ts';

const { values } = parseArgs({
  options: {
    problems: { type: 'string', default: '40' },
    seeds: { type: 'string', default: '8' },
    part: { type: 'string', default: '1/1' },
  },
});
const seeds = Number(values.seeds);
const candidates = problemsOf('collection').filter(
  ({ variables, noisy }) => !noisy && variables.length <= 12 && variables.some(({ kind }) => kind === 'float'),
);
const every = candidates.length / Number(values.problems);
const chosen = candidates.filter((_, i) => Math.floor(i / every) !== Math.floor((i - 1) / every));
const [part, parts] = values.part.split('/').map(Number) as [number, number];

const sums = { containing: 0, missing: 0 };
let count = 0;
for (const [number, problem] of chosen.entries()) {
  if (number % parts !== part - 1) continue;
  const variants = {
    containing: withRanges(problem, number, true),
    missing: withRanges(problem, number, false),
  };
  const logs = { containing: 0, missing: 0 };
  for (let seed = 1; seed <= seeds; seed++) {
    const plain = costOf(problem, seed);
    for (const kind of ['containing', 'missing'] as const) logs[kind] += Math.log(costOf(variants[kind], seed) / plain);
  }
  sums.containing += logs.containing / seeds;
  sums.missing += logs.missing / seeds;
  count++;
  const ratio = (log: number) => Math.exp(log / seeds).toFixed(2);
  console.log(`${problem.name}: containing ${ratio(logs.containing)}, missing ${ratio(logs.missing)}`);
}
const mean = (sum: number) => Math.exp(sum / count);
console.log(JSON.stringify({ problems: count, seeds, containing: mean(sums.containing), missing: mean(sums.missing) }));

/** Runs, twice the budget when unsolved. */
function costOf(problem: Problem, seed: number): number {
  const { runs, solved } = play(problem, seed);
  return solved ? runs : 2 * problem.budget;
}

/** Ranges half as wide as the bounds: the solution at 20 to 40 percent from one end of them, or outside. */
function withRanges(problem: Problem, number: number, holdsSolution: boolean): Problem {
  const random = makeRandom(number, 11);
  const variables = problem.variables.map((variable, v): Variable => {
    const { kind, minimum, maximum } = variable;
    const half = (maximum - minimum) / 2;
    const [share, isLow] = [0.2 + 0.2 * random.uniform(), random.uniform() < 0.5];
    if (kind !== 'float' || half === 0) return variable;
    const known = problem.known[v]!;
    const containing = known - half * (isLow ? share : 1 - share);
    const below = Math.min(minimum, known - 1.1 * half);
    const above = Math.max(minimum + half, known + 0.1 * half);
    const missing = known > minimum + half ? below : above;
    const wanted = holdsSolution ? containing : missing;
    const low = Math.min(maximum - half, Math.max(minimum, wanted));
    return { ...variable, likely: { minimum: low, maximum: low + half } };
  });
  return { ...problem, variables };
}
