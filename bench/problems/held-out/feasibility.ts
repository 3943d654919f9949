/** Requirements only: trusses, beams, controllers, antennas and recipes that must meet every limit. */
import { atLeast, atMost, defineProblems, float, floats, within } from '../problem.ts';
import { integrate } from '../runge-kutta.ts';
import { tenBarTruss } from './truss.ts';

/**
 * Cantilever of five steps (Thanedar, Vanderplaats 1995), each 100 cm long, tip load 50 kN: widths and heights in cm from
 * the wall to the tip.
 *
 * @returns volume (cm3), five stresses (N/cm2), tip deflection (cm), five height-to-width ratios
 */
function steppedCantilever(x: readonly number[]): number[] {
  const widths = x.slice(0, 5);
  const heights = x.slice(5);
  const stresses = widths.map((width, i) => (6 * 50000 * 100 * (5 - i)) / (width * heights[i]! ** 2));
  const flexibilities = widths.map((width, i) => ([61, 37, 19, 7, 1][i]! * 12) / (width * heights[i]! ** 3));
  const volume = 100 * widths.reduce((total, width, i) => total + width * heights[i]!, 0);
  const deflection = ((50000 * 1e6) / (3 * 2e7)) * flexibilities.reduce((total, value) => total + value, 0);
  return [volume, ...stresses, deflection, ...widths.map((width, i) => heights[i]! / width)];
}

/**
 * Unit step of three lags of 1 s under a PID controller, the derivative taken of the measurement.
 *
 * @returns overshoot (percent), rise time from 10 to 90 percent (s), time after which the error stays below 2 percent
 *   (s), largest control signal
 */
function pidStep([gain, integralTime, derivativeTime]: readonly number[]): number[] {
  const control = ([, x2, x3, integral]: readonly number[]) =>
    gain! * (1 - x3! + integral! / integralTime! - derivativeTime! * (x2! - x3!));
  const steps = 1000;
  const states = integrate(
    (state) => {
      const [x1, x2, x3] = state as [number, number, number];
      return [control(state) - x1, x1 - x2, x2 - x3, 1 - x3];
    },
    [0, 0, 0, 0],
    20,
    steps,
  );
  const output = states.map((state) => state[2]!);
  const timeAt = (level: number) => {
    const step = output.findIndex((value) => value >= level);
    if (step < 1) return 20;
    return 0.02 * (step - 1 + (level - output[step - 1]!) / (output[step]! - output[step - 1]!));
  };
  const lastOutside = output.findLastIndex((value) => Math.abs(value - 1) > 0.02);
  return [
    100 * (Math.max(...output) - 1),
    timeAt(0.9) - timeAt(0.1),
    0.02 * (lastOutside + 1),
    Math.max(...states.map((state) => Math.abs(control(state)))),
  ];
}

/** Level in dB of twelve elements half a wave apart with antisymmetric phases, relative to equal phases. */
function phasedArray(phases: readonly number[], angles: readonly number[]): number[] {
  return angles.map((degrees) => {
    const step = Math.PI * Math.sin((degrees * Math.PI) / 180);
    const field = phases.reduce((total, phase, k) => total + Math.cos((k + 0.5) * step + phase), 0) / phases.length;
    return 20 * Math.log10(Math.max(Math.abs(field), 1e-4));
  });
}

