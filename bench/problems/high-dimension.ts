/** Twenty to a hundred inputs. */
import { brownAlmostLinear, broydenTridiagonal, discreteIntegral } from './exact.ts';
import { atMost, defineProblems, exact, floats, minimize, within } from './problem.ts';
import { makeNormal } from './random.ts';
import { planarArm } from './robot.ts';
import { reflectance } from './thin-film.ts';

const mgh = (number: number) => `More, Garbow, Hillstrom (1981), problem ${number}`;
const filled = (count: number, value: number) => new Array<number>(count).fill(value);
const wave = (count: number, amplitude: number, offset: number) =>
  Array.from({ length: count }, (_, i) => offset + amplitude * Math.sin(1.7 * i + 0.4));

/** A fixed random matrix, rows x columns, entries N(0, 1 / columns). */
function makeMatrix(rows: number, columns: number, seed: number): number[][] {
  const normal = makeNormal(seed);
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => normal() / Math.sqrt(columns)));
}
const product = (matrix: readonly number[][], x: readonly number[]) =>
  matrix.map((row) => row.reduce((total, value, j) => total + value * x[j]!, 0));

const features = makeMatrix(12, 100, 11);
/** Random features of one hidden layer: smooth, coupled, every output moved by every input. */
function network(x: readonly number[]): number[] {
  return product(features, x).map((value, i) => Math.tanh(value) + 0.3 * value * value + 0.1 * Math.sin(3 * value + i));
}

const sensorPositions = Array.from({ length: 15 }, (_, k) => (k + 0.5) / 15);
/** Fifty heat sources along a line seen by fifteen sensors through a Gaussian kernel, each source saturating. */
function sources(x: readonly number[]): number[] {
  return sensorPositions.map((position) =>
    x.reduce((total, strength, j) => {
      const distance = position - (j + 0.5) / x.length;
      return total + (strength / (1 + 0.1 * strength)) * Math.exp(-((distance / 0.08) ** 2));
    }, 0),
  );
}

function linearFullRank(x: readonly number[]): number[] {
  const total = x.reduce((sum, value) => sum + value, 0);
  return x.map((value) => value - (2 / (x.length + 5)) * total);
}

/** Reflectance in percent of a stack of twenty alternating layers around 550 nm. */
function mirror(x: readonly number[]): number[] {
  const layers = x.map((thickness, i) => ({ index: i % 2 === 0 ? 2.35 : 1.46, thickness }));
  return [420, 450, 520, 550, 580, 680, 720].map((wavelength) => 100 * reflectance(layers, [1.52, 0], wavelength));
}

const arm20 = filled(20, 0.1);
const sphereTruth = wave(30, 0.5, 0.2);
const integralTruth = wave(20, 0.4, -0.2);
const sourceTruth = wave(50, 1.2, 1.8);
const rankTruth = wave(100, 0.6, 0.1);
const networkTruth = wave(100, 0.7, 0.15);
const broydenTruth = wave(50, 0.5, -0.3);

export const highDimensionProblems = defineProblems('high-dimension', [
  {
    name: 'discrete-integral-20',
    source: `${mgh(29)}; targets from a chosen point`,
    variables: floats(20, -1, 0.8),
    objectives: exact(discreteIntegral(integralTruth)),
    desiredL1Norm: 0.05,
    start: filled(20, 0.5),
    known: integralTruth,
    evaluate: discreteIntegral,
  },
  {
    name: 'broyden-tridiagonal-50',
    source: `${mgh(30)}; targets from a chosen point`,
    variables: floats(50, -1, 0.7),
    objectives: within(broydenTridiagonal(broydenTruth), 0.2),
    start: filled(50, -1),
    known: broydenTruth,
    evaluate: broydenTridiagonal,
  },
  {
    name: 'linear-full-rank-100',
    source: `${mgh(32)}; targets from a chosen point`,
    variables: floats(100, -2, 2.5),
    objectives: within(linearFullRank(rankTruth), 0.1),
    start: filled(100, 1),
    known: rankTruth,
    evaluate: linearFullRank,
  },
  {
    name: 'brown-almost-linear-20',
    source: mgh(27),
    variables: floats(20, 0, 1.8),
    objectives: exact([...filled(19, 21), 1]),
    desiredL1Norm: 0.1,
    start: filled(20, 0.5),
    known: filled(20, 1),
    evaluate: brownAlmostLinear,
  },
  {
    name: 'random-network-100',
    source:
      'Rahimi, Recht (2008), Random features for large-scale kernel machines; twelve features of a hundred inputs',
    variables: floats(100, -2, 2),
    objectives: within(network(networkTruth), 0.02),
    start: filled(100, -1),
    known: networkTruth,
    evaluate: network,
  },
  {
    name: 'heat-sources-50',
    source: 'Beck, Blackwell, St. Clair (1985), Inverse heat conduction; fifty sources, fifteen sensors',
    variables: floats(50, 0, 5),
    objectives: within(sources(sourceTruth), 0.1),
    start: filled(50, 4),
    known: sourceTruth,
    evaluate: sources,
  },
  {
    name: 'twenty-link-arm',
    source: 'Kelly, Nocedal in the collection of Bongartz et al. (1995), robot arm; planar, twenty links',
    variables: floats(20, -0.6, 0.6),
    objectives: exact([0.9, 1.1, 1.2]),
    desiredL1Norm: 1e-3,
    start: filled(20, 0.3),
    known: [
      0.1527848, 0.2806229, 0.4717071, 0.5990491, 0.4728787, 0.4824356, -0.1212337, -0.3857938, -0.3274986, -0.535784,
      -0.3078249, -0.5310918, -0.5920909, 0.3490535, 0.1335005, -0.0585659, 0.2732389, 0.2786604, 0.3708795, 0.1949614,
    ],
    evaluate: (x) => planarArm(arm20, x),
  },
  {
    name: 'mirror-20-layers',
    source: 'Macleod, Thin-film optical filters; quarter-wave stack as a band mirror',
    variables: Array.from({ length: 10 }, () => [...floats(1, 40, 80), ...floats(1, 70, 120)]).flat(),
    objectives: [atMost(10), atMost(10), ...[-99, -99, -99].map((level) => atMost(level)), atMost(10), atMost(10)],
    start: Array.from({ length: 10 }, () => [75, 75]).flat(),
    known: [
      52.69, 108.66, 77.84, 70.06, 40.12, 103.79, 80, 71.83, 76.9, 82.01, 73.33, 110.04, 40.02, 105.67, 46.03, 97.19,
      68.08, 89, 74.13, 115.2,
    ],
    evaluate: (x) => mirror(x).map((value, i) => (i >= 2 && i <= 4 ? -value : value)),
  },
  {
    name: 'sphere-aspiration-30',
    source: 'De Jong (1975), sphere, thirty inputs, shifted; one output',
    variables: floats(30, -2, 3),
    objectives: [minimize(1)],
    start: filled(30, 2),
    known: sphereTruth,
    evaluate: (x) => [x.reduce((total, value, i) => total + (value - sphereTruth[i]!) ** 2, 0)],
  },
]);
