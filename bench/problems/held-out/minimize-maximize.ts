/** One output towards an aspiration near the published optimum, often under constraints stated as further outputs. */
import { atMost, defineProblems, float, floats, maximize, minimize, within } from '../problem.ts';
import { integrate } from '../runge-kutta.ts';

const collection = (number: string) => `Liang et al. (2006), CEC 2006 constrained problems, ${number}`;
const surface = (author: string) => `${author}; Surjanovic, Bingham, Virtual Library of Simulation Experiments`;
const atMostZero = (count: number) => Array.from({ length: count }, () => atMost(0));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function g01(x: readonly number[]): number[] {
  const [a, b, c, d, e, f, g, h, i, j, k, l] = x as [
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
    number,
    number,
  ];
  const first = x.slice(0, 4);
  return [
    5 * sum(first) - 5 * sum(first.map((value) => value * value)) - sum(x.slice(4)),
    2 * a + 2 * b + j + k - 10,
    2 * a + 2 * c + j + l - 10,
    2 * b + 2 * c + k + l - 10,
    -8 * a + j,
    -8 * b + k,
    -8 * c + l,
    -2 * d - e + j,
    -2 * f - g + k,
    -2 * h - i + l,
  ];
}

/** Area of a hexagon of unit diameter; thirteen constraints. */
function g18(x: readonly number[]): number[] {
  const [a, b, c, d, e, f, g, h, i] = x as [number, number, number, number, number, number, number, number, number];
  return [
    0.5 * (a * d - b * c + c * i - e * i + e * h - f * g),
    c ** 2 + d ** 2 - 1,
    i ** 2 - 1,
    e ** 2 + f ** 2 - 1,
    a ** 2 + (b - i) ** 2 - 1,
    (a - e) ** 2 + (b - f) ** 2 - 1,
    (a - g) ** 2 + (b - h) ** 2 - 1,
    (c - e) ** 2 + (d - f) ** 2 - 1,
    (c - g) ** 2 + (d - h) ** 2 - 1,
    g ** 2 + (h - i) ** 2 - 1,
    b * c - a * d,
    -c * i,
    e * i,
    f * g - e * h,
  ];
}

function levy(x: readonly number[]): number {
  const w = x.map((value) => 1 + (value - 1) / 4);
  const last = w[w.length - 1]!;
  const inner = w.slice(0, -1).map((v) => (v - 1) ** 2 * (1 + 10 * Math.sin(Math.PI * v + 1) ** 2));
  return Math.sin(Math.PI * w[0]!) ** 2 + sum(inner) + (last - 1) ** 2 * (1 + Math.sin(2 * Math.PI * last) ** 2);
}

function brownDennis([a, b, c, d]: readonly number[]): number {
  const residuals = Array.from({ length: 20 }, (_, i) => {
    const t = (i + 1) / 5;
    return (a! + t * b! - Math.exp(t)) ** 2 + (c! + d! * Math.sin(t) - Math.cos(t)) ** 2;
  });
  return sum(residuals.map((value) => value * value));
}

/** Worth and loss of a transformer; the kVA rating and the loss have to be kept. */
function transformer([a, b, c, d, e, f]: readonly number[]): number[] {
  const core = a! * d! * (a! + b! + c!);
  const copper = b! * c! * (a! + 1.57 * b! + d!);
  return [
    0.0204 * core + 0.0187 * copper + 0.0607 * core * e! ** 2 + 0.0437 * copper * f! ** 2,
    2.07 - 0.001 * a! * b! * c! * d! * e! * f!,
    0.00062 * core * e! ** 2 + 0.00058 * copper * f! ** 2 - 1,
  ];
}

/**
 * Williams-Otto reactor (1960, as in Forbes, Marlin 1996) in steady state, found by letting it run: feed of B (kg/s),
 * temperature (C); feed of A 1.8275 kg/s, hold-up 2105 kg.
 *
 * @returns profit ($/s), mass fraction of G (percent), mass fraction of A (percent)
 */
