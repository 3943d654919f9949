/** Problems with one output to minimize or maximize whose best value is known. */
import { branin, goldsteinPrice, hartmann, hartmann3, sixHumpCamel } from '../problems/minimize-maximize.ts';
import { atLeast, atMost, float, floats, integer, type Objective, type Problem } from '../problems/problem.ts';
import { rosenbrock } from './long-problems.ts';

export interface KnownOptimum extends Pick<Problem, 'name' | 'source' | 'variables' | 'start' | 'evaluate'> {
  readonly direction: 'minimize' | 'maximize';
  /** The best value of the first output within all limits. */
  readonly optimum: number;
  /** Limits of the other outputs. */
  readonly limits: readonly Objective[];
}

const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);

/** None is in the collection. */
export const knownOptima: readonly KnownOptimum[] = [
  {
    name: 'shifted-bowl-3',
    source: 'A quadratic bowl with axes of different steepness and an offset of 4',
    variables: floats(3, -3, 5),
    start: [4, -2, 3],
    direction: 'minimize',
    optimum: 4,
    limits: [],
    evaluate: ([a, b, c]) => [
      4 + (a! - 1.2) ** 2 + 5 * (b! + 0.7) ** 2 + 20 * (c! - 2.1) ** 2 + (a! - 1.2) * (b! + 0.7),
    ],
  },
  {
    name: 'booth-plus',
    source: 'Booth, with an offset of 10',
    variables: floats(2, -10, 10),
    start: [-5, -5],
    direction: 'minimize',
    optimum: 10,
    limits: [],
    evaluate: ([x, y]) => [10 + (x! + 2 * y! - 7) ** 2 + (2 * x! + y! - 5) ** 2],
  },
  {
    name: 'trid-5',
    source: 'Trid in five inputs (Surjanovic and Bingham)',
    variables: floats(5, -25, 25),
    start: [0, 0, 0, 0, 0],
    direction: 'minimize',
    optimum: -30,
    limits: [],
    evaluate: (x) => [sum(x.map((one) => (one - 1) ** 2)) - sum(x.slice(1).map((one, i) => one * x[i]!))],
  },
  {
    name: 'colville-plus',
    source: 'Colville: a curved valley in four inputs, with an offset of 50',
    variables: floats(4, -2, 2),
    start: [-1, 0.5, -1, 0.5],
    direction: 'minimize',
    optimum: 50,
    limits: [],
    evaluate: ([a, b, c, d]) => [
      50 +
        100 * (a! * a! - b!) ** 2 +
        (a! - 1) ** 2 +
        (c! - 1) ** 2 +
        90 * (c! * c! - d!) ** 2 +
        10.1 * ((b! - 1) ** 2 + (d! - 1) ** 2) +
        19.8 * (b! - 1) * (d! - 1),
    ],
  },
  {
    name: 'easom-like-ridge',
    source: 'A single smooth peak of height 7 on a slope that vanishes there',
    variables: floats(2, -4, 4),
    start: [-3, 3],
    direction: 'maximize',
    optimum: 7,
    limits: [],
    evaluate: ([x, y]) => [7 / (1 + 0.3 * (x! - 1.5) ** 2 + 0.6 * (y! + 0.8) ** 2 + 0.2 * (x! - 1.5) * (y! + 0.8))],
  },
  {
    name: 'rosen-suzuki',
    source: 'Hock and Schittkowski (1981), problem 43',
    variables: floats(4, -4, 4),
    start: [0, 0, 0, 0],
    direction: 'minimize',
    optimum: -44,
    limits: [atMost(8), atMost(10), atMost(5)],
    evaluate: ([a, b, c, d]) => [
      a! ** 2 + b! ** 2 + 2 * c! ** 2 + d! ** 2 - 5 * a! - 5 * b! - 21 * c! + 7 * d!,
      a! ** 2 + b! ** 2 + c! ** 2 + d! ** 2 + a! - b! + c! - d!,
      a! ** 2 + 2 * b! ** 2 + c! ** 2 + 2 * d! ** 2 - a! - d!,
      2 * a! ** 2 + b! ** 2 + c! ** 2 + 2 * a! - b! - d!,
    ],
  },
  {
    name: 'hs-71',
    source: 'Hock and Schittkowski (1981), problem 71, its equation as the limit that is active',
    variables: floats(4, 1, 5),
    start: [1, 5, 5, 1],
    direction: 'minimize',
    optimum: 17.0140173,
    limits: [atLeast(25), atMost(40)],
    evaluate: ([a, b, c, d]) => [
      a! * d! * (a! + b! + c!) + c!,
      a! * b! * c! * d!,
      a! ** 2 + b! ** 2 + c! ** 2 + d! ** 2,
    ],
  },
  {
    name: 'three-bar-truss',
    source: 'Nowacki (1974): the weight of a truss of three bars',
    variables: floats(2, 0.05, 1),
    start: [0.9, 0.9],
    direction: 'minimize',
    optimum: 263.895843,
    limits: [atMost(2), atMost(2), atMost(2)],
    evaluate: ([a, b]) => {
      const root = Math.SQRT2;
      const below = root * a! * a! + 2 * a! * b!;
      return [(2 * root * a! + b!) * 100, (2 * (root * a! + b!)) / below, (2 * b!) / below, 2 / (root * b! + a!)];
    },
  },
  {
    name: 'tubular-column',
    source: 'Rao (1996): the cost of a column under compression',
    variables: [float(2, 14), float(0.2, 0.8)],
    start: [12, 0.7],
    direction: 'minimize',
    optimum: 26.486361,
    limits: [atMost(1), atMost(1)],
    evaluate: ([d, t]) => [
      9.8 * d! * t! + 2 * d!,
      2500 / (Math.PI * d! * t! * 500),
      (8 * 2500 * 250 ** 2) / (Math.PI ** 3 * 0.85e6 * d! * t! * (d! ** 2 + t! ** 2)),
    ],
  },
  {
    name: 'stepped-cantilever',
    source: 'Svanberg (1987): the weight of a cantilever of five hollow squares',
    variables: floats(5, 1, 10),
    start: [8, 8, 8, 8, 8],
    direction: 'minimize',
    optimum: 1.339956,
    limits: [atMost(1)],
    evaluate: (x) => [0.0624 * sum(x), sum([61, 37, 19, 7, 1].map((weight, i) => weight / x[i]! ** 3))],
  },
  {
    name: 'gas-compressor',
    source: 'Beightler and Phillips (1976): the cost of a gas transmission compressor',
    variables: [float(20, 50), float(1, 10), float(20, 50), float(0.1, 60)],
    start: [35, 5, 35, 30],
    direction: 'minimize',
    optimum: 2964895.417,
    limits: [atMost(1)],
    evaluate: ([l, r, d, y]) => [
      (8.61e5 * Math.sqrt(l!) * r! * d! ** (-2 / 3)) / Math.sqrt(y!) +
        3.69e4 * d! +
        (7.72e8 * r! ** 0.219) / l! -
        765.43e6 / l!,
      y! / r! ** 2 + 1 / r! ** 2,
    ],
  },
  {
    name: 'batch-yield',
    source: 'Levenspiel (1999): the most of an intermediate of A to B to C, by time and temperature',
    variables: [float(0.2, 12), float(290, 370)],
    start: [2, 300],
    direction: 'maximize',
    optimum: 76.5675094,
    limits: [],
    evaluate: ([t, temperature]) => {
      const k1 = 0.6 * Math.exp(4000 * (1 / 330 - 1 / temperature!));
      const k2 = 0.15 * Math.exp(7000 * (1 / 330 - 1 / temperature!));
      return [(100 * k1 * (Math.exp(-k1 * t!) - Math.exp(-k2 * t!))) / (k2 - k1)];
    },
  },
  {
    name: 'tin-with-teeth',
    source: 'The steel in a tin of 350 ml, with a whole number of beads that stiffen it',
    variables: [float(25, 60), float(50, 180), integer(0, 6)],
    start: [55, 150, 5],
    direction: 'minimize',
    optimum: 303.86234,
    limits: [atLeast(350), atLeast(1)],
    evaluate: ([r, h, beads]) => [
      (2 * Math.PI * r! * r! * 1.2 + 2 * Math.PI * r! * h! * (1 + 0.03 * beads!)) / 100,
      (Math.PI * r! * r! * h!) / 1000,
      ((1 + 0.5 * beads!) * 40) / h!,
    ],
  },
  {
    name: 'price-and-spend',
    source: 'A year of a product: price, advertising and stock; the profit with enough stock and a limited budget',
    variables: [float(5, 40), float(0, 30), float(10, 200)],
    start: [30, 5, 40],
    direction: 'maximize',
    optimum: 41.2021165,
    limits: [atMost(12), atMost(150)],
    evaluate: ([price, spend, stock]) => {
      const demand = 160 * Math.exp(-price! / 16) * (1 + 0.9 * (1 - Math.exp(-spend! / 8)));
      const sold = stock! - 4 * Math.log1p(Math.exp((stock! - demand) / 4));
      return [(sold * (price! - 6)) / 20 - 0.6 * spend! - 0.08 * stock!, spend! + 0.02 * stock!, stock!];
    },
  },
];

