/**
 * Nonlinear systems and zero-residual least-squares problems: every output has a target and the verdict is on the total
 * L1 norm. Numbers in parentheses refer to More, Garbow and Hillstrom, "Testing unconstrained optimization
 * software", ACM TOMS 7 (1981). The boxes are ours; they keep the solution away from the centre and the corners.
 */
import { defineProblems, exact, float, floats } from './problem.ts';

const mgh = (number: number) => `More, Garbow, Hillstrom (1981), problem ${number}`;
const zeros = (count: number) => new Array<number>(count).fill(0);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The angle of the point (a, b) in turns, from -0.25 to 0.75. */
function turnsOf(a: number, b: number): number {
  if (a === 0) return b >= 0 ? 0.25 : -0.25;
  const turns = Math.atan(b / a) / (2 * Math.PI);
  return a > 0 ? turns : turns + 0.5;
}

function helicalValley([a, b, c]: readonly number[]): number[] {
  const angle = turnsOf(a!, b!);
  return [10 * (c! - 10 * angle), 10 * (Math.hypot(a!, b!) - 1), c!];
}

function biggs6(x: readonly number[]): number[] {
  return Array.from({ length: 13 }, (_, i) => {
    const t = 0.1 * (i + 1);
    return x[2]! * Math.exp(-t * x[0]!) - x[3]! * Math.exp(-t * x[1]!) + x[5]! * Math.exp(-t * x[4]!);
  });
}

export function brownAlmostLinear(x: readonly number[]): number[] {
  const total = sum(x);
  return x.map((value, i) => (i < x.length - 1 ? value + total : x.reduce((product, factor) => product * factor, 1)));
}

function discreteBoundaryValue(x: readonly number[]): number[] {
  const h = 1 / (x.length + 1);
  return x.map((value, i) => {
    const curvature = 2 * value - (x[i - 1] ?? 0) - (x[i + 1] ?? 0);
    return curvature + (h * h * (value + (i + 1) * h + 1) ** 3) / 2;
  });
}

export function discreteIntegral(x: readonly number[]): number[] {
  const h = 1 / (x.length + 1);
  const cubes = x.map((value, j) => (value + (j + 1) * h + 1) ** 3);
  return x.map((value, i) => {
    const t = (i + 1) * h;
    const lower = sum(cubes.slice(0, i + 1).map((cube, j) => (j + 1) * h * cube));
    const upper = sum(cubes.slice(i + 1).map((cube, j) => (1 - (i + j + 2) * h) * cube));
    return value + (h * ((1 - t) * lower + t * upper)) / 2;
  });
}

export function broydenTridiagonal(x: readonly number[]): number[] {
  return x.map((value, i) => (3 - 2 * value) * value - (x[i - 1] ?? 0) - 2 * (x[i + 1] ?? 0));
}

/** Integrals of the shifted Chebyshev polynomials of degree 1..n against the mean over the points of x. */
function chebyquad(x: readonly number[]): number[] {
  return x.map((_, i) => {
    const degree = i + 1;
    const mean =
      sum(x.map((value) => Math.cos(degree * Math.acos(Math.min(1, Math.max(-1, 2 * value - 1)))))) / x.length;
    return mean + (degree % 2 === 0 ? 1 / (degree * degree - 1) : 0);
  });
}

function trigonometric(x: readonly number[]): number[] {
  const n = x.length;
  const cosines = sum(x.map(Math.cos));
  return x.map((value, i) => n - cosines + (i + 1) * (1 - Math.cos(value)) - Math.sin(value));
}

function watson(x: readonly number[]): number[] {
  const rows = Array.from({ length: 29 }, (_, i) => {
    const t = (i + 1) / 29;
    const slope = sum(x.slice(1).map((value, j) => (j + 1) * value * t ** j));
    return slope - sum(x.map((value, j) => value * t ** j)) ** 2;
  });
  return [...rows, x[0]!, x[1]! - x[0]! ** 2];
}

function mancino(x: readonly number[]): number[] {
  const n = x.length;
  return x.map((value, i) => {
    const others = x.map((_, j) => {
      const r = Math.sqrt(x[i]! ** 2 + (i + 1) / (j + 1));
      return j === i ? 0 : r * (Math.sin(Math.log(r)) ** 5 + Math.cos(Math.log(r)) ** 5);
    });
    return 14 * n * value + (i + 1 - n / 2) ** 3 + sum(others);
  });
}

