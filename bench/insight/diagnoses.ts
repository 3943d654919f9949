/**
 * Whether the diagnosis says in time that objectives cannot be met, and never says so of those that can.
 *
 *   npx node bench/insight/diagnoses.ts [--seeds 1] [--only infeasible|feasible] [--problem name,name]
 *
 * 20 problems that no input solves are played until their diagnosis, of 100 of the collection that are solvable the first 30
 * runs are explained after every suggestion.
 * Bars: 20 diagnosed within 30 runs, no claim about the 100.
 */
import { parseArgs } from 'node:util';
import { explain } from '../../src/optimizer/explain.ts';
import type { Diagnosis } from '../../src/optimizer/interface/insights.ts';
import type { Problem } from '../problems/problem.ts';
import { problemsOf } from '../problems/sets.ts';
import { play } from '../solvers/play.ts';
import { infeasible } from './infeasible.ts';

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1' }, only: { type: 'string' }, problem: { type: 'string' } },
});
const RUNS = 30;
const FEASIBLE = 100;
const seeds = values.seeds.split(',').map(Number);
const isWanted = ({ name }: Problem) => values.problem?.split(',').includes(name) ?? true;

let diagnosed = 0;
let claims = 0;
const plays = { infeasible: 0, feasible: 0 };
for (const seed of seeds) {
  for (const problem of values.only === 'feasible' ? [] : infeasible.filter(isWanted)) {
    plays.infeasible++;
    const found = firstDiagnosis(problem, seed);
    if (found !== null) diagnosed++;
    console.log(`infeasible ${problem.name}, seed ${seed}: ${found ? describe(found) : 'no diagnosis'}`);
  }
  for (const problem of values.only === 'infeasible' ? [] : feasible().filter(isWanted)) {
    plays.feasible++;
    const found = firstDiagnosis(problem, seed);
    if (found === null) continue;
    claims++;
    console.log(`feasible ${problem.name}, seed ${seed}: FALSE CLAIM ${describe(found)}`);
  }
}
console.log(JSON.stringify({ ...plays, diagnosed, claims }));
process.exitCode = diagnosed === plays.infeasible && claims === 0 ? 0 : 1;

/** Without the inputs that take long to explain, and with noise only as far as needed to be a hundred. */
function feasible(): Problem[] {
  const few = problemsOf('collection').filter(({ variables }) => variables.length <= 12);
  return few.sort((a, b) => Number(a.noisy) - Number(b.noisy)).slice(0, FEASIBLE);
}

interface Found {
  readonly runs: number;
  readonly diagnosis: Diagnosis;
}

/** The first diagnosis within `RUNS` runs. */
function firstDiagnosis(problem: Problem, seed: number): Found | null {
  let found: Found | null = null;
  play({ ...problem, budget: RUNS }, seed, {
    isOver: () => found !== null,
    watch: (request) => {
      const { diagnosis } = explain(request);
      if (diagnosis !== null) found ??= { runs: request.history.count, diagnosis };
    },
  });
  return found;
}

function describe({ runs, diagnosis: { unmet, conflicts, nearestIs } }: Found): string {
  const outputs = unmet.map(({ output, distance }) => `${output + 1} by ${distance.toPrecision(3)}`).join(', ');
  return `after ${runs} runs, ${nearestIs}, missed ${outputs}; conflicts ${JSON.stringify(conflicts)}`;
}
