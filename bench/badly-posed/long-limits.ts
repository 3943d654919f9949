/**
 * The best value within limits after a long search without an aspiration and without a stop rule, where values beyond the limits are
 * better by far: the surfaces of long-problems.ts within a ball that leaves their optimum out, and beside a waved limit.
 *
 *   npx node bench/badly-posed/long-limits.ts [--seeds 1,2] [--runs 200] [--problem name,name]
 *
 * Per play the best values after a quarter, half and all of the runs; "-" where none met the limits.
 */
import { parseArgs } from 'node:util';
import { NO_TARGET } from '../../src/domain/search/objective.ts';
import { atMost, minimize, type Problem } from '../problems/problem.ts';
import { playAndRecord } from '../solvers/play.ts';
import { longProblems } from './long-problems.ts';

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2' },
    runs: { type: 'string', default: '200' },
    problem: { type: 'string', default: 'rastrigin-4,levy-8,ackley-10,schwefel-6' },
  },
});
const budget = Number(options.runs);
const marks = [budget / 4, budget / 2, budget];

/** In half widths of the box: from its centre to that of the ball along each input, and the radius per square root of an input. */
const BALL = { center: -0.5, radius: 0.3 };

/** Source of the waved limit: Gramacy et al. (2016), Modeling an augmented Lagrangian for blackbox constrained optimization, section 2. */
function limitsOf(t: readonly number[]): number[] {
  const square = t.reduce((sum, one) => sum + (one - BALL.center) ** 2, 0) / t.length;
  const [a, b] = [(1 + t[0]!) / 2, (1 + t[1]!) / 2];
  return [square - BALL.radius ** 2, 0.6 - a - 2 * b - 0.5 * Math.sin(2 * Math.PI * (a ** 2 - 2 * b))];
}

function withLimits(problem: Problem): Problem {
  const { variables, evaluate } = problem;
  return {
    ...problem,
    budget,
    objectives: [minimize(NO_TARGET.minimize), atMost(0), atMost(0)],
    evaluate: (x, run) => {
      const t = x.map((one, v) => {
        const { minimum, maximum } = variables[v]!;
        return (2 * one - minimum - maximum) / (maximum - minimum);
      });
      return [evaluate(x, run)![0]!, ...limitsOf(t)];
    },
  };
}

for (const name of options.problem.split(',')) {
  const surface = longProblems.find((one) => one.name === `${name}-minimize`);
  if (surface === undefined) throw new Error(`No problem is named ${name}; long-problems.ts has the names.`);
  const problem = withLimits(surface);
  for (const seed of options.seeds.split(',').map(Number)) {
    const { evaluations } = playAndRecord(problem, seed);
    const values = marks.map((mark) => {
      const kept = evaluations.slice(0, mark).filter(({ output }) => output!.slice(1).every((one) => one <= 0));
      return kept.length === 0 ? '-' : Math.min(...kept.map(({ output }) => output![0]!)).toPrecision(6);
    });
    console.log(name, seed, ...values);
  }
}
