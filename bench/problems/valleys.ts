/**
 * One number to make small, in a curved valley or among many dips: the functions of textbooks in one to ten inputs, each in any
 * number of instances that differ by where the solution lies in the box, by the units of the inputs and of the number, by the start,
 * and by the goal, a number to minimize with an aspiration or a limit. They stand apart from the collection.
 */
import { atMost, float, minimize, type Problem } from './problem.ts';
import { makeUniform } from './random.ts';

interface Valley {
  readonly source: string;
  /** Bounds of the published box, per input or for all. */
  readonly box: readonly (readonly [number, number])[];
  readonly solution: readonly number[];
  /** Above the least value, which counts as reached. */
  readonly enough: number;
  readonly budget: number;
  readonly f: (z: readonly number[]) => number;
}

const cube = (n: number, lower: number, upper: number): [number, number][] =>
  Array.from({ length: n }, () => [lower, upper]);
const fill = (n: number, value: number): number[] => new Array<number>(n).fill(value);
const sum = (terms: readonly number[]): number => terms.reduce((total, term) => total + term, 0);

const rosenbrock = (n: number, budget: number): Valley => ({
  source: 'Rosenbrock 1960, extended as in Shang and Qiu 2006',
  box: cube(n, -2.048, 2.048),
  solution: fill(n, 1),
  enough: 0.01,
  budget,
  f: (z) => sum(z.slice(1).map((next, i) => 100 * (next - z[i]! ** 2) ** 2 + (1 - z[i]!) ** 2)),
});

const styblinski = (n: number, budget: number): Valley => ({
  source: 'Styblinski and Tang 1990',
  box: cube(n, -5, 5),
  solution: fill(n, -2.903534),
  enough: 0.1,
  budget,
  f: (z) => sum(z.map((value) => (value ** 4 - 16 * value * value + 5 * value) / 2 + 39.16616570377142)),
});

const levy = (n: number, budget: number): Valley => ({
  source: 'Laguna and Martí 2005, Levy',
  box: cube(n, -10, 10),
  solution: fill(n, 1),
  enough: 0.05,
  budget,
  f: (z) => {
    const w = z.map((value) => 1 + (value - 1) / 4);
    const last = w.at(-1)!;
    const terms = w.slice(0, -1).map((one) => (one - 1) ** 2 * (1 + 10 * Math.sin(Math.PI * one + 1) ** 2));
    return Math.sin(Math.PI * w[0]!) ** 2 + sum(terms) + (last - 1) ** 2 * (1 + Math.sin(2 * Math.PI * last) ** 2);
  },
});

/** Misfit of a sum of two decays to data, with their amplitudes and the logarithms of their rates. */
function twoExponentials(): Valley {
  const times = Array.from({ length: 15 }, (_, i) => 0.2 + 0.4 * i);
  const model = ([a, b, p, q]: readonly number[]) =>
    times.map((t) => a! * Math.exp(-Math.exp(p!) * t) + b! * Math.exp(-Math.exp(q!) * t));
  const solution = [2, 3, Math.log(0.3), Math.log(2)];
  const data = model(solution);
  return {
    source: 'Lanczos 1956, Applied Analysis, section 4.23',
    box: [
      [0, 5],
      [0, 6],
      [Math.log(0.05), Math.log(1)],
      [Math.log(1), Math.log(8)],
    ],
    solution,
    enough: 1e-3,
    budget: 300,
    f: (z) => sum(model(z).map((y, i) => (y - data[i]!) ** 2)),
  };
}

const weighted = (z: readonly number[]) => sum(z.map((value, i) => 0.5 * (i + 1) * value));