function dipole([a, b, c, d, t, u, v, w]: readonly number[]): number[] {
  return [
    a! + b!,
    c! + d!,
    t! * a! + u! * b! - v! * c! - w! * d!,
    v! * a! + w! * b! + t! * c! + u! * d!,
    a! * (t! ** 2 - v! ** 2) - 2 * c! * t! * v! + b! * (u! ** 2 - w! ** 2) - 2 * d! * u! * w!,
    c! * (t! ** 2 - v! ** 2) + 2 * a! * t! * v! + d! * (u! ** 2 - w! ** 2) + 2 * b! * u! * w!,
  ];
}

const dipoleTruth = [-0.3, 0.3, 0.6, -1.1, 1.2, -0.7, 0.4, 0.9];
const watsonTruth = [-0.0157, 1.0124, -0.233, 1.2604, -1.5137, 0.993];
const mancinoTruth = [0.8, -0.5, 1.1, 0.4, -0.9, 0.3, 0.7, -0.2];
const boundaryTruth = [-0.0432, -0.0816, -0.1145, -0.141, -0.1599, -0.1699, -0.169, -0.155, -0.1254, -0.0754];
const trigonometricTruth = [0.42, -0.31, 0.55, 0.18, -0.24];
const broydenTruth = [-0.3, 0.5, 0.2, -0.8, 0.6, 0.1, -0.4, 0.7];

