/**
 * One output to minimize or maximize towards an aspiration near the published optimum, often under constraints stated
 * as further outputs. "G" numbers are those of Michalewicz, Schoenauer (1996) and of the CEC 2006 collection.
 */
import { pressureVessel, speedReducer, spring, weldedBeam } from './engineering.ts';
import { atLeast, atMost, defineProblems, float, floats, maximize, minimize } from './problem.ts';

const collection = (number: string) => `Liang et al. (2006), CEC 2006 constrained problems, ${number}`;
const surface = (author: string) => `${author}; Surjanovic, Bingham, Virtual Library of Simulation Experiments`;
const atMostZero = (count: number) => Array.from({ length: count }, () => atMost(0));

export const hartmann3 = {
  A: [
    [3, 10, 30],
    [0.1, 10, 35],
    [3, 10, 30],
    [0.1, 10, 35],
  ],
  P: [
    [0.3689, 0.117, 0.2673],
    [0.4699, 0.4387, 0.747],
    [0.1091, 0.8732, 0.5547],
    [0.0381, 0.5743, 0.8828],
  ],
};
const hartmann6 = {
  A: [
    [10, 3, 17, 3.5, 1.7, 8],
    [0.05, 10, 17, 0.1, 8, 14],
    [3, 3.5, 1.7, 10, 17, 8],
    [17, 8, 0.05, 10, 0.1, 14],
  ],
  P: [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
  ],
};

export function hartmann({ A, P }: { A: number[][]; P: number[][] }, x: readonly number[]): number {
  const heights = [1, 1.2, 3, 3.2];
  return -heights.reduce((total, height, i) => {
    const distance = x.reduce((square, value, j) => square + A[i]![j]! * (value - P[i]![j]!) ** 2, 0);
    return total + height * Math.exp(-distance);
  }, 0);
}

export function branin(a: number, b: number): number {
  const valley = b - (5.1 / (4 * Math.PI ** 2)) * a * a + (5 / Math.PI) * a - 6;
  return valley ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(a) + 10;
}

function ackley(x: readonly number[]): number {
  const square = x.reduce((total, value) => total + value * value, 0) / x.length;
  const wave = x.reduce((total, value) => total + Math.cos(2 * Math.PI * value), 0) / x.length;
  return -20 * Math.exp(-0.2 * Math.sqrt(square)) - Math.exp(wave) + 20 + Math.E;
}

export function goldsteinPrice(a: number, b: number): number {
  const first = 1 + (a + b + 1) ** 2 * (19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b);
  const second = 30 + (2 * a - 3 * b) ** 2 * (18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b);
  return first * second;
}

export function sixHumpCamel(a: number, b: number): number {
  return (4 - 2.1 * a ** 2 + a ** 4 / 3) * a ** 2 + a * b + (4 * b ** 2 - 4) * b ** 2;
}

function g04([a, b, c, d, e]: readonly number[]): number[] {
  const u = 85.334407 + 0.0056858 * b! * e! + 0.0006262 * a! * d! - 0.0022053 * c! * e!;
  const v = 80.51249 + 0.0071317 * b! * e! + 0.0029955 * a! * b! + 0.0021813 * c! * c!;
  const w = 9.300961 + 0.0047026 * c! * e! + 0.0012547 * a! * c! + 0.0019085 * c! * d!;
  const cost = 5.3578547 * c! * c! + 0.8356891 * a! * e! + 37.293239 * a! - 40792.141;
  return [cost, u - 92, -u, v - 110, 90 - v, w - 25, 20 - w];
}

function g07(x: readonly number[]): number[] {
  const [a, b, c, d, e, f, g, h, i, j] = x as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return [
    a * a +
      b * b +
      a * b -
      14 * a -
      16 * b +
      (c - 10) ** 2 +
      4 * (d - 5) ** 2 +
      (e - 3) ** 2 +
      2 * (f - 1) ** 2 +
      5 * g * g +
      7 * (h - 11) ** 2 +
      2 * (i - 10) ** 2 +
      (j - 7) ** 2 +
      45,
    -105 + 4 * a + 5 * b - 3 * g + 9 * h,
    10 * a - 8 * b - 17 * g + 2 * h,
    -8 * a + 2 * b + 5 * i - 2 * j - 12,
    3 * (a - 2) ** 2 + 4 * (b - 3) ** 2 + 2 * c * c - 7 * d - 120,
    5 * a * a + 8 * b + (c - 6) ** 2 - 2 * d - 40,
    a * a + 2 * (b - 2) ** 2 - 2 * a * b + 14 * e - 6 * f,
    0.5 * (a - 8) ** 2 + 2 * (b - 4) ** 2 + 3 * e * e - f - 30,
    -3 * a + 6 * b + 12 * (i - 8) ** 2 - 7 * j,
  ];
}

