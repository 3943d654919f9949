/**
 * Systems that answer at random: with skewed noise (queues, gamma and lognormal times), with heavy tails (Student's t of three
 * degrees of freedom), and with ordinary noise. Constants were chosen on the first six, and one on seeds 1 to 50 of the others. Each has inputs at
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
    name: 'margin',
    source: 'a loss with exponential noise, which may be negative, and an output with normal noise',
    variables: [float(0, 1), float(0, 1), float(0, 1)],
    objectives: [atMost(1), atLeast(1)],
    start: [0.1, 0.9, 0.9],
    known: [0.6, 0.4, 0.1],
    draw: ([a, b, c], chance) => [
      4 * (a! - 0.6) ** 2 + 3 * (b! - 0.4) ** 2 + 2 * c! - 1.2 + 0.7 * chance.exponential(1),
      a! + b! + c! + 0.1 * chance.normal(),
    ],
  }),
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

const checkout = (chance: Chance, [tills, arrivals, minutes]: readonly number[]) => {
  const service = () => chance.exponential(minutes!);
  return serve({ servers: tills!, arrivals: arrivals!, customers: 100, service }, chance);
};
const coating = ([speed, heat, feed]: readonly number[]): readonly [number, number] => [
  20 * Math.exp(-1.5 * speed!) + 6 * (heat! - 0.5) ** 2 + 4 * feed!,
  30 * speed! + 20 * feed! - 8 * heat!,
];
const ferry = ([trim, thrust, ballast]: readonly number[]): readonly [number, number] => [
  2 * trim! - thrust! + 0.6 * ballast! ** 2,
  Math.cos(trim!) + 0.8 * thrust! * ballast!,
];
const dryer = ([air, heat, load]: readonly number[]): readonly [number, number, number] => [
  12 - 6 * air! - 5 * heat! + 4 * load!,
  10 * air! ** 2 + 14 * heat! ** 2,
  20 + 60 * load! - 10 * (air! - 0.5) ** 2,
];
const pump = ([diameter, turns, gap]: readonly number[]): readonly [number, number] => [
  8 * diameter! ** 2 * turns! * (1 - 0.3 * gap!),
  2 * diameter! ** 3 * turns! ** 2 + 0.5 / (0.2 + gap!),
];

export const freshSystems: readonly RandomSystem[] = [
  define({
    name: 'checkout',
    source: 'Gross et al. (2008), Fundamentals of queueing theory; M/M/c, mean wait of 100 customers',
    variables: [integer(1, 6), float(15, 80), float(1.5, 6)],
    objectives: [atMost(5), atLeast(50)],
    start: [2, 40, 3],
    known: [5, 60, 3.2],
    draw: (x, chance) => {
      const { wait, load } = checkout(chance, x);
      return [wait, load];
    },
  }),
  define({
    name: 'coating',
    source:
      'Limpert, Stahel, Abbt (2001), Log-normal distributions across the sciences; defects that vary by half, and an output',
    variables: [float(0, 1), float(0, 1), float(0, 1)],
    objectives: [atMost(20), atLeast(16)],
    start: [0.1, 0.9, 0.9],
    known: [0.75, 0.5, 0.2],
    draw: (x, chance) => {
      const [defects, made] = coating(x);
      return [defects * lognormal(0.47, chance), made + 0.5 * chance.normal()];
    },
  }),
  define({
    name: 'ferry',
    source:
      'Lange, Little, Taylor (1989), Robust statistical modeling using the t distribution; three degrees of freedom',
    variables: [float(-1, 2), float(-1, 2), float(-1, 2)],
    objectives: within([0.6, 1.2], 0.35),
    start: [-0.5, 1.5, -0.5],
    known: [0.5, 0.6, 0.7],
    draw: (x, chance) => ferry(x).map((y) => y + 0.07 * t3(chance)),
  }),
  define({
    name: 'workbench',
    source: 'PERT; a duration with a gamma stage of shape 2, and its cost',
    variables: [float(1, 8), float(1, 4), float(0, 1)],
    objectives: [atMost(24), atMost(18)],
    start: [2, 1.5, 0.8],
    known: [4.2, 2.2, 0.1],
    draw: (x, chance) => {
      const [days, cost] = stages(x);
      return [days * (0.4 + 0.6 * gamma(2, chance)), cost + 0.2 * chance.normal()];
    },
  }),
  define({
    name: 'dryer',
    source: 'three smooth outputs with normal noise',
    variables: [float(0, 1), float(0, 1), float(0, 1)],
    objectives: [atMost(8), atMost(11), atLeast(34)],
    start: [0.1, 0.9, 0.9],
    known: [0.65, 0.5, 0.35],
    average: dryer,
    draw: (x, { normal }) => dryer(x).map((y, j) => y + [0.6, 0.7, 1.5][j]! * normal()),
  }),
  define({
    name: 'pump',
    source: 'flow and power of a pump; relative normal noise',
    variables: [float(0.5, 2), float(1, 4), float(0, 1)],
    objectives: [atLeast(16), atMost(22)],
    start: [0.7, 3.5, 0.8],
    known: [1.3, 1.7, 0.2],
    average: pump,
    draw: (x, { normal }) => pump(x).map((y) => y * (1 + 0.08 * normal())),
  }),
];

const etched = ([time, bath, stir]: readonly number[]): readonly [number, number] => [
  3 + 9 * (time! - 0.55) ** 2 + 6 * (bath! - 0.45) ** 2 + 1.5 * stir!,
  6 * time! + 4 * bath! + 3 * stir! - 2 * time! * bath!,
];
const baked = ([heat, minutes, rack]: readonly number[]): readonly [number, number] => [
  2 * heat! + minutes! - 0.8 * rack! ** 2,
  heat! * minutes! + 0.5 * rack!,
];
const turned = ([feed, speed, depth]: readonly number[]): readonly [number, number] => [
  10 * feed! + 4 * depth! + 3 * (speed! - 0.6) ** 2,
  18 * speed! * feed! + 6 * depth!,
];

/** Doctors, patients per hour, and minutes of each: the mean wait and the load. */
export const practice = {
  source: 'Gross et al. (2008), Fundamentals of queueing theory; M/M/c, mean wait of 80 patients',
  variables: [integer(1, 6), float(5, 30), float(4, 15)],
  start: [2, 14, 9],
  known: [6, 30, 9],
  draw: ([doctors, arrivals, minutes]: readonly number[], chance: Chance) => {
    const service = () => chance.exponential(minutes!);
    const { wait, load } = serve({ servers: doctors!, arrivals: arrivals!, customers: 80, service }, chance);
    return [wait, load];
  },
};

