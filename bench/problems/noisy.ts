/**
 * Noisy measurements: every evaluation of an input differs. The noise follows from the seed of the play and the number of
 * the evaluation, so a play repeats exactly. Tolerances are three or more standard deviations wide.
 */
import { weldedBeam } from './engineering.ts';
import { branin } from './minimize-maximize.ts';
import {
  atLeast,
  atMost,
  defineProblems,
  float,
  floats,
  minimize,
  type RunIdentity,
  within,
  withinPercent,
} from './problem.ts';
import { makeRunNoise } from './random.ts';
import { planarArm } from './robot.ts';
import { integrate } from './runge-kutta.ts';
import { sir } from './simulators.ts';

/** Adds N(0, sd) to every output. */
function additive(evaluate: (x: readonly number[]) => readonly number[], sd: number) {
  return (x: readonly number[], run: RunIdentity) => {
    const normal = makeRunNoise(run);
    return evaluate(x).map((value) => value + sd * normal());
  };
}

/** Multiplies every output by 1 + N(0, share). */
function relative(evaluate: (x: readonly number[]) => readonly number[], share: number) {
  return (x: readonly number[], run: RunIdentity) => {
    const normal = makeRunNoise(run);
    return evaluate(x).map((value) => value * (1 + share * normal()));
  };
}

/** Concentrations of A and B in A -> B -> C (Arrhenius) at five times; prefactors (log10) and energies (kJ/mol). */
function consecutive([a1, e1, a2, e2]: readonly number[]): number[] {
  const rate = (prefactor: number, energy: number) => 10 ** prefactor * Math.exp((-energy * 1000) / (8.314 * 340));
  const [k1, k2] = [rate(a1!, e1!), rate(a2!, e2!)];
  const states = integrate(([a, b]) => [-k1 * a!, k1 * a! - k2 * b!], [1, 0], 10, 200);
  return [20, 60, 120, 200].flatMap((step) => states[step]!);
}

const rosenbrockOutputs = ([a, b]: readonly number[]) => [10 * (b! - a! * a!), a!];
const arm = [0.5, 0.4, 0.3, 0.2];
const armTruth = [0.5, 0.6, -0.3, 0.8];
const kineticsTruth = [7.1, 48, 6.4, 46];
const sirTruth = [0.38, 0.12, 0.003];

export const noisyProblems = defineProblems('noisy', [
  {
    name: 'noisy-rosenbrock',
    source: 'More, Wild (2011), Estimating computational noise; Rosenbrock outputs with additive noise',
    variables: floats(2, -3, 4),
    objectives: within([0, 1], 0.15),
    start: [-1.2, 1],
    known: [1, 1],
    noisy: true,
    evaluate: additive(rosenbrockOutputs, 0.03),
  },
  {
    name: 'noisy-outbreak',
    source: 'Kermack, McKendrick (1927), observed with 0.5 percent of relative error',
    variables: [float(0.15, 0.9), float(0.05, 0.4), float(1e-4, 0.01)],
    objectives: withinPercent(sir(sirTruth), 2.5),
    start: [0.7, 0.3, 0.008],
    known: sirTruth,
    noisy: true,
    evaluate: relative(sir, 0.005),
  },
  {
    name: 'noisy-arm',
    source: 'Craig, Introduction to robotics; planar arm of four links, repeatability 3 mm',
    variables: floats(4, -1.4, 1.6),
    objectives: within([...planarArm(arm, armTruth)], 0.015),
    start: [-0.5, -0.5, 0.5, 0.5],
    known: armTruth,
    noisy: true,
    evaluate: additive((x) => planarArm(arm, x), 0.003),
  },
  {
    name: 'noisy-kinetics',
    source: 'Fogler, Elements of chemical reaction engineering; consecutive reactions, assay error 0.005',
    variables: [float(5, 9), float(35, 60), float(5, 9), float(35, 60)],
    objectives: within(consecutive(kineticsTruth), 0.025),
    start: [6, 55, 8, 40],
    known: kineticsTruth,
    noisy: true,
    evaluate: additive(consecutive, 0.005),
  },
  {
    name: 'noisy-branin',
    source: 'Dixon, Szego (1978), Branin with additive noise of 0.1',
    variables: [float(-5, 10), float(0, 15)],
    objectives: [minimize(0.8)],
    start: [6, 12],
    known: [Math.PI, 2.275],
    noisy: true,
    evaluate: additive(([a, b]) => [branin(a!, b!)], 0.1),
  },
  {
    name: 'noisy-welded-beam',
    source: 'Ragsdell, Phillips (1976), outputs with 0.3 percent of relative error, cost 16 percent over the optimum',
    variables: [float(0.1, 2), float(0.1, 10), float(0.1, 10), float(0.1, 2)],
    objectives: [atMost(2), atMost(13600), atMost(30000), atMost(0), atMost(0.25), atLeast(6000)],
    start: [1, 5, 5, 1],
    known: [0.21, 3.6, 9.4, 0.22],
    noisy: true,
    evaluate: relative(weldedBeam, 0.003),
  },
  {
    name: 'noisy-quadratic-10',
    source: 'More, Wild (2011); ten coupled quadratics, noise 0.02',
    variables: floats(10, -2, 2.5),
    objectives: within(new Array(10).fill(1), 0.15),
    start: new Array(10).fill(-1),
    known: new Array(10).fill(0.7807764064),
    noisy: true,
    evaluate: additive((x) => x.map((value, i) => value * value + 0.5 * x[(i + 1) % x.length]!), 0.02),
  },
]);