function g09(x: readonly number[]): number[] {
  const [a, b, c, d, e, f, g] = x as [number, number, number, number, number, number, number];
  return [
    (a - 10) ** 2 +
      5 * (b - 12) ** 2 +
      c ** 4 +
      3 * (d - 11) ** 2 +
      10 * e ** 6 +
      7 * f * f +
      g ** 4 -
      4 * f * g -
      10 * f -
      8 * g,
    -127 + 2 * a * a + 3 * b ** 4 + c + 4 * d * d + 5 * e,
    -282 + 7 * a + 3 * b + 10 * c * c + d - e,
    -196 + 23 * a + b * b + 6 * f * f - 8 * g,
    4 * a * a + b * b - 3 * a * b + 2 * c * c + 5 * f - 11 * g,
  ];
}

function g10(x: readonly number[]): number[] {
  const [a, b, c, d, e, f, g, h] = x as [number, number, number, number, number, number, number, number];
  return [
    a + b + c,
    -1 + 0.0025 * (d + f),
    -1 + 0.0025 * (e + g - d),
    -1 + 0.01 * (h - e),
    (-a * f + 833.33252 * d + 100 * a - 83333.333) / 1e4,
    (-b * g + 1250 * e + b * d - 1250 * d) / 1e4,
    (-c * h + 1250000 + c * e - 2500 * e) / 1e4,
  ];
}

/**
 * Alkylation unit: olefin feed (barrels per day), isobutane to olefin ratio, acid strength in percent; the remaining
 * flows follow from the balances.
 *
 * @returns profit ($ per day), isobutane recycle and makeup, octane number, acid addition, acid dilution factor
 */
function alkylation([feed, ratio, strength]: readonly number[]): number[] {
  const alkylate = feed! * (1.12 + 0.13167 * ratio! - 0.00667 * ratio! ** 2);
  const makeup = 1.22 * alkylate - feed!;
  const recycle = ratio! * feed! - makeup;
  const octane = 86.35 + 1.098 * ratio! - 0.038 * ratio! ** 2 + 0.325 * (strength! - 89);
  const dilution = 35.82 - 0.222 * (3 * octane - 133);
  const acid = (alkylate * dilution * strength!) / (98000 - 1000 * strength!);
  const profit = 0.063 * alkylate * octane - 5.04 * feed! - 0.035 * recycle - 10 * acid - 3.36 * makeup;
  return [profit, recycle, makeup, octane, acid, dilution];
}