/** No constant was chosen on these. */
export const unseenSystems: readonly RandomSystem[] = [
  define({
    ...practice,
    name: 'clinic',
    objectives: [atMost(6), atLeast(50)],
  }),
  define({
    name: 'etching',
    source:
      'Limpert, Stahel, Abbt (2001), Log-normal distributions across the sciences; roughness that varies by 0.42, and a depth',
    variables: [float(0, 1), float(0, 1), float(0, 1)],
    objectives: [atMost(8), atLeast(5)],
    start: [0.1, 0.9, 0.9],
    known: [0.6, 0.45, 0.1],
    draw: (x, chance) => {
      const [roughness, depth] = etched(x);
      return [roughness * lognormal(0.4, chance), depth + 0.2 * chance.normal()];
    },
  }),
  define({
    name: 'oven',
    source: 'two smooth outputs with normal noise whose deviation differs by a factor of five',
    variables: [float(0, 1), float(0, 1), float(0, 1)],
    objectives: within([1.2, 0.5], 0.3),
    start: [0.1, 0.9, 0.9],
    known: [0.5, 0.5, 0.5],
    average: baked,
    draw: (x, { normal }) => baked(x).map((y) => y + 0.05 * 5 ** x[0]! * normal()),
  }),
  define({
    name: 'lathe',
    source: 'two smooth outputs with normal noise',
    variables: [float(0, 1), float(0, 1), float(0, 1)],
    objectives: [atMost(8), atLeast(7)],
    start: [0.1, 0.9, 0.9],
    known: [0.45, 0.9, 0.4],
    average: turned,
    draw: (x, { normal }) => turned(x).map((y) => y + 0.5 * normal()),
  }),
];
