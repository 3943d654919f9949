/**
 * Curves fitted to published measurements: one output per measurement with an absolute or relative tolerance somewhat
 * above the largest deviation of the published fit, so that the fit satisfies it and little else does.
 */
import { above, below, defineProblems, float, floats, within, withinPercent } from './problem.ts';

const mgh = (number: number) => `More, Garbow, Hillstrom (1981), problem ${number}`;
const nist = (name: string) => `NIST Statistical Reference Datasets, ${name}`;
const sequence = (count: number) => Array.from({ length: count }, (_, i) => i);

const bardData = [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.1, 4.39];
const kowalikTimes = [4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625];
const kowalikData = [0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246];
const meyerData = [
  34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872,
];
const gaussianData = [
  0.0009, 0.0044, 0.0175, 0.054, 0.1295, 0.242, 0.3521, 0.3989, 0.3521, 0.242, 0.1295, 0.054, 0.0175, 0.0044, 0.0009,
];
const osborne1Data = [
  0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.85, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603, 0.58,
  0.558, 0.538, 0.522, 0.506, 0.49, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.42, 0.414, 0.411, 0.406,
];
const osborne2Data = [
  1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679, 0.608, 0.655, 0.616, 0.606, 0.602,
  0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495, 0.5, 0.423, 0.395, 0.375,
  0.372, 0.391, 0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668, 0.645, 0.632, 0.591,
  0.559, 0.597, 0.625, 0.739, 0.71, 0.729, 0.72, 0.636, 0.581, 0.428, 0.292, 0.162, 0.098, 0.054,
];
const misraVolumes = [77.6, 114.9, 141.1, 190.8, 239.9, 289, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760];
const misraData = [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47, 81.78];
const danwoodTimes = [1.309, 1.471, 1.49, 1.565, 1.611, 1.68];
const danwoodData = [2.138, 3.421, 3.597, 4.34, 4.882, 5.66];
const boxbodTimes = [1, 2, 3, 5, 7, 10];
const boxbodData = [109, 149, 149, 191, 213, 224];
const rat43Data = [
  16.08, 33.83, 65.8, 97.2, 191.55, 326.2, 386.87, 520.53, 590.03, 651.92, 724.93, 699.56, 689.96, 637.56, 717.41,
];

function bard([a, b, c]: readonly number[]): number[] {
  return sequence(15).map((i) => {
    const u = i + 1;
    const v = 15 - i;
    return a! + u / (v * b! + Math.min(u, v) * c!);
  });
}

function kowalikOsborne([a, b, c, d]: readonly number[]): number[] {
  return kowalikTimes.map((u) => (a! * (u * u + u * b!)) / (u * u + u * c! + d!));
}

function meyer([a, b, c]: readonly number[]): number[] {
  return sequence(16).map((i) => a! * Math.exp(b! / (50 + 5 * i + c!)));
}

function gaussian([a, b, c]: readonly number[]): number[] {
  return sequence(15).map((i) => a! * Math.exp((-b! * ((7 - i) / 2 - c!) ** 2) / 2));
}

function osborne1([a, b, c, d, e]: readonly number[]): number[] {
  return sequence(33).map((i) => a! + b! * Math.exp(-10 * i * d!) + c! * Math.exp(-10 * i * e!));
}

function osborne2(x: readonly number[]): number[] {
  return sequence(65).map((i) => {
    const t = i / 10;
    const peaks = [1, 2, 3].map((k) => x[k]! * Math.exp(-((t - x[k + 7]!) ** 2) * x[k + 4]!));
    return x[0]! * Math.exp(-t * x[4]!) + peaks[0]! + peaks[1]! + peaks[2]!;
  });
}

function jennrichSampson([a, b]: readonly number[]): number[] {
  return sequence(10).map((i) => Math.exp((i + 1) * a!) + Math.exp((i + 1) * b!));
}

