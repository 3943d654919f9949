/** Calibrations whose true ranges are known in closed form: for which values of each input all targets can be met. */
import { atLeast, atMost, float, within } from '../../harness/optimizer-game.ts';
import type { Target, Variable } from '../../src/optimizer/interface/problem.ts';

export interface Calibration {
  readonly name: string;
  readonly variables: readonly Variable[];
  readonly targets: readonly Target[];
  readonly evaluate: (x: readonly number[]) => readonly number[];
  /** The least and the largest value of each input for which the others can be chosen such that all targets are met. */
  readonly ranges: readonly (readonly [number, number])[];
  /** The inputs of each combination that the outputs do not determine. */
  readonly combinations: readonly (readonly number[])[];
}

const log = (minimum: number, maximum: number): Variable => ({ ...float(minimum, maximum), isLogarithmic: true });

/** Share infected in the end by an outbreak with basic reproduction number R0: z = 1 - exp(-R0 z). */
function finalSize(reproduction: number): number {
  if (reproduction <= 1) return 0;
  let z = 1;
  for (let k = 0; k < 200; k++) z = 1 - Math.exp(-reproduction * z);
  return z;
}

const reproductionOf = (z: number) => -Math.log(1 - z) / z;
const [R_LOW, R_HIGH] = [reproductionOf(0.78), reproductionOf(0.82)];

