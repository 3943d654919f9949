/** Nonlinear systems and zero-residual problems that the collection does not use; the verdict is on the total L1 norm. */
import { defineProblems, exact, float, floats } from '../problem.ts';

const mgh = (number: number) => `More, Garbow, Hillstrom (1981), problem ${number}`;
const zeros = (count: number) => new Array<number>(count).fill(0);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function gulf([a, b, c]: readonly number[]): number[] {
  return Array.from({ length: 12 }, (_, i) => {
    const t = 0.08 * (i + 1) - 0.04;
    const y = 25 + (-50 * Math.log(t)) ** (2 / 3);
    return Math.exp(-(Math.abs(y - b!) ** c!) / a!) - t;
  });
}

function variablyDimensioned(x: readonly number[]): number[] {
  const weighted = sum(x.map((value, i) => (i + 1) * (value - 1)));
  return [...x.map((value) => value - 1), weighted, weighted ** 2];
}

function broydenBanded(x: readonly number[]): number[] {
  return x.map((value, i) => {
    const band = x.map((other, j) => (j !== i && j >= i - 5 && j <= i + 1 ? other * (1 + other) : 0));
    return value * (2 + 5 * value * value) + 1 - sum(band);
  });
}

/** Products of the combustion of propane in air, five unknowns in units of the article. */
function propane([a, b, c, d, e]: readonly number[]): number[] {
  const root = Math.sqrt(40);
  const R = 10;
  const [r5, r6, r7] = [0.193, 0.002597 / root, 0.003448 / root];
  const [r8, r9, r10] = [0.00001799 / 40, 0.0002155 / root, 0.00003846 / 40];
  return [
    a! * b! + a! - 3 * e!,
    2 * a! * b! + a! + b! * c! ** 2 + r8 * b! - R * e! + 2 * r10 * b! ** 2 + r7 * b! * c! + r9 * b! * d!,
    2 * b! * c! ** 2 + 2 * r5 * c! ** 2 - 8 * e! + r6 * c! + r7 * b! * c!,
    r9 * b! * d! + 2 * d! ** 2 - 4 * R * e!,
    a! * (b! + 1) +
      r10 * b! ** 2 +
      b! * c! ** 2 +
      r8 * b! +
      r5 * c! ** 2 +
      d! ** 2 -
      1 +
      r6 * c! +
      r7 * b! * c! +
      r9 * b! * d!,
  ];
}

function economics(x: readonly number[]): number[] {
  const n = x.length;
  const equations = Array.from({ length: n - 1 }, (_, k) => {
    const products = x.slice(0, n - k - 2).map((value, i) => value * x[i + k + 1]!);
    return (x[k]! + sum(products)) * x[n - 1]!;
  });
  return [...equations, sum(x.slice(0, n - 1))];
}

function neurophysiology([a, b, c, d, e, f]: readonly number[]): number[] {
  return [
    a! ** 2 + c! ** 2,
    b! ** 2 + d! ** 2,
    e! * c! ** 3 + f! * d! ** 3,
    e! * a! ** 3 + f! * b! ** 3,
    e! * a! * c! ** 2 + f! * d! ** 2 * b!,
    e! * a! ** 2 * c! + f! * b! ** 2 * d!,
  ];
}

/** Lines between four buses: from, to, resistance, reactance, half the charging susceptance, per unit. */
const lines = [
  [0, 1, 0.01008, 0.0504, 0.05125],
  [0, 2, 0.00744, 0.0372, 0.03875],
  [1, 3, 0.00744, 0.0372, 0.03875],
  [2, 3, 0.01272, 0.0636, 0.06375],
] as const;

/** Angles (degrees) and magnitudes (per unit) of three voltages to the real and reactive powers injected there. */
function powerFlow(x: readonly number[]): number[] {
  const angles = [0, x[0]!, x[1]!, x[2]!].map((degrees) => (degrees * Math.PI) / 180);
  const magnitudes = [1, x[3]!, x[4]!, x[5]!];
  const real = zeros(4);
  const reactive = zeros(4);
  for (const [from, to, resistance, reactance, charging] of lines) {
    const square = resistance ** 2 + reactance ** 2;
    const [g, b] = [resistance / square, -reactance / square];
    for (const [i, j] of [
      [from, to],
      [to, from],
    ] as const) {
      const [v, w, angle] = [magnitudes[i]!, magnitudes[j]!, angles[i]! - angles[j]!];
      real[i]! += v * v * g - v * w * (g * Math.cos(angle) + b * Math.sin(angle));
      reactive[i]! += -v * v * (b + charging) - v * w * (g * Math.sin(angle) - b * Math.cos(angle));
    }
  }
  return [...real.slice(1), ...reactive.slice(1)];
}