export const toleranceProblems = defineProblems('tolerance', [
  {
    name: 'bard',
    source: mgh(8),
    variables: [float(-1, 1), float(0.3, 4), float(0.3, 4)],
    objectives: within(bardData, 0.09),
    start: [1, 1, 1],
    known: [0.0824106, 1.1330361, 2.3436952],
    evaluate: bard,
  },
  {
    name: 'gaussian-peak',
    source: mgh(9),
    variables: [float(0.1, 1), float(0.2, 3), float(-1, 1.5)],
    objectives: within(gaussianData, 3e-4),
    start: [0.8, 2.5, 1],
    known: [0.398956, 1.0000191, 0],
    evaluate: gaussian,
  },
  {
    name: 'meyer-thermistor',
    source: mgh(10),
    variables: [float(0.002, 0.02), float(4000, 8000), float(250, 450)],
    objectives: withinPercent(meyerData, 1),
    start: [0.02, 4000, 250],
    known: [0.00560964, 6181.346, 345.2236],
    evaluate: meyer,
  },
  {
    name: 'kowalik-osborne',
    source: mgh(15),
    variables: floats(4, 0.01, 0.6),
    objectives: within(kowalikData, 0.012),
    start: [0.25, 0.39, 0.415, 0.39],
    known: [0.1928069, 0.1912823, 0.1230565, 0.1360624],
    evaluate: kowalikOsborne,
  },
  {
    name: 'osborne-1',
    source: mgh(17),
    variables: [float(0, 1), float(0.5, 3), float(-3, 0), float(0.002, 0.03), float(0.005, 0.06)],
    objectives: within(osborne1Data, 0.005),
    start: [0.5, 1.5, -1, 0.01, 0.02],
    known: [0.3754101, 1.9358469, -1.4646871, 0.0128675, 0.0221227],
    evaluate: osborne1,
  },
  {
    name: 'osborne-2',
    source: mgh(19),
    variables: [
      ...floats(4, 0.2, 1.8),
      float(0.2, 2),
      float(0.3, 4),
      float(0.5, 6),
      float(1, 8),
      float(1.5, 3),
      float(3.8, 5),
      float(5.1, 6.2),
    ],
    objectives: within(osborne2Data, 0.08),
    start: [1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5],
    known: [1.30998, 0.43155, 0.63366, 0.59943, 0.75418, 0.90429, 1.36581, 4.8237, 2.39868, 4.56887, 5.67534],
    evaluate: osborne2,
  },
  {
    name: 'jennrich-sampson',
    source: mgh(6),
    variables: floats(2, 0.05, 0.6),
    objectives: within(
      sequence(10).map((i) => 2 + 2 * (i + 1)),
      5.1,
    ),
    start: [0.3, 0.4],
    known: [0.2578, 0.2578],
    evaluate: jennrichSampson,
  },
  {
    name: 'misra1a-adsorption',
    source: nist('Misra1a'),
    variables: [float(100, 500), float(1e-4, 1.5e-3)],
    objectives: within(misraData, 0.25),
    start: [500, 1e-4],
    known: [238.94212918, 5.5015643181e-4],
    evaluate: ([a, b]) => misraVolumes.map((volume) => a! * (1 - Math.exp(-b! * volume))),
  },
  {
    name: 'danwood-radiation',
    source: nist('DanWood'),
    variables: [float(0.1, 2), float(2, 6)],
    objectives: withinPercent(danwoodData, 2),
    start: [1, 5],
    known: [0.76886226176, 3.8604055871],
    evaluate: ([a, b]) => danwoodTimes.map((time) => a! * time ** b!),
  },
  {
    name: 'boxbod-oxygen',
    source: nist('BoxBOD'),
    variables: [float(50, 400), float(0.05, 3)],
    objectives: within(boxbodData, 27),
    start: [100, 2.5],
    known: [213.80940889, 0.54723748542],
    evaluate: ([a, b]) => boxbodTimes.map((time) => a! * (1 - Math.exp(-b! * time))),
  },
  {
    name: 'rat43-growth',
    source: nist('Rat43'),
    variables: [float(400, 1000), float(1, 12), float(0.2, 1.5), float(0.3, 4)],
    objectives: within(rat43Data, 60),
    start: [900, 2, 1.2, 3.5],
    known: [699.6415127, 5.2771253025, 0.75962938329, 1.2792483859],
    evaluate: ([a, b, c, d]) => sequence(15).map((i) => a! / (1 + Math.exp(b! - c! * (i + 1))) ** (1 / d!)),
  },
  {
    name: 'michaelis-menten-window',
    source: 'Michaelis, Menten (1913); rates asked for in open intervals, as below and above pairs',
    variables: [float(0.2, 3), float(0.01, 2)],
    objectives: [above(0.33), below(0.36), above(0.7), below(0.73)],
    start: [2.5, 0.1],
    known: [1, 0.38],
    evaluate: ([v, k]) => {
      const rate = (substrate: number) => (v! * substrate) / (k! + substrate);
      return [rate(0.2), rate(0.2), rate(1), rate(1)];
    },
  },
]);