/** Without limits in two and three inputs: valleys and several minima, most of them functions of the collection. */
export const fewInputs: readonly KnownOptimum[] = [
  {
    name: 'rosenbrock-plus-2',
    source: 'Rosenbrock: a curved valley in two inputs, with an offset of 3',
    variables: floats(2, -5, 5),
    start: [-2, 2],
    direction: 'minimize',
    optimum: 3,
    limits: [],
    evaluate: (x) => [3 + rosenbrock(x)],
  },
  {
    name: 'rosenbrock-minus-3',
    source: 'Rosenbrock in three inputs, with an offset of -10',
    variables: floats(3, -2, 2),
    start: [-1, 1, -1],
    direction: 'minimize',
    optimum: -10,
    limits: [],
    evaluate: (x) => [-10 + rosenbrock(x)],
  },
  {
    name: 'beale-plus',
    source: 'Beale, with an offset of 2',
    variables: floats(2, -4.5, 4.5),
    start: [1, 1],
    direction: 'minimize',
    optimum: 2,
    limits: [],
    evaluate: ([x, y]) => [
      2 + (1.5 - x! + x! * y!) ** 2 + (2.25 - x! + x! * y! ** 2) ** 2 + (2.625 - x! + x! * y! ** 3) ** 2,
    ],
  },
  {
    name: 'branin',
    source: 'Branin (Surjanovic and Bingham)',
    variables: [float(-5, 10), float(0, 15)],
    start: [0, 5],
    direction: 'minimize',
    optimum: 0.39788735772973816,
    limits: [],
    evaluate: ([x, y]) => [branin(x!, y!)],
  },
  {
    name: 'six-hump-camel',
    source: 'Six-hump camel (Surjanovic and Bingham)',
    variables: [float(-3, 3), float(-2, 2)],
    start: [0, 1],
    direction: 'minimize',
    optimum: -1.0316284534898774,
    limits: [],
    evaluate: ([x, y]) => [sixHumpCamel(x!, y!)],
  },
  {
    name: 'goldstein-price',
    source: 'Goldstein and Price (Surjanovic and Bingham)',
    variables: floats(2, -2, 2),
    start: [1, 1],
    direction: 'minimize',
    optimum: 3,
    limits: [],
    evaluate: ([x, y]) => [goldsteinPrice(x!, y!)],
  },
  {
    name: 'hartmann-3',
    source: 'Hartmann in three inputs (Surjanovic and Bingham), to maximize',
    variables: floats(3, 0, 1),
    start: [0.5, 0.5, 0.5],
    direction: 'maximize',
    optimum: 3.86278214782076,
    limits: [],
    evaluate: (x) => [-hartmann(hartmann3, x)],
  },
];