const VALLEYS: Readonly<Record<string, Valley>> = {
  'rosenbrock-5': rosenbrock(5, 500),
  'rosenbrock-10': rosenbrock(10, 900),
  'two-exponentials': twoExponentials(),
  'zakharov-3': {
    source: 'Surjanovic and Bingham, Virtual Library of Simulation Experiments, Zakharov',
    box: cube(3, -5, 10),
    solution: fill(3, 0),
    enough: 0.01,
    budget: 300,
    f: (z) => sum(z.map((value) => value * value)) + weighted(z) ** 2 + weighted(z) ** 4,
  },
  'styblinski-3': styblinski(3, 300),
  'styblinski-5': styblinski(5, 400),
  'griewank-5': {
    source: 'Griewank 1981',
    box: cube(5, -600, 600),
    solution: fill(5, 0),
    enough: 0.95,
    budget: 300,
    f: (z) =>
      sum(z.map((value) => value * value)) / 4000 -
      z.reduce((product, value, i) => product * Math.cos(value / Math.sqrt(i + 1)), 1) +
      1,
  },
  'levy-3': levy(3, 300),
  'levy-5': levy(5, 400),
  'ackley-5': {
    source: 'Ackley 1987',
    box: cube(5, -15, 30),
    solution: fill(5, 0),
    enough: 0.5,
    budget: 400,
    f: (z) =>
      20 -
      20 * Math.exp(-0.2 * Math.sqrt(sum(z.map((value) => value * value)) / z.length)) +
      Math.E -
      Math.exp(sum(z.map((value) => Math.cos(2 * Math.PI * value))) / z.length),
  },
  'dixon-price-6': {
    source: 'Dixon and Price 1989',
    box: cube(6, -10, 10),
    solution: Array.from({ length: 6 }, (_, i) => 2 ** -(1 - 2 ** -i)),
    enough: 0.05,
    budget: 500,
    f: (z) => (z[0]! - 1) ** 2 + sum(z.slice(1).map((next, i) => (i + 2) * (2 * next * next - z[i]!) ** 2)),
  },
  'wood-4': {
    source: 'Moré, Garbow and Hillstrom 1981, problem 14',
    box: cube(4, -3, 3),
    solution: fill(4, 1),
    enough: 0.01,
    budget: 400,
    f: ([a, b, c, d]) =>
      100 * (b! - a! ** 2) ** 2 +
      (1 - a!) ** 2 +
      90 * (d! - c! ** 2) ** 2 +
      (1 - c!) ** 2 +
      10.1 * ((b! - 1) ** 2 + (d! - 1) ** 2) +
      19.8 * (b! - 1) * (d! - 1),
  },
  'powell-8': {
    source: 'Moré, Garbow and Hillstrom 1981, problem 22 (extended Powell singular function)',
    box: cube(8, -4, 5),
    solution: fill(8, 0),
    enough: 0.01,
    budget: 600,
    f: (z) =>
      sum(
        [0, 4].map(
          (k) =>
            (z[k]! + 10 * z[k + 1]!) ** 2 +
            5 * (z[k + 2]! - z[k + 3]!) ** 2 +
            (z[k + 1]! - 2 * z[k + 2]!) ** 4 +
            10 * (z[k]! - z[k + 3]!) ** 4,
        ),
      ),
  },
};

/** The classes whose bars are stated; the others serve to choose and to check. */
export const VALLEY_CLASSES = Object.keys(VALLEYS);

/** Instance `number` of a class. Its name is `valley:<class>:<number>`. */
export function valley(kind: string, number: number): Problem {
  const { source, box, solution, enough, budget, f } = VALLEYS[kind]!;
  const uniform = makeUniform(7919 * number + 104_729 * kind.length + 31 * kind.charCodeAt(0));
  const between = (a: number, b: number) => a + uniform() * (b - a);
  // z = shift + x * unit; the box of x is that of z, moved by up to a tenth.
  const units = box.map(() => 10 ** between(-1.5, 1.5));
  const moved = box.map(([lower, upper]) => {
    const by = between(-0.1, 0.1) * (upper - lower);
    return [lower + by, upper + by] as const;
  });
  const offsets = box.map(() => between(-3, 3));
  const toX = (z: number, v: number) => (z - offsets[v]!) / units[v]!;
  const scale = 10 ** between(-2, 2);
  // Every other pair of instances does not have the least value 0.
  const least = number % 4 < 2 ? 0 : scale * between(-20, 20);
  const limit = least + scale * enough;
  const start = moved.map(([lower, upper], v) =>
    toX(between(lower + 0.1 * (upper - lower), upper - 0.1 * (upper - lower)), v),
  );
  return {
    name: `valley:${kind}:${number}`,
    family: 'minimize-maximize',
    source,
    variables: moved.map(([lower, upper], v) => float(toX(lower, v), toX(upper, v))),
    objectives: [number % 2 === 0 ? minimize(limit) : atMost(limit)],
    desiredL1Norm: 0,
    convergence: 1e-6,
    budget,
    start,
    known: solution.map(toX),
    noisy: false,
    evaluate: (x) => [least + scale * f(x.map((value, v) => offsets[v]! + value * units[v]!))],
  };
}

/** The instance with this name, null for other names. */
export function valleyNamed(name: string): Problem | null {
  const [prefix, kind, number] = name.split(':');
  return prefix === 'valley' && kind !== undefined && kind in VALLEYS ? valley(kind, Number(number)) : null;
}
