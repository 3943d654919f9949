/** Requirements only, nothing to optimize: every output has a one-sided limit or an interval. */
import { pressureVessel, sideImpact, speedReducer, spring, weldedBeam } from './engineering.ts';
import { above, atLeast, atMost, below, defineProblems, float, floats, within } from './problem.ts';

/** Magnitude of a discrete-time low-pass filter with symmetric taps (linear phase, 2 n - 1 taps) at the angles w. */
function symmetricFilter(taps: readonly number[], angles: readonly number[]): number[] {
  return angles.map((w) => taps.reduce((total, tap, k) => total + (k === 0 ? 1 : 2) * tap * Math.cos(k * w), 0));
}

/** Magnitude in dB of a doubly terminated LC ladder (shunt C, series L, shunt C, series L, shunt C), 1 ohm ends. */
function ladderAttenuation(elements: readonly number[], frequencies: readonly number[]): number[] {
  return frequencies.map((w) => {
    // Voltage and current at the load, then element by element towards the source.
    let voltage = [1, 0];
    let current = [1, 0];
    elements.forEach((element, i) => {
      const reactive = w * element;
      if (i % 2 === 0) current = [current[0]! - reactive * voltage[1]!, current[1]! + reactive * voltage[0]!];
      else voltage = [voltage[0]! - reactive * current[1]!, voltage[1]! + reactive * current[0]!];
    });
    return 20 * Math.log10(Math.hypot(voltage[0]! + current[0]!, voltage[1]! + current[1]!) / 2);
  });
}

/** Field of an array of isotropic elements on a line, mirrored about its centre; positions in wavelengths. */
function arrayPattern(positions: readonly number[], angles: readonly number[]): number[] {
  return angles.map((angle) => {
    const phase = 2 * Math.PI * Math.sin((angle * Math.PI) / 180);
    const field = positions.reduce((total, position) => total + Math.cos(phase * position), 0) / positions.length;
    return 20 * Math.log10(Math.max(Math.abs(field), 1e-3));
  });
}

const sidelobeAngles = [14, 18, 22, 26, 30, 36, 42, 50, 60, 75];

