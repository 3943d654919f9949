/** Smooth systems with wanted outputs, and their derivatives by central differences to about nine digits. */

import type { Variable } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';

export interface SmoothSystem {
  readonly name: string;
  readonly variables: readonly Variable[];
  readonly model: (x: ArrayLike<number>) => number[];
  /** An input that gives the wanted outputs. */
  readonly solution: readonly number[];
  /** Share of the standard deviation of an output over the box by which it may miss. */
  readonly tolerance: number;
}

const { exp, sin, cos, sqrt, log, tanh, PI, hypot, atan2 } = Math;

function real(minimum: number, maximum: number): Variable {
  return { kind: 'float', minimum, maximum };
}

function logarithmic(minimum: number, maximum: number): Variable {
  return { kind: 'float', minimum, maximum, isLogarithmic: true };
}

/** A cantilever with a hole: width, height, length in mm, and the radius. Deflection, stress, mass, frequency. */
function beam(x: ArrayLike<number>): number[] {
  const [b, h, l, r] = [x[0]!, x[1]!, x[2]!, x[3]!];
  const inertia = (b * h ** 3) / 12 - (PI * r ** 4) / 4;
  const area = b * h - PI * r ** 2;
  const mass = area * l * 7.85e-6;
  return [
    (1000 * l ** 3) / (3 * 2.1e5 * inertia),
    (1000 * l * h) / (2 * inertia),
    mass,
    sqrt(inertia / (area * l ** 4)) * 1e6,
  ];
}

/** Two reactions in series in a tube: temperature in K, residence time in min, ratio, and an inlet concentration. */
function tube(x: ArrayLike<number>): number[] {
  const [T, tau, ratio, c0] = [x[0]!, x[1]!, x[2]!, x[3]!];
  const k1 = exp(18 - 7000 / T) * ratio ** 0.6;
  const k2 = exp(22 - 9500 / T);
  const a = c0 * exp(-k1 * tau);
  const b = ((c0 * k1) / (k2 - k1)) * (exp(-k1 * tau) - exp(-k2 * tau));
  return [a, b, c0 - a - b, b / (c0 - a), b / tau];
}

/** An arm of three joints: where its hand is, how it is turned, and the torques that hold it. */
function arm(x: ArrayLike<number>): number[] {
  const [a, b, c] = [x[0]!, x[0]! + x[1]!, x[0]! + x[1]! + x[2]!];
  const px = cos(a) + 0.8 * cos(b) + 0.5 * cos(c);
  const py = sin(a) + 0.8 * sin(b) + 0.5 * sin(c);
  return [px, py, c, 3 * cos(a) + 1.6 * cos(b), hypot(px, py)];
}

/** A band filter of five elements: attenuation at six frequencies. */
function filter(x: ArrayLike<number>): number[] {
  return [0.3, 0.6, 1, 1.5, 2.2, 3].map((w) => {
    let [ar, ai, br, bi] = [1, 0, 1, 0];
    for (let k = 0; k < 5; k++) {
      const z = w * x[k]!;
      if (k % 2 === 0) [ar, ai] = [ar - z * bi, ai + z * br];
      else [br, bi] = [br - z * ai, bi + z * ar];
    }
    return 10 * log(1 + 0.25 * ((ar - br) ** 2 + (ai - bi) ** 2));
  });
}

/** A pump, two pipes and a tank: rates, speeds and levels that follow from diameters and a speed of rotation. */
function pipes(x: ArrayLike<number>): number[] {
  const [speed, d1, d2, rough, head, valve] = [x[0]!, x[1]!, x[2]!, x[3]!, x[4]!, x[5]!];
  const resistance = (rough * 0.02) / d1 ** 5 + (rough * 0.03) / d2 ** 5 + 4 / valve;
  const flow = sqrt((40 * speed ** 2 + head) / (resistance + 2));
  const power = flow * (40 * speed ** 2 - 3 * flow ** 2 + 5);
  return [
    flow,
    flow / d1 ** 2,
    flow / d2 ** 2,
    power,
    head - (rough * 0.02 * flow ** 2) / d1 ** 5,
    power / flow,
    flow / valve,
    d1 ** 2 + d2 ** 2,
  ];
}

/** Doses of a drug with three rates: concentrations at five times. */
function doses(x: ArrayLike<number>): number[] {
  const [ka, ke, v] = [x[0]!, x[1]!, x[2]!];
  return [0.5, 1, 2, 4, 8].map((t) => ((100 * ka) / (v * (ka - ke))) * (exp(-ke * t) - exp(-ka * t)));
}