const bandedTruth = [0.4, -0.6, 0.2, 0.5, -0.3, -0.7, 0.1, 0.35];
const economicsTruth = [0.6, -0.4, 0.9, -0.7, 0.3, 1.4];
const neuroTruth = [0.6, -0.8, 0.8, 0.6, 1.3, -0.9];
const powerTruth = [-0.976, -1.872, 1.523, 0.98242, 0.96901, 1.02];

export const exactProblems = defineProblems('exact', [
  {
    name: 'gulf-research',
    source: `${mgh(11)}, twelve of its levels`,
    variables: [float(1, 120), float(5, 40), float(0.1, 3.5)],
    objectives: exact(zeros(12)),
    desiredL1Norm: 1e-2,
    start: [5, 10, 0.5],
    known: [50, 25, 1.5],
    evaluate: gulf,
  },
  {
    name: 'variably-dimensioned-7',
    source: mgh(25),
    variables: floats(7, -1, 2.5),
    objectives: exact(zeros(9)),
    desiredL1Norm: 1e-2,
    start: [6 / 7, 5 / 7, 4 / 7, 3 / 7, 2 / 7, 1 / 7, 0],
    known: [1, 1, 1, 1, 1, 1, 1],
    evaluate: variablyDimensioned,
  },
  {
    name: 'broyden-banded-8',
    source: `${mgh(31)}; targets from a chosen point`,
    variables: floats(8, -1.3, 1.1),
    objectives: exact(broydenBanded(bandedTruth)),
    desiredL1Norm: 1e-2,
    start: [-1, -1, -1, -1, -1, -1, -1, -1],
    known: bandedTruth,
    evaluate: broydenBanded,
  },
  {
    name: 'hatfldf',
    source: 'Bongartz, Conn, Gould, Toint (1995), CUTE, HATFLDF (OPTIMA user manual, issue 8)',
    variables: [float(-0.1, 0.1), float(0, 0.2), float(0.2, 3)],
    objectives: exact([0.032, 0.056, 0.099]),
    desiredL1Norm: 1e-4,
    start: [0.08, 0.1, 0.6],
    known: [0.0016842105, 0.0169204287, 1.7916666667],
    evaluate: ([a, b, c]) => [1, 2, 3].map((power) => a! + b! * c! ** power),
  },
  {
    name: 'propane-combustion',
    source: 'Meintjes, Morgan (1990), Chemical equilibrium systems as numerical test problems',
    variables: [float(0, 0.05), float(5, 60), float(0, 0.5), float(0.1, 2), float(0, 0.2)],
    objectives: exact(zeros(5)),
    desiredL1Norm: 1e-2,
    start: [0.04, 10, 0.4, 0.4, 0.15],
    known: [0.003114102, 34.59792, 0.06504178, 0.8593781, 0.03695186],
    evaluate: propane,
  },
  {
    name: 'morgan-economics-6',
    source: 'Morgan (1987), Solving polynomial systems; economic modelling, targets from a chosen point',
    variables: floats(6, -2, 2.2),
    objectives: exact(economics(economicsTruth)),
    desiredL1Norm: 1e-2,
    start: [-0.5, 0.5, -0.5, 0.5, -0.5, 0.7],
    known: economicsTruth,
    evaluate: economics,
  },
  {
    name: 'neurophysiology',
    source: 'Verschelde, Verlinden, Cools (1994), Homotopies exploiting Newton polytopes; targets from a chosen point',
    variables: floats(6, -2, 2.2),
    objectives: exact(neurophysiology(neuroTruth)),
    desiredL1Norm: 1e-2,
    start: [0.9, -0.2, 0.3, 1.1, 0.4, 0.2],
    known: neuroTruth,
    evaluate: neurophysiology,
  },
  {
    name: 'power-flow-4-bus',
    source: 'Grainger, Stevenson (1994), Power system analysis, example 9.2; voltages sought for given powers',
    variables: [...floats(3, -12, 10), ...floats(3, 0.85, 1.1)],
    objectives: exact(powerFlow(powerTruth)),
    desiredL1Norm: 1e-2,
    start: [0, 0, 0, 1, 1, 1],
    known: powerTruth,
    evaluate: powerFlow,
  },
]);
