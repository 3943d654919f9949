/** Fits of which the data determine only a combination of inputs: exactly, or within their errors. */

import type { Variable } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { type FitProblem, log, real } from './problem.ts';

interface System {
  readonly name: string;
  readonly variables: readonly Variable[];
  readonly truth: readonly number[];
  readonly model: (x: ArrayLike<number>) => number[];
  /** Standard errors: a share of each value, or one number. */
  readonly error: { readonly share: number } | number;
  /** Numbers of the inputs that the data do not determine. */
  readonly undetermined: readonly number[];
}

export interface UndeterminedProblem extends FitProblem {
  readonly undetermined: readonly number[];
}

const times = (from: number, to: number, count: number) =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
const T10 = times(1, 10, 10);
const { exp } = Math;

/** A tank that drains through a valve, by its level alone. */
function outlet(x: ArrayLike<number>): number[] {
  const step = 0.02;
  const levels: number[] = [];
  for (let i = 0, h = 2; i <= 300; i++) {
    if (i > 0 && i % 25 === 0) levels.push(h);
    h = Math.max(0, h - (step * x[0]! * Math.sqrt(h)) / x[1]!);
  }
  return levels;
}

const decay =
  (amplitude: (x: ArrayLike<number>) => number, rate: (x: ArrayLike<number>) => number) => (x: ArrayLike<number>) =>
    T10.map((t) => amplitude(x) * exp(-rate(x) * t));

const ratioDecay = decay(
  (x) => x[0]! / x[1]!,
  (x) => x[2]!,
);

const SYSTEMS: readonly System[] = [
  {
    name: 'ratio, three decades',
    variables: [log(1, 1000), log(0.1, 100), log(0.01, 2)],
    truth: [30, 6, 0.2],
    model: ratioDecay,
    error: { share: 0.02 },
    undetermined: [0, 1],
  },
  {
    name: 'ratio, linear',
    variables: [real(1, 100), real(1, 20), real(0.01, 1)],
    truth: [30, 6, 0.2],
    model: ratioDecay,
    error: { share: 0.02 },
    undetermined: [0, 1],
  },
  {
    name: 'ratio in a rate',
    variables: [real(0.1, 3), real(0.5, 5)],
    truth: [1.1, 2],
    model: outlet,
    error: 0.02,
    undetermined: [0, 1],
  },
  {
    name: 'product',
    variables: [real(0.2, 5), real(0.2, 5), log(0.05, 5)],
    truth: [2.2, 1.4, 0.6],
    model: (x) => T10.map((t) => x[0]! * x[1]! * (1 - exp(-x[2]! * t))),
    error: 0.03,
    undetermined: [0, 1],
  },
  {
    name: 'product of two scales',
    variables: [log(0.01, 100), log(1e-4, 1), real(-1, 1)],
    truth: [0.4, 0.05, 0.2],
    model: (x) => T10.map((t) => x[2]! + 100 * x[0]! * x[1]! * Math.sqrt(t)),
    error: 0.05,
    undetermined: [0, 1],
  },
  {
    name: 'sum',
    variables: [real(0, 4), real(0, 4), log(0.02, 2)],
    truth: [1.1, 2.4, 0.3],
    model: decay(
      (x) => x[0]! + x[1]!,
      (x) => x[2]!,
    ),
    error: 0.03,
    undetermined: [0, 1],
  },
  {
    name: 'sum of rates',
    variables: [log(0.01, 1), log(0.01, 1), real(1, 10)],
    truth: [0.12, 0.2, 5],
    model: decay(
      (x) => x[2]!,
      (x) => x[0]! + x[1]!,
    ),
    error: 0.05,
    undetermined: [0, 1],
  },
  {
    name: 'difference',
    variables: [real(0, 10), real(0, 10), real(0.1, 2)],
    truth: [6, 2.5, 0.5],
    model: (x) => T10.map((t) => (x[0]! - x[1]!) * t ** x[2]!),
    error: 0.1,
    undetermined: [0, 1],
  },
  {
    name: 'product over a third',
    variables: [log(0.1, 10), log(0.1, 10), log(0.1, 10), real(0.5, 8)],
    truth: [2, 3, 0.8, 3],
    model: (x) => T10.map((t) => (((x[0]! * x[1]!) / x[2]!) * t) / (x[3]! + t)),
    error: { share: 0.03 },
    undetermined: [0, 1, 2],
  },
  {
    name: 'sum of three',
    variables: [real(0, 3), real(0, 3), real(0, 3), real(-1, 1)],
    truth: [0.7, 1.5, 1.1, 0.3],
    model: (x) => T10.map((t) => x[0]! + x[1]! + x[2]! + x[3]! * t),
    error: 0.1,
    undetermined: [0, 1, 2],
  },
  {
    name: 'nearly a ratio',
    variables: [log(0.3, 100), log(3, 1000)],
    truth: [6, 60],
    model: (x) => times(0.1, 3, 12).map((t) => (x[0]! * t) / (x[1]! + t)),
    error: { share: 0.02 },
    undetermined: [0, 1],
  },
  {
    name: 'nearly a sum',
    variables: [real(0, 4), real(0, 4), real(0.1, 1)],
    truth: [1.4, 1.7, 0.3],
    model: (x) => T10.map((t) => x[0]! * exp(-x[2]! * t) + x[1]! * exp(-1.02 * x[2]! * t)),
    error: 0.03,
    undetermined: [0, 1],
  },
  {
    name: 'product at many times',
    variables: [log(0.05, 5), log(0.2, 20), log(0.02, 2)],
    truth: [0.5, 3, 0.3],
    model: (x) => times(0.2, 10, 50).map((t) => x[0]! * x[1]! * t * exp(-x[2]! * t)),
    error: 0.05,
    undetermined: [0, 1],
  },
  {
    name: 'ratio and sum',
    variables: [log(0.5, 50), log(0.1, 10), real(0, 1), real(0, 1)],
    truth: [6, 1.5, 0.15, 0.3],
    model: decay(
      (x) => x[0]! / x[1]!,
      (x) => x[2]! + x[3]!,
    ),
    error: { share: 0.03 },
    undetermined: [0, 1, 2, 3],
  },
  {
    name: 'factor and energy',
    variables: [log(1e4, 1e12), real(20, 90)],
    truth: [1e8, 55],
    model: (x) => times(340, 360, 8).map((T) => x[0]! * exp((-1000 * x[1]!) / (8.314 * T))),
    error: { share: 0.15 },
    undetermined: [0, 1],
  },
];

/** With data drawn by a seed. */
export const UNDETERMINED: readonly ((seed: number) => UndeterminedProblem)[] = SYSTEMS.map((system) => (seed) => {
  const random = makeRandom(seed, 1);
  const clean = system.model(system.truth);
  const sigmas = clean.map((y) => (typeof system.error === 'number' ? system.error : system.error.share * Math.abs(y)));
  const values = clean.map((y, j) => y + sigmas[j]! * random.normal());
  return { ...system, fits: [{ outputs: clean.map((_, j) => j), values, sigmas, weight: 1, loss: 'linear' as const }] };
});
