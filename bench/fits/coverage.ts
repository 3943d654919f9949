/**
 * How often 95 percent intervals of a fit hold the truth, on simulated data sets.
 *
 *   npx node bench/fits/coverage.ts [--sets 200] [--problem decay] [--first 1000] [--unknown]
 */
import { parseArgs } from 'node:util';
import { fitInsight } from '../../src/optimizer/fit-insight.ts';
import { warmUp } from '../../src/optimizer/suggest.ts';
import { play } from './play.ts';
import { type FitProblem, log, oneSet, real, simulated } from './problem.ts';
import { FIT_PROBLEMS } from './problems.ts';

const TIMES = Array.from({ length: 25 }, (_, i) => 0.2 * i);

/** Two exponentials that decay at rates not far apart: nearly collinear. */
function biexponential(seed: number): FitProblem {
  const model = (x: ArrayLike<number>) =>
    TIMES.map((t) => x[0]! * Math.exp(-x[1]! * t) + (3 - x[0]!) * Math.exp(-x[2]! * t));
  const truth = [1.8, 0.4, 2.5];
  const values = simulated(model, truth, 0.03, seed);
  return {
    name: 'biexponential',
    variables: [real(0.2, 2.9), log(0.05, 1.2), log(1.2, 10)],
    truth,
    model,
    fits: oneSet(values, 0.03),
  };
}

/** Growth that saturates, with the plateau barely seen. */
export function saturation(seed: number): FitProblem {
  const model = (x: ArrayLike<number>) => TIMES.map((t) => (x[0]! * t) / (x[1]! + t));
  const truth = [2, 3];
  const values = simulated(model, truth, 0.04, seed);
  return { name: 'saturation', variables: [log(0.5, 20), log(0.3, 50)], truth, model, fits: oneSet(values, 0.04) };
}

export const PROBLEMS = [FIT_PROBLEMS[0]!, biexponential, saturation];

function main(): void {
  const { values } = parseArgs({
    options: {
      sets: { type: 'string', default: '200' },
      first: { type: 'string', default: '1000' },
      problem: { type: 'string' },
      unknown: { type: 'boolean', default: false },
    },
  });
  warmUp();
  for (const make of PROBLEMS) {
    const { name, variables } = make(1);
    if (values.problem !== undefined && values.problem !== name) continue;
    const held = variables.map(() => 0);
    const open = variables.map(() => 0);
    let known = 0;
    let runs = 0;
    for (let k = 0; k < Number(values.sets); k++) {
      const seed = Number(values.first) + k;
      const made = make(seed);
      const problem = values.unknown ? { ...made, fits: made.fits.map((fit) => ({ ...fit, sigmas: null })) } : made;
      const played = play(problem, seed, 60);
      runs += played.misfits.length;
      const insight = fitInsight(played.request);
      if (insight === null) continue;
      known++;
      insight.parameters.forEach(({ low, high }, v) => {
        const truth = problem.truth[v]!;
        if ((low ?? -Infinity) <= truth && truth <= (high ?? Infinity)) held[v]!++;
        if (low === null || high === null) open[v]!++;
      });
    }
    const coverage = held.map((count) => Math.round((1000 * count) / known) / 10);
    process.stdout.write(
      `${JSON.stringify({ problem: name, sets: known, coverage, open, meanRuns: runs / Number(values.sets) })}\n`,
    );
  }
}

if (import.meta.main) main();