/** A lens of two surfaces: focal length, an aberration and the place of the image. */
function lens(x: ArrayLike<number>): number[] {
  const [r1, r2] = [x[0]!, x[1]!];
  const power = 0.52 * (1 / r1 + 1 / r2) - (0.52 ** 2 * 6) / (1.52 * r1 * r2);
  const shape = (r2 - r1) / (r2 + r1);
  return [1 / power, shape ** 2 + 1.3 * shape + power * 10, atan2(1, 100 * power - 1) + tanh(shape)];
}

/** Sines and products of five inputs, seven outputs. */
function coupled(x: ArrayLike<number>): number[] {
  return Array.from({ length: 7 }, (_, j) => {
    let sum = 0;
    for (let v = 0; v < 5; v++)
      sum += sin(x[v]! * (0.6 + 0.2 * ((j * 3 + v * 2) % 5)) + j * 0.7 + v) * (1 + ((j + v) % 3) / 2);
    return sum + 0.4 * x[j % 5]! * x[(j + 2) % 5]!;
  });
}

export const SYSTEMS: readonly SmoothSystem[] = [
  {
    name: 'beam',
    variables: [real(20, 80), real(30, 120), real(400, 1200), real(2, 9)],
    model: beam,
    solution: [44, 71, 830, 5.2],
    tolerance: 1e-3,
  },
  {
    name: 'tube',
    variables: [real(380, 460), logarithmic(0.2, 20), real(0.5, 3), real(0.5, 4)],
    model: tube,
    solution: [421, 2.9, 1.7, 2.2],
    tolerance: 1e-3,
  },
  {
    name: 'arm',
    variables: [real(-1.5, 1.5), real(-1.5, 1.5), real(-1.5, 1.5)],
    model: arm,
    solution: [0.7, -0.9, 0.4],
    tolerance: 1e-4,
  },
  {
    name: 'filter',
    variables: Array.from({ length: 5 }, () => real(0.3, 2.5)),
    model: filter,
    solution: [0.9, 1.4, 1.8, 1.2, 0.7],
    tolerance: 1e-2,
  },
  {
    name: 'pipes',
    variables: [real(0.6, 1.4), real(0.3, 0.8), real(0.3, 0.8), real(0.5, 3), real(2, 12), real(1, 6)],
    model: pipes,
    solution: [1.1, 0.55, 0.47, 1.4, 7, 3.1],
    tolerance: 1e-3,
  },
  {
    name: 'doses',
    variables: [logarithmic(0.3, 6), logarithmic(0.03, 0.28), real(10, 60)],
    model: doses,
    solution: [1.3, 0.11, 28],
    tolerance: 1e-3,
  },
  { name: 'lens', variables: [real(20, 200), real(20, 200)], model: lens, solution: [61, 128], tolerance: 1e-4 },
  {
    name: 'coupled',
    variables: Array.from({ length: 5 }, () => real(-2, 2)),
    model: coupled,
    solution: [0.6, -0.9, 1.1, 0.2, -0.4],
    tolerance: 1e-2,
  },
];

/** Outputs x inputs, by central differences. */
export function jacobianOf(
  model: SmoothSystem['model'],
  variables: readonly Variable[],
  x: readonly number[],
): number[][] {
  const columns = variables.map(({ minimum, maximum }, v) => {
    const h = 1e-5 * Math.min(maximum - minimum, Math.abs(x[v]!) || maximum - minimum);
    const [more, less] = [model(x.with(v, x[v]! + h)), model(x.with(v, x[v]! - h))];
    return more.map((y, j) => (y - less[j]!) / (2 * h));
  });
  return columns[0]!.map((_, j) => columns.map((column) => column[j]!));
}

/** Length m: the standard deviation of each output over the box. */
export function spreads({ model, variables }: Pick<SmoothSystem, 'model' | 'variables'>): number[] {
  const random = makeRandom(11, 1);
  const sample = Array.from({ length: 400 }, () =>
    model(
      variables.map(({ minimum, maximum, isLogarithmic }) => {
        const share = random.uniform();
        return isLogarithmic ? minimum * (maximum / minimum) ** share : minimum + share * (maximum - minimum);
      }),
    ),
  );
  return sample[0]!.map((_, j) => {
    const mean = sample.reduce((sum, y) => sum + y[j]! / sample.length, 0);
    return sqrt(sample.reduce((sum, y) => sum + (y[j]! - mean) ** 2 / sample.length, 0));
  });
}