export const exactProblems = defineProblems('exact', [
  {
    name: 'rosenbrock',
    source: mgh(1),
    variables: floats(2, -3, 4),
    objectives: exact([0, 1]),
    desiredL1Norm: 1e-3,
    start: [-1.2, 1],
    known: [1, 1],
    evaluate: ([a, b]) => [10 * (b! - a! * a!), a!],
  },
  {
    name: 'freudenstein-roth',
    source: mgh(2),
    variables: [float(0, 12), float(-3, 6)],
    objectives: exact([13, 29]),
    desiredL1Norm: 1e-2,
    start: [0.5, -2],
    known: [5, 4],
    evaluate: ([a, b]) => [a! + ((5 - b!) * b! - 2) * b!, a! + ((b! + 1) * b! - 14) * b!],
  },
  {
    name: 'powell-badly-scaled',
    source: mgh(3),
    variables: [float(0, 2e-4), float(0, 12)],
    objectives: exact([1, 1.0001]),
    desiredL1Norm: 1e-3,
    start: [1e-4, 1],
    known: [1.0981593296998e-5, 9.106146739866],
    evaluate: ([a, b]) => [1e4 * a! * b!, Math.exp(-a!) + Math.exp(-b!)],
  },
  {
    name: 'brown-badly-scaled',
    source: mgh(4),
    variables: [float(0, 3e6), float(0, 1e-5)],
    objectives: exact([1e6, 2, 2]),
    desiredL1Norm: 1e-1,
    start: [2.5e6, 8e-6],
    known: [1e6, 2e-6],
    evaluate: ([a, b]) => [a!, 1e6 * b!, a! * b!],
  },
  {
    name: 'beale',
    source: mgh(5),
    variables: floats(2, -1, 4),
    objectives: exact([1.5, 2.25, 2.625]),
    desiredL1Norm: 1e-3,
    start: [1, 1],
    known: [3, 0.5],
    evaluate: ([a, b]) => [a! * (1 - b!), a! * (1 - b! ** 2), a! * (1 - b! ** 3)],
  },
  {
    name: 'helical-valley',
    source: mgh(7),
    variables: floats(3, -1.8, 2.2),
    objectives: exact(zeros(3)),
    desiredL1Norm: 1e-2,
    start: [-1, 0, 0],
    known: [1, 0, 0],
    evaluate: helicalValley,
  },
  {
    name: 'box-three-dimensional',
    source: mgh(12),
    variables: [float(0, 4), float(5, 20), float(0, 3)],
    objectives: exact(zeros(10)),
    desiredL1Norm: 1e-2,
    start: [0.1, 18, 2.5],
    known: [1, 10, 1],
    evaluate: ([a, b, c]) =>
      Array.from({ length: 10 }, (_, i) => {
        const t = 0.1 * (i + 1);
        return Math.exp(-t * a!) - Math.exp(-t * b!) - c! * (Math.exp(-t) - Math.exp(-10 * t));
      }),
  },
  {
    name: 'powell-singular',
    source: mgh(13),
    variables: floats(4, -4, 5),
    objectives: exact(zeros(4)),
    desiredL1Norm: 1e-2,
    start: [3, -1, 0, 1],
    known: zeros(4),
    evaluate: ([a, b, c, d]) => [
      a! + 10 * b!,
      Math.sqrt(5) * (c! - d!),
      (b! - 2 * c!) ** 2,
      Math.sqrt(10) * (a! - d!) ** 2,
    ],
  },
  {
    name: 'wood',
    source: mgh(14),
    variables: floats(4, -4, 3),
    objectives: exact([0, 1, 0, 1, 2, 0]),
    desiredL1Norm: 1e-2,
    start: [-3, -1, -3, -1],
    known: [1, 1, 1, 1],
    evaluate: ([a, b, c, d]) => [
      10 * (b! - a! ** 2),
      a!,
      Math.sqrt(90) * (d! - c! ** 2),
      c!,
      b! + d!,
      (b! - d!) / Math.sqrt(10),
    ],
  },
  {
    name: 'biggs-exp6',
    source: mgh(18),
    variables: [float(0, 5), float(5, 18), float(0, 3), float(1, 8), float(2, 7), float(0, 5)],
    objectives: exact(biggs6([1, 10, 1, 5, 4, 3])),
    desiredL1Norm: 1e-2,
    start: [2, 14, 2, 2, 6, 1],
    known: [1, 10, 1, 5, 4, 3],
    evaluate: biggs6,
  },
  {
    name: 'watson-6',
    source: `${mgh(20)}; targets from a rounded minimizer`,
    variables: floats(6, -2, 2.4),
    objectives: exact(watson(watsonTruth)),
    desiredL1Norm: 1e-2,
    start: zeros(6),
    known: watsonTruth,
    evaluate: watson,
  },
  {
    name: 'trigonometric-5',
    source: `${mgh(26)}; targets from a chosen point`,
    variables: floats(5, -1, 1.5),
    objectives: exact(trigonometric(trigonometricTruth)),
    desiredL1Norm: 1e-3,
    start: [0.2, 0.2, 0.2, 0.2, 0.2],
    known: trigonometricTruth,
    evaluate: trigonometric,
  },
  {
    name: 'brown-almost-linear-6',
    source: mgh(27),
    variables: floats(6, -0.5, 2),
    objectives: exact([7, 7, 7, 7, 7, 1]),
    desiredL1Norm: 1e-2,
    start: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    known: [1, 1, 1, 1, 1, 1],
    evaluate: brownAlmostLinear,
  },
  {
    name: 'discrete-boundary-value-10',
    source: `${mgh(28)}; targets from a rounded solution`,
    variables: floats(10, -0.5, 0.3),
    objectives: exact(discreteBoundaryValue(boundaryTruth)),
    desiredL1Norm: 1e-4,
    start: boundaryTruth.map((_, i) => ((i + 1) / 11) * ((i + 1) / 11 - 1)),
    known: boundaryTruth,
    evaluate: discreteBoundaryValue,
  },
  {
    name: 'broyden-tridiagonal-8',
    source: `${mgh(30)}; targets from a chosen point`,
    variables: floats(8, -1.5, 1.2),
    objectives: exact(broydenTridiagonal(broydenTruth)),
    desiredL1Norm: 1e-2,
    start: [-1, -1, -1, -1, -1, -1, -1, -1],
    known: broydenTruth,
    evaluate: broydenTridiagonal,
  },
  {
    name: 'chebyquad-6',
    source: mgh(35),
    variables: floats(6, 0, 1),
    objectives: exact(zeros(6)),
    desiredL1Norm: 1e-2,
    start: [1 / 7, 2 / 7, 3 / 7, 4 / 7, 5 / 7, 6 / 7],
    known: [0.0668765909, 0.2887406731, 0.3666822992, 0.6333177008, 0.7112593269, 0.9331234091],
    evaluate: chebyquad,
  },
  {
    name: 'mancino-8',
    source: 'More, Wild (2009), Benchmarking derivative-free optimization algorithms, Mancino system; targets chosen',
    variables: floats(8, -2, 1.7),
    objectives: exact(mancino(mancinoTruth)),
    desiredL1Norm: 1,
    start: zeros(8),
    known: mancinoTruth,
    evaluate: mancino,
  },
  {
    name: 'heart-dipole-8',
    source: 'Morgan (1987), Solving polynomial systems; the first six of the heart dipole equations, targets chosen',
    variables: floats(8, -2, 2),
    objectives: exact(dipole(dipoleTruth)),
    desiredL1Norm: 1e-3,
    start: [-0.5, 0.8, 0.1, -0.4, 0.5, -1.5, 1, 0.2],
    known: dipoleTruth,
    evaluate: dipole,
  },
]);
