/**
 * Problems whose searches take hundreds of runs: one number with many local minima, or a long valley. The optimum is shifted
 * by the seed of the play, so that no point of the box, such as its centre, is favoured.
 */
import { atMost, floats, minimize, type Objective, type Problem } from '../problems/problem.ts';
import { makeUniform } from '../problems/random.ts';

interface Surface {
  readonly name: string;
  readonly source: string;
  readonly inputs: number;
  readonly range: readonly [number, number];
  /** Largest shift of the optimum, in input units. */
  readonly shift: number;
  readonly value: (x: readonly number[]) => number;
}

const sum = (x: readonly number[], term: (one: number, i: number) => number) =>
  x.reduce((total, one, i) => total + term(one, i), 0);

const wave = (one: number) => Math.cos(2 * Math.PI * one);
const rastrigin = (x: readonly number[]) => sum(x, (one) => one ** 2 - 10 * wave(one) + 10);
const ackley = (x: readonly number[]) =>
  20 -
  20 * Math.exp(-0.2 * Math.sqrt(sum(x, (one) => one ** 2) / x.length)) +
  Math.E -
  Math.exp(sum(x, wave) / x.length);
export const rosenbrock = (x: readonly number[]) =>
  sum(x.slice(1), (one, i) => 100 * (one - x[i]! ** 2) ** 2 + (1 - x[i]!) ** 2);
const schwefel = (x: readonly number[]) =>
  418.9828873 * x.length - sum(x, (one) => one * Math.sin(Math.sqrt(Math.abs(one))));
function levy(x: readonly number[]): number {
  const w = x.map((one) => 1 + (one - 1) / 4);
  const last = w.at(-1)!;
  const middle = sum(w.slice(0, -1), (one) => (one - 1) ** 2 * (1 + 10 * Math.sin(Math.PI * one + 1) ** 2));
  return Math.sin(Math.PI * w[0]!) ** 2 + middle + (last - 1) ** 2 * (1 + Math.sin(2 * Math.PI * last) ** 2);
}

const source = (author: string) => `${author}; Surjanovic, Bingham, Virtual Library of Simulation Experiments`;

const surfaces: readonly Surface[] = [
  {
    name: 'rastrigin-10',
    source: source('Rastrigin (1974)'),
    inputs: 10,
    range: [-5.12, 5.12],
    shift: 2,
    value: rastrigin,
  },
  {
    name: 'rastrigin-4',
    source: source('Rastrigin (1974)'),
    inputs: 4,
    range: [-5.12, 5.12],
    shift: 2,
    value: rastrigin,
  },
  {
    name: 'ackley-10',
    source: source('Ackley (1987)'),
    inputs: 10,
    range: [-32.768, 32.768],
    shift: 12,
    value: ackley,
  },
  {
    name: 'rosenbrock-20',
    source: source('Rosenbrock (1960)'),
    inputs: 20,
    range: [-5, 10],
    shift: 1,
    value: rosenbrock,
  },
  { name: 'levy-8', source: source('Laguna, Marti (2005)'), inputs: 8, range: [-10, 10], shift: 3, value: levy },
  { name: 'schwefel-6', source: source('Schwefel (1981)'), inputs: 6, range: [-500, 500], shift: 0, value: schwefel },
];

/** The shift of a seed, the same for every solver. */
function shiftOf({ inputs, shift }: Surface, seed: number): number[] {
  const uniform = makeUniform(7919 * seed + inputs);
  return Array.from({ length: inputs }, () => shift * (2 * uniform() - 1));
}

function toProblem(surface: Surface, form: string, objective: Objective): Problem {
  const { name, source, inputs, range, value } = surface;
  return {
    name: `${name}-${form}`,
    family: 'minimize-maximize',
    source,
    variables: floats(inputs, ...range),
    objectives: [objective],
    desiredL1Norm: 0,
    convergence: 1e-6,
    start: Array.from(
      { length: inputs },
      (_, i) => range[0] + (range[1] - range[0]) * (0.25 + 0.5 * ((i * 0.618) % 1)),
    ),
    budget: 500,
    known: Array.from({ length: inputs }, () => 0),
    noisy: false,
    evaluate: (x, { seed }) => {
      const shift = shiftOf(surface, seed);
      return [value(x.map((one, i) => one - shift[i]!))];
    },
  };
}

/** Each surface twice: as a number to minimize towards zero, and as one that is to be nearly zero. */
export const longProblems: readonly Problem[] = surfaces.flatMap((surface) => [
  toProblem(surface, 'minimize', minimize(0)),
  toProblem(surface, 'limit', atMost(1e-3)),
]);
