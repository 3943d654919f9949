/** Problems whose solutions lie in separate regions, all of which are known. */
import { branin } from './minimize-maximize.ts';
import { above, atMost, category, exact, float, floats, type Problem, within, withinPercent } from './problem.ts';

export interface SeveralProblem
  extends Pick<Problem, 'name' | 'source' | 'variables' | 'objectives' | 'start' | 'desiredL1Norm' | 'convergence'> {
  /** One point of each region. */
  readonly regions: readonly (readonly number[])[];
  /** The least distance of two solutions that a client would ask for. */
  readonly apart: number;
  readonly evaluate: (x: readonly number[]) => readonly number[];
}

const LINKS = [1, 0.8] as const;

/** The hand of a plane arm of two links. */
const hand = (shoulder: number, elbow: number) => [
  LINKS[0] * Math.cos(shoulder) + LINKS[1] * Math.cos(shoulder + elbow),
  LINKS[0] * Math.sin(shoulder) + LINKS[1] * Math.sin(shoulder + elbow),
];

/** Shoulder and elbow that reach a point, with the elbow on either side. */
function reaching(x: number, y: number): [number, number][] {
  const cosine = (x * x + y * y - LINKS[0] ** 2 - LINKS[1] ** 2) / (2 * LINKS[0] * LINKS[1]);
  return [Math.acos(cosine), -Math.acos(cosine)].map((elbow) => {
    const shoulder = Math.atan2(y, x) - Math.atan2(LINKS[1] * Math.sin(elbow), LINKS[0] + LINKS[1] * Math.cos(elbow));
    return [shoulder, elbow];
  });
}

const himmelblau = (x: number, y: number) => [x * x + y - 11, x + y * y - 7] as const;
const himmelblauRoots = [
  [3, 2],
  [-2.805118, 3.131313],
  [-3.77931, -3.283186],
  [3.584428, -1.848127],
];

const hills = [
  [0.2, 0.2],
  [0.8, 0.15],
  [0.45, 0.6],
  [0.15, 0.8],
  [0.85, 0.85],
];

const materials = [
  { stiffness: 210, density: 7.85 },
  { stiffness: 70, density: 2.7 },
  { stiffness: 110, density: 4.5 },
];
const MASS = 3000;
const BENDING = 7.8e6;

