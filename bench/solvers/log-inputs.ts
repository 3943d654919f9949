/**
 * The gain of declaring an input logarithmic if its range spans three decades or more: runs of the declared problem over
 * runs of the same problem on the raw scale, where only the models may choose a logarithm. Geometric means over the seeds; a
 * play that is not solved counts twice its budget. The start is drawn uniformly in the logarithms, the same for both.
 *
 *   npx node bench/solvers/log-inputs.ts [--seeds 8]
 *
 * Ends with 1 when the mean ratio exceeds 0.6.
 * Sources: the textbook law that each problem names; the numbers are made up here.
 */
import { parseArgs } from 'node:util';
import type { Variable } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { defineProblems, float, type Objective, type Problem, withinPercent } from '../problems/problem.ts';
import { play } from './play.ts';

const { values: options } = parseArgs({ options: { seeds: { type: 'string', default: '8' } } });
const seeds = Number(options.seeds);
const BAR = 0.6;

interface Law {
  readonly name: string;
  /** Inputs that vary by factors. */
  readonly factors: readonly number[];
  readonly variables: readonly Variable[];
  readonly known: readonly number[];
  readonly evaluate: (x: readonly number[]) => readonly number[];
  /** Tolerance of each output in percent. */
  readonly percent: number;
}

const laws: readonly Law[] = [
  {
    name: 'Michaelis and Menten: velocities at three concentrations',
    factors: [1],
    variables: [float(0.1, 10), float(1e-3, 1e2)],
    known: [2.7, 0.06],
    evaluate: ([v, k]) => [0.02, 0.1, 1].map((s) => (v! * s) / (k! + s)),
    percent: 2,
  },
  {
    name: 'RC filter: cut-off frequency and impedance',
    factors: [0, 1],
    variables: [float(10, 1e6), float(1e-10, 1e-4)],
    known: [4.7e3, 3.3e-8],
    evaluate: ([r, c]) => [1 / (2 * Math.PI * r! * c!), Math.hypot(r!, 1 / (2e4 * Math.PI * c!))],
    percent: 2,
  },
  {
    name: 'two reactions in series: yields at three times',
    factors: [0, 1],
    variables: [float(1e-3, 1e1), float(1e-3, 1e1)],
    known: [0.45, 0.03],
    evaluate: ([a, b]) => {
      const k = Math.abs(a! - b!) < 1e-9 ? a! * (1 + 1e-6) : a!;
      return [1, 5, 20].map((t) => (k / (b! - k)) * (Math.exp(-k * t) - Math.exp(-b! * t)));
    },
    percent: 2,
  },
  {
    name: 'Hill: response at four doses',
    factors: [0],
    variables: [float(1e-3, 1e3), float(0.5, 4), float(10, 200)],
    known: [0.4, 1.7, 95],
    evaluate: ([ec, hill, top]) => [0.1, 0.3, 1, 5].map((dose) => top! / (1 + (ec! / dose) ** hill!)),
    percent: 3,
  },
  {
    name: 'Langmuir with two sites: loadings at four pressures',
    factors: [0, 1],
    variables: [float(1e-4, 1e1), float(1e-4, 1e1), float(1, 10), float(1, 10)],
    known: [0.8, 0.004, 3, 6],
    evaluate: ([a, b, q, r]) =>
      [0.5, 5, 50, 500].map((p) => (q! * a! * p) / (1 + a! * p) + (r! * b! * p) / (1 + b! * p)),
    percent: 3,
  },
  {
    name: 'Maxwell body: storage and loss modulus at two frequencies',
    factors: [0, 1],
    variables: [float(1e-4, 1e2), float(1e2, 1e7)],
    known: [0.02, 4e4],
    evaluate: ([tau, g]) =>
      [10, 100].flatMap((w) => [
        (g! * (w * tau!) ** 2) / (1 + (w * tau!) ** 2),
        (g! * w * tau!) / (1 + (w * tau!) ** 2),
      ]),
    percent: 2,
  },
  {
    name: 'learning rate and penalty: errors of a ridge descent',
    factors: [0, 1],
    variables: [float(1e-5, 1), float(1e-6, 1e1)],
    known: [0.03, 0.002],
    evaluate: ([rate, penalty]) => {
      const decades = Math.log10(rate! / 0.03);
      const over = Math.log10(penalty! / 0.002);
      return [1 + 0.5 * decades ** 2 + 0.1 * over ** 2, 1 + 0.2 * (over - 0.3 * decades) ** 2];
    },
    percent: 4,
  },
  {
    name: 'diode: currents at three voltages',
    factors: [0, 2],
    variables: [float(1e-14, 1e-8), float(1, 2), float(1e-2, 1e3)],
    known: [3e-11, 1.4, 2.5],
    // Shockley with a resistance in series, by its conductance bound; log10 of the currents in amperes, as meters show them.
    evaluate: ([saturation, ideality, resistance]) =>
      [0.4, 0.6, 0.9].map((v) => {
        const free = saturation! * Math.expm1(v / (ideality! * 0.02585));
        return 20 + Math.log10((free * (v / resistance!)) / (free + v / resistance!));
      }),
    percent: 0.3,
  },
];

const problems = defineProblems(
  'simulators',
  laws.map(({ percent, evaluate, known, variables, name }) => ({
    name,
    source: name,
    variables,
    known,
    start: known,
    objectives: withinPercent(evaluate(known), percent) as Objective[],
    evaluate,
  })),
);

let sum = 0;
for (const [number, problem] of problems.entries()) {
  const runs = { declared: 0, raw: 0 };
  const unsolved = { declared: 0, raw: 0 };
  for (let seed = 1; seed <= seeds; seed++) {
    const started = { ...problem, start: startOf(problem, laws[number]!, seed) };
    for (const kind of ['declared', 'raw'] as const) {
      const played = play(kind === 'raw' ? started : declare(started, laws[number]!), seed);
      if (!played.solved) unsolved[kind]++;
      runs[kind] += Math.log(played.solved ? played.runs : 2 * problem.budget) / seeds;
    }
  }
  sum += runs.declared - runs.raw;
  const shown = { declared: Math.exp(runs.declared), raw: Math.exp(runs.raw) };
  console.log(JSON.stringify({ problem: problem.name, ...shown, ratio: shown.declared / shown.raw, unsolved }));
}
const ratio = Math.exp(sum / problems.length);
console.log(JSON.stringify({ problems: problems.length, seeds, ratio }));
process.exitCode = ratio <= BAR ? 0 : 1;

function declare(problem: Problem, { factors }: Law): Problem {
  const variables = problem.variables.map((one, v) => (factors.includes(v) ? { ...one, isLogarithmic: true } : one));
  return { ...problem, variables };
}

/** An input drawn uniformly, in the logarithm where it varies by factors. */
function startOf({ variables }: Problem, { factors }: Law, seed: number): number[] {
  const random = makeRandom(seed, 12);
  return variables.map(({ minimum, maximum }, v) => {
    const share = random.uniform();
    return factors.includes(v) ? minimum * (maximum / minimum) ** share : minimum + share * (maximum - minimum);
  });
}