export const minimizeMaximizeProblems = defineProblems('minimize-maximize', [
  {
    name: 'branin',
    source: surface('Dixon, Szego (1978)'),
    variables: [float(-5, 10), float(0, 15)],
    objectives: [minimize(0.42)],
    start: [6, 12],
    known: [Math.PI, 2.275],
    evaluate: ([a, b]) => [branin(a!, b!)],
  },
  {
    name: 'goldstein-price',
    source: surface('Goldstein, Price (1971)'),
    variables: floats(2, -2, 2),
    objectives: [minimize(3.5)],
    start: [1.4, 1.2],
    known: [0, -1],
    evaluate: ([a, b]) => [goldsteinPrice(a!, b!)],
  },
  {
    name: 'six-hump-camel',
    source: surface('Dixon, Szego (1978)'),
    variables: [float(-2.5, 3), float(-1.5, 2)],
    objectives: [minimize(-1)],
    start: [-2, 1.5],
    known: [0.0898, -0.7126],
    evaluate: ([a, b]) => [sixHumpCamel(a!, b!)],
  },
  {
    name: 'hartmann-3',
    source: surface('Hartman (1973)'),
    variables: floats(3, 0, 1),
    objectives: [minimize(-3.8)],
    start: [0.9, 0.1, 0.2],
    known: [0.114614, 0.555649, 0.852547],
    evaluate: (x) => [hartmann(hartmann3, x)],
  },
  {
    name: 'hartmann-6',
    source: surface('Hartman (1973)'),
    variables: floats(6, 0, 1),
    objectives: [minimize(-3.22)],
    start: [0.8, 0.8, 0.2, 0.8, 0.8, 0.2],
    known: [0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573],
    evaluate: (x) => [hartmann(hartmann6, x)],
  },
  {
    name: 'ackley-4',
    source: surface('Ackley (1987)'),
    variables: floats(4, -6, 9),
    objectives: [minimize(1)],
    start: [5.5, -3.5, 7.5, -2.5],
    known: [0, 0, 0, 0],
    evaluate: (x) => [ackley(x)],
  },
  {
    name: 'rosenbrock-valley-3',
    source: 'Rosenbrock (1960), summed over three inputs, one output',
    variables: floats(3, -2, 2.5),
    objectives: [minimize(0.1)],
    start: [-1.2, 1, -1],
    known: [1, 1, 1],
    evaluate: ([a, b, c]) => [100 * (b! - a! ** 2) ** 2 + (1 - a!) ** 2 + 100 * (c! - b! ** 2) ** 2 + (1 - b!) ** 2],
  },
  {
    name: 'g04-himmelblau',
    source: collection('G04'),
    variables: [float(78, 102), float(33, 45), ...floats(3, 27, 45)],
    objectives: [minimize(-30600), ...atMostZero(6)],
    start: [90, 39, 36, 36, 36],
    known: [78, 33, 30.01, 45, 36.77],
    evaluate: g04,
  },
  {
    name: 'g06-cubic',
    source: collection('G06'),
    variables: [float(13, 100), float(0, 100)],
    objectives: [minimize(-6900), ...atMostZero(2)],
    start: [20.1, 5.84],
    known: [14.1207, 0.8965078],
    evaluate: ([a, b]) => [
      (a! - 10) ** 3 + (b! - 20) ** 3,
      100 - (a! - 5) ** 2 - (b! - 5) ** 2,
      (a! - 6) ** 2 + (b! - 5) ** 2 - 82.81,
    ],
  },
  {
    name: 'g07-ten-inputs',
    source: collection('G07'),
    variables: floats(10, -10, 10),
    objectives: [minimize(25.3), ...atMostZero(8)],
    start: [2, 3, 5, 5, 1, 2, 7, 3, 6, 10].map((value) => value / 2),
    known: [2.1668, 2.3644, 8.7704, 5.0944, 0.9863, 1.4328, 1.3229, 9.8261, 8.2682, 8.3866],
    evaluate: g07,
  },
  {
    name: 'g08-maximum',
    source: collection('G08'),
    variables: floats(2, 0.1, 10),
    objectives: [maximize(0.09), ...atMostZero(2)],
    start: [3, 6],
    known: [1.2279713, 4.2453733],
    evaluate: ([a, b]) => [
      (Math.sin(2 * Math.PI * a!) ** 3 * Math.sin(2 * Math.PI * b!)) / (a! ** 3 * (a! + b!)),
      a! ** 2 - b! + 1,
      1 - a! + (b! - 4) ** 2,
    ],
  },
  {
    name: 'g09-seven-inputs',
    source: collection('G09'),
    variables: floats(7, -10, 10),
    objectives: [minimize(700), ...atMostZero(4)],
    start: [1, 2, 0, 4, 0, 1, 1],
    known: [2.33, 1.951, -0.4775, 4.365, -0.6245, 1.038, 1.594],
    evaluate: g09,
  },
  {
    name: 'g10-heat-exchangers',
    source: `${collection('G10')}; the three bilinear constraints divided by 10000`,
    variables: [float(100, 10000), ...floats(2, 1000, 10000), ...floats(5, 10, 1000)],
    objectives: [minimize(7300), ...atMostZero(6)],
    start: [5000, 5000, 5000, 200, 350, 150, 225, 425],
    known: [589.3783, 1416.2, 5279.688, 179.0253, 293.1342, 219.6717, 284.3718, 391.9457],
    evaluate: g10,
  },
  {
    name: 'welded-beam-cost',
    source: 'Ragsdell, Phillips (1976); Deb (2000)',
    variables: [float(0.1, 2), float(0.1, 10), float(0.1, 10), float(0.1, 2)],
    objectives: [minimize(1.76), atMost(13600), atMost(30000), atMost(0), atMost(0.25), atLeast(6000)],
    start: [1, 5, 5, 1],
    known: [0.2055, 3.49, 9.05, 0.2062],
    evaluate: weldedBeam,
  },
  {
    name: 'pressure-vessel-cost',
    source: 'Sandgren (1990), continuous thicknesses',
    variables: [float(0.0625, 6), float(0.0625, 6), float(10, 200), float(10, 240)],
    objectives: [minimize(5930), atLeast(0), atLeast(0), atLeast(1296000)],
    start: [2, 2, 80, 80],
    known: [0.7785, 0.3849, 40.33, 199.99],
    evaluate: pressureVessel,
  },
  {
    name: 'spring-weight',
    source: 'Arora (1989); Belegundu (1982)',
    variables: [float(0.05, 0.2), float(0.25, 1.3), float(2, 15)],
    objectives: [minimize(0.0128), ...atMostZero(4)],
    start: [0.1, 0.6, 8],
    known: [0.0517, 0.3568, 11.3],
    evaluate: spring,
  },
  {
    name: 'speed-reducer-weight',
    source: 'Golinski (1970), continuous teeth',
    variables: [
      float(2.6, 3.6),
      float(0.7, 0.8),
      float(17, 28),
      float(7.3, 8.3),
      float(7.3, 8.3),
      float(2.9, 3.9),
      float(5, 5.5),
    ],
    objectives: [minimize(3005), ...atMostZero(11)],
    start: [3.1, 0.75, 22, 7.8, 7.8, 3.4, 5.25],
    known: [3.5002, 0.70002, 17.0002, 7.32, 7.72, 3.3505, 5.287],
    evaluate: speedReducer,
  },
  {
    name: 'alkylation-profit',
    source: 'Bracken, McCormick (1968), Selected applications of nonlinear programming; balances solved forward',
    variables: [float(500, 2000), float(3, 12), float(85, 93)],
    objectives: [maximize(1100), atMost(16000), atMost(2000), atMost(95), atMost(120), atLeast(1.2)],
    start: [800, 5, 87],
    known: [1693.3, 10.43, 90.63],
    evaluate: alkylation,
  },
]);