export const severalProblems: readonly SeveralProblem[] = [
  {
    name: 'himmelblau-roots',
    source: 'Himmelblau 1972: both equations',
    variables: floats(2, -5, 5),
    objectives: exact([0, 0]),
    desiredL1Norm: 0.01,
    convergence: 1e-6,
    start: [0, 0],
    regions: himmelblauRoots,
    apart: 0.1,
    evaluate: ([x, y]) => himmelblau(x!, y!),
  },
  {
    name: 'circle-and-hyperbola',
    source: 'x^2 + y^2 = 4, x y = 1: four intersections',
    variables: floats(2, -3, 3),
    objectives: exact([4, 1]),
    desiredL1Norm: 0.01,
    convergence: 1e-6,
    start: [0.5, -1],
    regions: [
      [1.931852, 0.517638],
      [0.517638, 1.931852],
      [-1.931852, -0.517638],
      [-0.517638, -1.931852],
    ],
    apart: 0.1,
    evaluate: ([x, y]) => [x! * x! + y! * y!, x! * y!],
  },
  {
    name: 'two-link-arm',
    source: 'Craig 1989, Introduction to Robotics: elbow up and elbow down',
    variables: [float(-Math.PI, Math.PI), float(-Math.PI, Math.PI)],
    objectives: within([1.2, 0.6], 0.01),
    desiredL1Norm: 0,
    convergence: 1e-6,
    start: [2, 2],
    regions: reaching(1.2, 0.6),
    apart: 0.1,
    evaluate: ([shoulder, elbow]) => hand(shoulder!, elbow!),
  },
  {
    name: 'two-arms',
    source: 'two arms as above that reach two points: four ways',
    variables: floats(4, -Math.PI / 2, Math.PI / 2),
    objectives: within([1.3, 0.6, 1.2, -0.7], 0.02),
    desiredL1Norm: 0,
    convergence: 1e-6,
    start: [0, 1.2, 0, -1.2],
    regions: reaching(1.3, 0.6).flatMap((left) => reaching(1.2, -0.7).map((right) => [...left, ...right])),
    apart: 0.1,
    evaluate: ([a, b, c, d]) => [...hand(a!, b!), ...hand(c!, d!)],
  },
  {
    name: 'stirred-reactor',
    source: 'van Heerden 1953: the three steady states of an adiabatic stirred reactor',
    variables: [float(0, 1), float(290, 550)],
    objectives: within([0, 0], 0.005),
    desiredL1Norm: 0,
    convergence: 1e-6,
    start: [0.9, 300],
    regions: [
      [0.000241, 300.05],
      [0.5, 400],
      [0.99295, 498.59],
    ],
    apart: 0.1,
    evaluate: ([conversion, temperature]) => {
      const rate = Math.exp(25 - 10_000 / temperature!);
      return [conversion! - rate / (1 + rate), (temperature! - 300) / 200 - conversion!];
    },
  },
  {
    name: 'himmelblau-basins',
    source: 'Himmelblau 1972: the sum of squares, four minima',
    variables: floats(2, -5, 5),
    objectives: [atMost(2)],
    desiredL1Norm: 0,
    convergence: 1e-6,
    start: [0, 0],
    regions: himmelblauRoots,
    apart: 0.2,
    evaluate: ([x, y]) => {
      const [a, b] = himmelblau(x!, y!);
      return [a * a + b * b];
    },
  },
  {
    name: 'six-hump-camel',
    source: 'Dixon, Szego 1978: the two global minima',
    variables: [float(-2, 2), float(-1, 1)],
    objectives: [atMost(-0.95)],
    desiredL1Norm: 0,
    convergence: 1e-6,
    start: [1.5, 0.8],
    regions: [
      [0.0898, -0.7126],
      [-0.0898, 0.7126],
    ],
    apart: 0.2,
    evaluate: ([a, b]) => [(4 - 2.1 * a! ** 2 + a! ** 4 / 3) * a! ** 2 + a! * b! + (-4 + 4 * b! ** 2) * b! ** 2],
  },
  {
    name: 'branin',
    source: 'Dixon, Szego 1978: the three global minima',
    variables: [float(-5, 10), float(0, 15)],
    objectives: [atMost(0.6)],
    desiredL1Norm: 0,
    convergence: 1e-6,
    start: [2.5, 7.5],
    regions: [
      [-Math.PI, 12.275],
      [Math.PI, 2.275],
      [9.42478, 2.475],
    ],
    apart: 0.2,
    evaluate: ([a, b]) => [branin(a!, b!)],
  },
  {
    name: 'five-hills',
    source: 'five bells of one height',
    variables: floats(2, 0, 1),
    objectives: [above(0.9)],
    desiredL1Norm: 0,
    convergence: 1e-6,
    start: [0.5, 0.1],
    regions: hills,
    apart: 0.2,
    evaluate: ([x, y]) => [
      hills.reduce((sum, [a, b]) => sum + Math.exp(-((x! - a!) ** 2 + (y! - b!) ** 2) / (2 * 0.12 ** 2)), 0),
    ],
  },
  {
    name: 'material-choice',
    source: 'mass and bending stiffness of a strip of steel, aluminium or titanium: one size of each',
    variables: [category(3), float(2, 20), float(10, 150)],
    objectives: withinPercent([MASS, BENDING], 2),
    desiredL1Norm: 0,
    convergence: 1e-6,
    start: [0, 5, 100],
    regions: materials.map(({ stiffness, density }, k) => {
      const thickness = Math.sqrt((BENDING * density) / (stiffness * MASS));
      return [k, thickness, MASS / (density * thickness)];
    }),
    apart: 0.1,
    evaluate: ([k, thickness, width]) => {
      const { stiffness, density } = materials[k!]!;
      return [density * width! * thickness!, stiffness * width! * thickness! ** 3];
    },
  },
];