export const feasibilityProblems = defineProblems('feasibility', [
  {
    name: 'welded-beam-limits',
    source:
      'Ragsdell, Phillips (1976); Deb (2000), An efficient constraint handling method; cost 8 percent over the optimum',
    variables: [float(0.1, 2), float(0.1, 10), float(0.1, 10), float(0.1, 2)],
    objectives: [atMost(1.86), atMost(13600), atMost(30000), atMost(0), atMost(0.25), atLeast(6000)],
    start: [1, 5, 5, 1],
    known: [0.2, 3.6, 9.2, 0.208],
    evaluate: weldedBeam,
  },
  {
    name: 'pressure-vessel-limits',
    source: 'Sandgren (1990), continuous thicknesses; cost 3 percent over the optimum',
    variables: [float(0.0625, 6), float(0.0625, 6), float(10, 200), float(10, 240)],
    objectives: [atMost(6060), atLeast(0), atLeast(0), atLeast(1296000)],
    start: [2, 2, 80, 80],
    known: [0.7835, 0.3875, 40.572, 196.6],
    evaluate: pressureVessel,
  },
  {
    name: 'spring-limits',
    source: 'Arora (1989), Introduction to optimum design; weight 4 percent over the optimum',
    variables: [float(0.05, 0.2), float(0.25, 1.3), float(2, 15)],
    objectives: [atMost(0.0132), atMost(0), atMost(0), atMost(0), atMost(0)],
    start: [0.1, 0.6, 8],
    known: [0.05238034, 0.373343, 10.39453],
    evaluate: spring,
  },
  {
    name: 'speed-reducer-limits',
    source: 'Golinski (1970), continuous teeth; weight 1 percent over the optimum',
    variables: [
      float(2.6, 3.6),
      float(0.7, 0.8),
      float(17, 28),
      float(7.3, 8.3),
      float(7.3, 8.3),
      float(2.9, 3.9),
      float(5, 5.5),
    ],
    objectives: [atMost(3025), ...new Array(11).fill(0).map(() => atMost(0))],
    start: [3.1, 0.75, 22, 7.8, 7.8, 3.4, 5.25],
    known: [3.5005, 0.70005, 17.0005, 7.35, 7.75, 3.352, 5.288],
    evaluate: speedReducer,
  },
  {
    name: 'car-side-impact',
    source: 'Gu, Yang, Tho, Makowski, Faruque, Li (2001); weight 5 percent over the best design',
    variables: [
      float(0.5, 1.5),
      float(0.45, 1.35),
      float(0.5, 1.5),
      float(0.5, 1.5),
      float(0.875, 2.625),
      float(0.4, 1.2),
      float(0.4, 1.2),
    ],
    objectives: [
      atMost(24.8),
      atMost(1),
      atMost(0.32),
      atMost(0.32),
      atMost(0.32),
      atMost(32),
      atMost(32),
      atMost(32),
      atMost(4),
      atMost(9.9),
      atMost(15.7),
    ],
    start: [1, 0.9, 1, 1, 1.75, 0.8, 0.8],
    known: [0.5, 1.24, 0.5, 1.23, 0.9, 0.9, 0.4],
    evaluate: sideImpact,
  },
  {
    name: 'filter-mask',
    source:
      'Parks, McClellan (1972), Chebyshev approximation for nonrecursive digital filters; the mask as requirements',
    variables: floats(7, -0.3, 0.6),
    objectives: [...within([1, 1, 1, 1, 1], 0.05), ...within([0, 0, 0, 0, 0, 0], 0.05)],
    start: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
    known: [0.405, 0.2962, 0.0792, -0.0611, -0.0618, -0.0009, 0.0318],
    evaluate: (x) => symmetricFilter(x, [0, 0.3, 0.6, 0.8, 0.95, 1.6, 1.75, 2, 2.3, 2.7, 3.1]),
  },
  {
    name: 'ladder-filter',
    source: 'Zverev (1967), Handbook of filter synthesis; fifth-order low-pass ladder between 1 ohm ends',
    variables: floats(5, 0.1, 4),
    objectives: [...[0, 1, 2, 3].map(() => atMost(0.6)), ...[18, 34, 50].map((level) => atLeast(level))],
    start: [1, 1, 1, 1, 1],
    known: [1.7058, 1.2296, 2.5408, 1.2296, 1.7058],
    evaluate: (x) => ladderAttenuation(x, [0.3, 0.6, 0.85, 1, 1.4, 2, 3]),
  },
  {
    name: 'array-sidelobes',
    source: 'Harrington (1961), Sidelobe reduction by nonuniform element spacing; ten elements, mirrored',
    variables: [float(0.1, 0.5), float(0.5, 1), float(1, 1.6), float(1.5, 2.3), float(2.1, 3)],
    objectives: sidelobeAngles.map(() => below(-19)),
    start: [0.2, 0.55, 1.1, 1.6, 2.2],
    known: [0.287, 0.5014, 1.0468, 1.5032, 2.1905],
    evaluate: (x) => arrayPattern(x, sidelobeAngles),
  },
  {
    name: 'disc-and-wedge',
    source: 'Floudas, Pardalos (1990), test problem 4.10 (two disjoint feasible parts, one of them small), as limits',
    variables: [float(0, 3), float(0, 4)],
    objectives: [atMost(0), atMost(0), above(5.3)],
    start: [0.5, 3.5],
    known: [2.32, 3.05],
    evaluate: ([a, b]) => [
      -2 * a! ** 4 + 8 * a! ** 3 - 8 * a! ** 2 + b! - 2,
      -4 * a! ** 4 + 32 * a! ** 3 - 88 * a! ** 2 + 96 * a! + b! - 36,
      a! + b!,
    ],
  },
]);