function williamsOtto([feedB, celsius]: readonly number[]): number[] {
  const [feedA, mass] = [1.8275, 2105];
  const flow = feedA + feedB!;
  const kelvin = celsius! + 273.15;
  const k1 = 1.6599e6 * Math.exp(-6666.7 / kelvin);
  const k2 = 7.2117e8 * Math.exp(-8333.3 / kelvin);
  const k3 = 2.6745e12 * Math.exp(-11111 / kelvin);
  const states = integrate(
    (state) => {
      const [a, b, c, e, g, p] = state as [number, number, number, number, number, number];
      const [r1, r2, r3] = [k1 * a * b, k2 * b * c, k3 * c * p];
      const out = flow / mass;
      return [
        feedA / mass - out * a - r1,
        feedB! / mass - out * b - r1 - r2,
        -out * c + 2 * r1 - 2 * r2 - r3,
        -out * e + 2 * r2,
        -out * g + 1.5 * r3,
        -out * p + r2 - 0.5 * r3,
      ];
    },
    [0.1, 0.4, 0.02, 0.3, 0.08, 0.1],
    6000,
    3000,
  );
  const [a, , , e, g, p] = states[3000]! as [number, number, number, number, number, number];
  return [1143.38 * p * flow + 25.92 * e * flow - 76.23 * feedA - 114.34 * feedB!, 100 * g, 100 * a];
}

export const minimizeMaximizeProblems = defineProblems('minimize-maximize', [
  {
    name: 'g01-thirteen-inputs',
    source: collection('G01'),
    variables: [...floats(9, 0, 1), ...floats(3, 0, 100), float(0, 1)],
    objectives: [minimize(-14.5), ...atMostZero(9)],
    start: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 20, 20, 20, 0.5],
    known: [1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 1],
    evaluate: g01,
  },
  {
    name: 'g15-two-equalities',
    source: `${collection('G15')}; equalities with a tolerance of 0.05`,
    variables: floats(3, 0, 10),
    objectives: [minimize(963), ...within([25, 56], 0.05)],
    start: [7, 5, 2],
    known: [3.512118, 0.216988, 3.552179],
    evaluate: ([a, b, c]) => [
      1000 - a! ** 2 - 2 * b! ** 2 - c! ** 2 - a! * b! - a! * c!,
      a! ** 2 + b! ** 2 + c! ** 2,
      8 * a! + 14 * b! + 7 * c!,
    ],
  },
  {
    name: 'g18-hexagon',
    source: `${collection('G18')} (Himmelblau 16; Hock, Schittkowski 108)`,
    variables: [...floats(8, -10, 10), float(0, 20)],
    objectives: [maximize(0.83), ...atMostZero(13)],
    start: [1, 1, 1, 1, 1, 1, 1, 1, 1],
    known: [
      -0.657776192, -0.153418773, 0.323413872, -0.946257612, -0.657776194, -0.753213435, 0.323413874, -0.346462948,
      0.599794663,
    ].map((value) => 0.995 * value),
    evaluate: g18,
  },
  {
    name: 'styblinski-tang-3',
    source: surface('Styblinski, Tang (1990)'),
    variables: floats(3, -5, 5),
    objectives: [minimize(-113)],
    start: [3, -1, 4],
    known: [-2.903534, -2.903534, -2.903534],
    evaluate: (x) => [sum(x.map((value) => value ** 4 - 16 * value ** 2 + 5 * value)) / 2],
  },
  {
    name: 'levy-4',
    source: surface('Levy, Montalvo (1985)'),
    variables: floats(4, -9, 7),
    objectives: [minimize(0.5)],
    start: [-6, 6, -4, 5],
    known: [1, 1, 1, 1],
    evaluate: (x) => [levy(x)],
  },
  {
    name: 'brown-dennis',
    source: 'More, Garbow, Hillstrom (1981), problem 16, as one output; minimum 85822.2',
    variables: [float(-30, 30), float(-10, 25), float(-6, 4), float(-3, 2)],
    objectives: [minimize(90000)],
    start: [25, 5, -5, -1],
    known: [-11.594439, 13.20363, -0.403439, 0.236779],
    evaluate: (x) => [brownDennis(x)],
  },
  {
    name: 'transformer-design',
    source: 'Hock, Schittkowski (1981), problem 93 (Bartholomew-Biggs 1976); optimum 135.08',
    variables: [...floats(4, 1, 20), ...floats(2, 0.2, 1.5)],
    objectives: [minimize(137), ...atMostZero(2)],
    start: [8, 8, 8, 8, 0.6, 0.6],
    known: [5.280292, 4.66251, 10.3067, 12.3652, 0.7505412, 0.8792707],
    evaluate: transformer,
  },
  {
    name: 'williams-otto',
    source: 'Williams, Otto (1960); Forbes, Marlin (1996), Design cost; profit with two limits on the product',
    variables: [float(3, 9), float(70, 110)],
    objectives: [maximize(181), atMost(8.5), atMost(10)],
    start: [3.5, 105],
    known: [4.938605, 85.28647],
    evaluate: williamsOtto,
  },
]);