/** Maize, barley, soybean meal, rapeseed meal, wheat bran, limestone, soybean oil, lysine. */
const feeds = [
  { protein: 8.5, energy: 13.7, lysine: 0.25, calcium: 0.03, fibre: 2.3, price: 210 },
  { protein: 10.5, energy: 12.6, lysine: 0.38, calcium: 0.06, fibre: 4.6, price: 190 },
  { protein: 45, energy: 13.2, lysine: 2.8, calcium: 0.3, fibre: 6, price: 430 },
  { protein: 34, energy: 10.5, lysine: 1.9, calcium: 0.75, fibre: 12, price: 290 },
  { protein: 15.5, energy: 9, lysine: 0.63, calcium: 0.14, fibre: 10, price: 160 },
  { protein: 0, energy: 0, lysine: 0, calcium: 38, fibre: 0, price: 45 },
  { protein: 0, energy: 34, lysine: 0, calcium: 0, fibre: 0, price: 950 },
  { protein: 94, energy: 17, lysine: 78, calcium: 0, fibre: 0, price: 1600 },
] as const;
/** Shares in percent to: total (percent), protein, lysine, calcium, fibre (percent), energy (MJ/kg), price (per tonne). */
function feedMix(shares: readonly number[]): number[] {
  const blend = (property: keyof (typeof feeds)[number]) =>
    shares.reduce((total, share, i) => total + (share / 100) * feeds[i]![property], 0);
  return [
    shares.reduce((total, share) => total + share, 0),
    blend('protein'),
    blend('lysine'),
    blend('calcium'),
    blend('fibre'),
    blend('energy'),
    blend('price'),
  ];
}

export const feasibilityProblems = defineProblems('feasibility', [
  {
    name: 'ten-bar-truss',
    source: 'Venkayya (1971), Design of optimum structures; weight 5 percent over the optimum of 5060.9 lb',
    variables: floats(10, 0.1, 35),
    objectives: [atMost(5315), ...within([0, 0, 0, 0], 2), ...within(new Array(10).fill(0), 25)],
    start: new Array(10).fill(8),
    known: [30.9, 0.12, 23.6, 15.5, 0.12, 0.6, 7.6, 21.4, 21.9, 0.12],
    evaluate: tenBarTruss,
  },
  {
    name: 'stepped-cantilever',
    source:
      'Thanedar, Vanderplaats (1995), Survey of discrete variable optimization; volume over the optimum as a limit',
    variables: [...floats(5, 1, 5), ...floats(5, 30, 65)],
    objectives: [
      atMost(66000),
      ...[1, 2, 3, 4, 5].map(() => atMost(14000)),
      atMost(2.7),
      ...[1, 2, 3, 4, 5].map(() => atMost(20)),
    ],
    start: [2, 2, 2, 2, 2, 40, 40, 40, 40, 40],
    known: [3.1, 2.9, 2.6, 2.25, 1.8, 61, 57, 52, 45, 36],
    evaluate: steppedCantilever,
  },
  {
    name: 'pid-step-response',
    source: 'Astrom, Hagglund (1995), PID controllers; three equal lags, requirements on the step response',
    variables: [float(0.2, 10), float(0.5, 10), float(0, 3)],
    objectives: [atMost(5), atMost(1.75), atMost(4.5), atMost(3.6)],
    start: [8, 1, 0.2],
    known: [3.36865, 4.425371, 0.747638],
    evaluate: pidStep,
  },
  {
    name: 'phase-only-nulls',
    source: 'Steyskal (1983), Simple method for pattern nulling by phase perturbation; twelve elements',
    variables: floats(6, -1.2, 1.2),
    objectives: [atLeast(-0.7), atMost(-38), atMost(-38), atMost(-38), atMost(-10)],
    start: [0.6, -0.5, 0.4, -0.6, 0.5, -0.4],
    known: [0.2517958, 0.1425556, -0.3923402, 0.2144386, 0.6099562, 0.4007235],
    evaluate: (x) => phasedArray(x, [0, 16, 26, 44, -15]),
  },
  {
    name: 'feed-mix',
    source: 'Waugh (1951), The minimum-cost dairy feed; a pig feed of eight ingredients, our analyses and prices',
    variables: [
      float(0, 60),
      float(0, 60),
      float(0, 30),
      float(0, 15),
      float(0, 20),
      float(0, 4),
      float(0, 5),
      float(0, 1),
    ],
    objectives: [
      ...within([100], 0.5),
      ...within([16.5], 0.7),
      atLeast(0.95),
      ...within([0.7], 0.05),
      atMost(5),
      atLeast(12.9),
      atMost(245),
    ],
    start: [20, 50, 5, 10, 10, 1, 1, 0],
    known: [28.94, 52.836, 16.922, 0.0065, 0.0007, 1.4838, 0, 0.2606],
    evaluate: feedMix,
  },
]);
