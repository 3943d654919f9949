/**
 * Systems that answer at random: with skewed noise (queues, gamma and lognormal times), with heavy tails (Student's t of three
 * degrees of freedom), and with ordinary noise. The first six were used to choose constants, the others to report. Each has inputs at
 * which a fresh run meets all targets with a probability above 0.9.
 */
import { atLeast, atMost, float, integer, within } from '../problems/problem.ts';
import { serve } from '../problems/queues.ts';
import { type Chance, define, type RandomSystem } from '../problems/random-systems.ts';

/** Student's t with three degrees of freedom and unit scale. */
function t3({ normal }: Chance): number {
  return normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3);
}

/** A lognormal factor of mean 1. */
function lognormal(deviation: number, { normal }: Chance): number {
  return Math.exp(deviation * normal() - deviation ** 2 / 2);
}

/** A gamma variable of mean 1 and a whole shape. */
function gamma(shape: number, { exponential }: Chance): number {
  return Array.from({ length: shape }, () => exponential(1 / shape)).reduce((sum, one) => sum + one, 0);
}

const assay = ([dose, time, heat]: readonly number[]): readonly [number, number] => [
  1 + 3 * (dose! - 0.6) ** 2 + 2 * (time! - 0.4) ** 2 + 0.5 * heat!,
  2 * dose! + time! + heat! - dose! * heat!,
];
const rig = ([a, b, c]: readonly number[]): readonly [number, number, number] => [
  Math.sin(2 * a!) + b! ** 2 - 0.5 * c!,
  a! * b! + c!,
  a! - b! + 0.3 * c! ** 2,
];
const stages = ([crew, shifts, quality]: readonly number[]): readonly [number, number] => [
  20 / crew! + 12 / shifts! + 3 * quality!,
  2 * crew! + 4 * shifts! - 3 * quality!,
];
const spring = ([wire, coil, turns]: readonly number[]): readonly [number, number] => [
  (20 * wire! ** 4) / (coil! ** 3 * turns!),
  wire! ** 2 * coil! * turns!,
];
const mixer = ([speed, fill, blade]: readonly number[]): readonly [number, number, number] => [
  40 * speed! * blade! + 10 * (fill! - 0.5) ** 2,
  5 + 20 * speed! ** 2 * blade! * fill!,
  80 - 60 * (fill! - 0.7) ** 2 - 20 * (speed! - 0.6) ** 2,
];

export const tuningSystems: readonly RandomSystem[] = [
  define({
    name: 'bank',
    source: 'Gross et al. (2008), Fundamentals of queueing theory; M/M/c, mean wait of 120 customers',
    variables: [integer(1, 5), float(10, 60), float(2, 10)],
    objectives: [atMost(8), atLeast(60)],
    start: [2, 20, 5],
    known: [4, 54, 3.5],
    draw: ([servers, arrivals, minutes], chance) => {
      const service = () => chance.exponential(minutes!);
      const { wait, load } = serve({ servers: servers!, arrivals: arrivals!, customers: 120, service }, chance);
      return [wait, load];
    },
  }),
  define({
    name: 'assay',
    source: 'Limpert, Stahel, Abbt (2001), Log-normal distributions across the sciences; a factor that varies by 0.53',
    variables: [float(0, 1), float(0, 1), float(0, 1)],
    objectives: [atMost(2.6), atLeast(1.6)],
    start: [0.1, 0.9, 0.8],
    known: [0.7, 0.5, 0.2],
    draw: (x, chance) => {
      const [y, z] = assay(x);
      return [y * lognormal(0.5, chance), z + 0.05 * chance.normal()];
    },
  }),
  define({
    name: 'loose-rig',
    source:
      'Lange, Little, Taylor (1989), Robust statistical modeling using the t distribution; three degrees of freedom',
    variables: [float(-1, 1.5), float(-1, 1.5), float(-1, 1.5)],
    objectives: within([0.9, 0.7, 0.4], 0.3),
    start: [-0.5, -0.5, 0],
    known: [0.76, 0.55, 0.4],
    draw: (x, chance) => rig(x).map((y) => y + 0.045 * t3(chance)),
  }),
  define({
    name: 'building-site',
    source: 'PERT; a duration of three stages, one of them exponential, and its cost',
    variables: [float(1, 8), float(1, 4), float(0, 1)],
    objectives: [atMost(21), atMost(17)],
    start: [2, 1.5, 0.8],
    known: [4.5, 2.2, 0.2],
    draw: (x, chance) => {
      const [days, cost] = stages(x);
      return [days * (0.5 + 0.5 * gamma(1, chance)), cost + 0.3 * chance.normal()];
    },
  }),
  define({
    name: 'mixer',
    source: 'three smooth outputs with normal noise',
    variables: [float(0.2, 1), float(0.2, 1), float(0.2, 1)],
    objectives: [atLeast(14), atMost(9), atLeast(72)],
    start: [0.3, 0.9, 0.3],
    known: [0.6, 0.6, 0.75],
    average: mixer,
    draw: (x, { normal }) => mixer(x).map((y, j) => y + [0.8, 0.4, 1][j]! * normal()),
  }),
  define({
    name: 'spring',
    source: 'a coil spring; stiffness and volume with relative normal noise',
    variables: [float(0.5, 2), float(1, 4), float(2, 12)],
    objectives: [atLeast(0.3), atMost(22)],
    start: [0.7, 3, 8],
    known: [1.4, 2, 3.5],
    average: spring,
    draw: (x, { normal }) => spring(x).map((y) => y * (1 + 0.15 * normal())),
  }),
];
export const freshSystems: readonly RandomSystem[] = [];
