/**
 * Trade-offs: two or three outputs to minimize without aspiration, under limits on further outputs. The classic problems of
 * multi-objective optimization.
 */

import type { Variable } from '../../src/optimizer/interface/problem.ts';
import { sideImpact, weldedBeam } from './engineering.ts';
import { float, floats } from './problem.ts';

export interface FrontProblem {
  readonly name: string;
  /** Publication of the mathematics. */
  readonly source: string;
  readonly variables: readonly Variable[];
  /** The first outputs are to be minimized, as many as `reference` is long; the others have to be at most `limits`. */
  readonly limits: readonly number[];
  /** The hypervolume counts what lies below this point: what is worse in one output counts nothing. */
  readonly reference: readonly number[];
  /** The largest hypervolume known, of a front of many thousand evaluations; solvers never see it. */
  readonly bestHypervolume: number;
  /** Length: outputs to minimize, then the limited ones. */
  readonly evaluate: (x: readonly number[]) => readonly number[];
}

const zdtSource = 'Zitzler, Deb, Thiele 2000, Evolutionary Computation 8, with six inputs';

/** @param shape f2 / g from f1 and g */
function zdt(shape: (first: number, g: number) => number): FrontProblem['evaluate'] {
  return ([first, ...rest]) => {
    const g = 1 + (9 * rest.reduce((sum, x) => sum + x, 0)) / rest.length;
    return [first!, g * shape(first!, g)];
  };
}

export const fronts: readonly FrontProblem[] = [
  {
    name: 'bnh',
    source: 'Binh, Korn 1997',
    variables: [float(0, 5), float(0, 3)],
    limits: [25, -7.7],
    reference: [140, 50],
    bestHypervolume: 5285.2,
    evaluate: ([a, b]) => [
      4 * a! ** 2 + 4 * b! ** 2,
      (a! - 5) ** 2 + (b! - 5) ** 2,
      (a! - 5) ** 2 + b! ** 2,
      -((a! - 8) ** 2 + (b! + 3) ** 2),
    ],
  },
  {
    name: 'osy',
    source: 'Osyczka, Kundu 1995',
    variables: [float(0, 10), float(0, 10), float(1, 5), float(0, 6), float(1, 5), float(0, 10)],
    limits: [0, 0, 0, 0, 0, 0],
    reference: [-75, 75],
    bestHypervolume: 10083.5,
    evaluate: ([a, b, c, d, e, f]) => [
      -(25 * (a! - 2) ** 2 + (b! - 2) ** 2 + (c! - 1) ** 2 + (d! - 4) ** 2 + (e! - 1) ** 2),
      a! ** 2 + b! ** 2 + c! ** 2 + d! ** 2 + e! ** 2 + f! ** 2,
      2 - a! - b!,
      a! + b! - 6,
      b! - a! - 2,
      a! - 3 * b! - 2,
      d! + (c! - 3) ** 2 - 4,
      4 - (e! - 3) ** 2 - f!,
    ],
  },
  {
    name: 'srn',
    source: 'Srinivas, Deb 1994',
    variables: floats(2, -20, 20),
    limits: [225, -10],
    reference: [245, 25],
    bestHypervolume: 35473.4,
    evaluate: ([a, b]) => [2 + (a! - 2) ** 2 + (b! - 1) ** 2, 9 * a! - (b! - 1) ** 2, a! ** 2 + b! ** 2, a! - 3 * b!],
  },
  {
    name: 'tnk',
    source: 'Tanaka 1995',
    variables: floats(2, 0, Math.PI),
    limits: [0, 0.5],
    reference: [1.14, 1.14],
    bestHypervolume: 0.51815,
    evaluate: ([a, b]) => [
      a!,
      b!,
      1 + 0.1 * Math.cos(16 * Math.atan2(a!, b!)) - a! ** 2 - b! ** 2,
      (a! - 0.5) ** 2 + (b! - 0.5) ** 2,
    ],
  },
  {
    name: 'welded-beam',
    source: 'Ragsdell, Phillips 1976; Deb, Sundar 2006: cost and deflection',
    variables: [float(0.125, 5), float(0.1, 10), float(0.1, 10), float(0.125, 5)],
    limits: [13_600, 30_000, 0, -6000],
    reference: [40, 0.015],
    bestHypervolume: 0.5182,
    evaluate: (x) => {
      const [cost, shear, bending, excess, deflection, buckling] = weldedBeam(x);
      return [cost!, deflection!, shear!, bending!, excess!, -buckling!];
    },
  },
  {
    name: 'car-side-impact',
    source: 'Gu et al. 2001; Jain, Deb 2014: weight, pubic force and mean velocity',
    variables: [
      float(0.5, 1.5),
      float(0.45, 1.35),
      float(0.5, 1.5),
      float(0.5, 1.5),
      float(0.875, 2.625),
      float(0.4, 1.2),
      float(0.4, 1.2),
    ],
    limits: [1, 0.32, 0.32, 0.32, 32, 32, 32, 4, 9.9, 15.7],
    reference: [44, 4, 13],
    bestHypervolume: 12.2423,
    evaluate: (x) => {
      const [weight, ...responses] = sideImpact(x);
      return [weight!, responses[7]!, (responses[8]! + responses[9]!) / 2, ...responses];
    },
  },
  {
    name: 'dtlz2',
    source: 'Deb, Thiele, Laumanns, Zitzler 2002, three outputs, six inputs',
    variables: floats(6, 0, 1),
    limits: [],
    reference: [1.1, 1.1, 1.1],
    bestHypervolume: 1.1 ** 3 - Math.PI / 6,
    evaluate: ([a, b, ...rest]) => {
      const radius = 1 + rest.reduce((sum, x) => sum + (x - 0.5) ** 2, 0);
      const first = (a! * Math.PI) / 2;
      const second = (b! * Math.PI) / 2;
      return [
        radius * Math.cos(first) * Math.cos(second),
        radius * Math.cos(first) * Math.sin(second),
        radius * Math.sin(first),
      ];
    },
  },
  {
    name: 'zdt1',
    source: zdtSource,
    variables: floats(6, 0, 1),
    limits: [],
    reference: [1.1, 1.1],
    bestHypervolume: 1.1 ** 2 - 1 / 3,
    evaluate: zdt((first, g) => 1 - Math.sqrt(first / g)),
  },
  {
    name: 'zdt2',
    source: zdtSource,
    variables: floats(6, 0, 1),
    limits: [],
    reference: [1.1, 1.1],
    bestHypervolume: 1.1 ** 2 - 2 / 3,
    evaluate: zdt((first, g) => 1 - (first / g) ** 2),
  },
  {
    name: 'zdt3',
    source: zdtSource,
    variables: floats(6, 0, 1),
    limits: [],
    reference: [1.1, 1.1],
    bestHypervolume: 1.331763,
    evaluate: zdt((first, g) => 1 - Math.sqrt(first / g) - (first / g) * Math.sin(10 * Math.PI * first)),
  },
];