export const calibrations: readonly Calibration[] = [
  {
    name: 'product of two rates',
    variables: [log(0.1, 10), log(0.1, 10)],
    targets: [within(1, 0.1)],
    evaluate: ([a, b]) => [a! * b!],
    ranges: [
      [0.1, 10],
      [0.1, 10],
    ],
    combinations: [[0, 1]],
  },
  {
    name: 'product, bounds not declared logarithmic',
    variables: [float(0.5, 4), float(0.5, 4)],
    targets: [within(2, 0.1)],
    evaluate: ([a, b]) => [a! * b!],
    ranges: [
      [0.5, 4],
      [0.5, 4],
    ],
    combinations: [[0, 1]],
  },
  {
    name: 'sum of two',
    variables: [float(0, 3), float(0, 1)],
    targets: [within(1, 0.05)],
    evaluate: ([a, b]) => [a! + b!],
    ranges: [
      [0, 1.05],
      [0, 1],
    ],
    combinations: [[0, 1]],
  },
  {
    name: 'epidemic, size only',
    variables: [float(0.1, 1), float(0.05, 0.5)],
    targets: [within(0.8, 0.02)],
    evaluate: ([beta, gamma]) => [finalSize(beta! / gamma!)],
    ranges: [
      [0.1, 1],
      [0.05, 0.5],
    ],
    combinations: [[0, 1]],
  },
  {
    name: 'epidemic, size and growth',
    variables: [float(0.1, 1), float(0.05, 0.5)],
    targets: [within(0.8, 0.02), within(0.2, 0.01)],
    evaluate: ([beta, gamma]) => [finalSize(beta! / gamma!), beta! - gamma!],
    ranges: [
      [(R_HIGH * 0.19) / (R_HIGH - 1), (R_LOW * 0.21) / (R_LOW - 1)],
      [0.19 / (R_HIGH - 1), 0.21 / (R_LOW - 1)],
    ],
    combinations: [],
  },
  {
    name: 'sum and difference',
    variables: [float(0, 1), float(0, 1)],
    targets: [within(1, 0.05), within(0, 0.05)],
    evaluate: ([a, b]) => [a! + b!, a! - b!],
    ranges: [
      [0.45, 0.55],
      [0.45, 0.55],
    ],
    combinations: [],
  },
  {
    name: 'an input without effect',
    variables: [float(0, 1), float(0, 1), float(0, 1)],
    targets: [within(1, 0.05), within(0, 0.05)],
    evaluate: ([a, b]) => [a! + b!, a! - b!],
    ranges: [
      [0.45, 0.55],
      [0.45, 0.55],
      [0, 1],
    ],
    combinations: [[2]],
  },
  {
    name: 'no slope at the solution',
    variables: [float(0, 1), float(0, 1)],
    targets: [atMost(0.01), within(0.8, 0.02)],
    evaluate: ([a, b]) => [(a! - 0.3) ** 2, a! + b!],
    ranges: [
      [0.2, 0.4],
      [0.38, 0.62],
    ],
    combinations: [],
  },
  {
    name: 'three powers, two outputs',
    variables: [log(0.1, 10), log(0.1, 10), log(0.1, 10)],
    targets: [within(1, 0.1), within(1, 0.1)],
    evaluate: ([a, b, c]) => [a! * b! * c!, a! / b!],
    ranges: [
      [Math.sqrt((0.9 * 0.9) / 10), Math.sqrt((1.1 * 1.1) / 0.1)],
      [Math.sqrt(0.9 / 1.1 / 10), Math.sqrt(1.1 / 0.9 / 0.1)],
      [0.1, 10],
    ],
    combinations: [[0, 1, 2]],
  },
  {
    name: 'oscillator, frequency and damping',
    variables: [float(0.5, 5), float(1, 30), float(0.05, 2)],
    targets: [within(2, 0.05), within(0.1, 0.005)],
    evaluate: ([m, k, c]) => [Math.sqrt(k! / m!), c! / (2 * m!)],
    ranges: [
      [0.5, 5],
      [1.95 ** 2 * 0.5, 2.05 ** 2 * 5],
      [2 * 0.095 * 0.5, 2 * 0.105 * 5],
    ],
    combinations: [[0, 1, 2]],
  },
  {
    name: 'two solutions',
    variables: [float(-2, 2), float(0, 1)],
    targets: [within(1, 0.1), within(0.5, 0.05)],
    evaluate: ([a, b]) => [a! * a!, b!],
    ranges: [
      [-Math.sqrt(1.1), Math.sqrt(1.1)],
      [0.45, 0.55],
    ],
    combinations: [],
  },
  {
    name: 'Arrhenius at one temperature',
    variables: [log(1, 1000), float(0, 5)],
    targets: [within(10, 1)],
    evaluate: ([a, e]) => [a! * Math.exp(-e!)],
    ranges: [
      [9, 1000],
      [0, Math.log(1000 / 9)],
    ],
    combinations: [[0, 1]],
  },
  {
    name: 'Arrhenius at two temperatures',
    variables: [log(1, 1000), float(0, 5)],
    targets: [within(10, 1), within(1, 0.1)],
    evaluate: ([a, e]) => [a! * Math.exp(-e!), a! * Math.exp(-2 * e!)],
    ranges: [
      [81 / 1.1, 121 / 0.9],
      [Math.log(9 / 1.1), Math.log(11 / 0.9)],
    ],
    combinations: [],
  },
  {
    name: 'a triangle of limits',
    variables: [float(0, 1), float(0, 1)],
    targets: [atMost(1), atLeast(0.3), atLeast(0.2)],
    evaluate: ([a, b]) => [a! + b!, a!, b!],
    ranges: [
      [0.3, 0.8],
      [0.2, 0.7],
    ],
    combinations: [[0], [1]],
  },
  {
    name: 'four inputs, three sums',
    variables: [float(0, 1), float(0, 1), float(0, 1), float(0, 1)],
    targets: [within(1, 0.02), within(1, 0.02), within(1, 0.02)],
    evaluate: ([a, b, c, d]) => [a! + b!, b! + c!, c! + d!],
    ranges: [
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 1],
    ],
    combinations: [[0, 1, 2, 3]],
  },
  {
    name: 'four inputs, four sums',
    variables: [float(0, 1), float(0, 1), float(0, 1), float(0, 1)],
    targets: [within(1, 0.02), within(1.1, 0.02), within(0.9, 0.02), within(0.2, 0.02)],
    evaluate: ([a, b, c, d]) => [a! + b!, b! + c!, c! + d!, a! - 0.5 * d!],
    // a + b = y1, b + c = y2, c + d = y3 give a = y1 - y2 + y3 - d; a - d / 2 = y4.
    ranges: fourSums(),
    combinations: [],
  },
];

/** 1.5 d = y1 - y2 + y3 - y4, and the others follow; each range adds up the deviations of at most 0.02. */
function fourSums(): [number, number][] {
  const d = (1 - 1.1 + 0.9 - 0.2) / 1.5;
  const a = 0.2 + 0.5 * d;
  // Coefficients of y1 to y4: d (1, -1, 1, -1) / 1.5; a, b, c by substitution.
  const off = (coefficients: readonly number[]) => 0.02 * coefficients.reduce((sum, one) => sum + Math.abs(one), 0);
  const forD = [1, -1, 1, -1].map((one) => one / 1.5);
  const forA = forD.map((one, k) => 0.5 * one + (k === 3 ? 1 : 0));
  const forB = forA.map((one, k) => (k === 0 ? 1 : 0) - one);
  const forC = forD.map((one, k) => (k === 2 ? 1 : 0) - one);
  const centers = [a, 1 - a, 0.9 - d, d];
  return [forA, forB, forC, forD].map((one, v) => [centers[v]! - off(one), centers[v]! + off(one)]);
}
