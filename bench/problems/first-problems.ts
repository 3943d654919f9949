/**
 * Problems as somebody states them on a first day: outputs that no input moves, outputs that are cut off where nothing happens, choices
 * among materials, profits out of reach. Each comes with targets in reach and with targets beyond it.
 */
import { RISE_LIMIT, stepResponse } from './control-loop.ts';
import { atLeast, atMost, category, float, floats, integer, type Objective, type Problem, within } from './problem.ts';

interface FirstProblem {
  readonly name: string;
  readonly variables: Problem['variables'];
  readonly start: readonly number[];
  readonly evaluate: (x: readonly number[]) => readonly number[];
  /** Targets that some input meets; null where no target can be. */
  readonly inReach: readonly Objective[] | null;
  readonly beyond: readonly Objective[];
}

/** A shop: demand falls with the price and rises with advertising. */
function shop([price, advertising, staff]: readonly number[]): number[] {
  const demand = 100 * Math.exp(-0.3 * price!) * (1 + Math.log1p(advertising!));
  const served = demand / (1 + 0.2 * Math.abs(staff! - 3));
  return [served * price! - advertising! - 4 * staff!, served / staff!];
}

const CATALYSTS = [
  { order: 0.9, cost: 50 },
  { order: 1.1, cost: 10 },
  { order: 1, cost: 70 },
];
const SOLVENTS = [
  { order: 1, cost: 5 },
  { order: 0.8, cost: 8 },
];

/** Two reactions in a row, each at its own temperature, with a catalyst and a solvent. */
function cascade([first, second, catalyst, solvent]: readonly number[]): number[] {
  const by = CATALYSTS[catalyst!]!;
  const within = SOLVENTS[solvent!]!;
  const k1 = Math.exp(3 * by.order * (1 - 30 / first!));
  const k2 = Math.exp(2.5 * within.order * (1 - 48 / second!));
  return [
    100 * (1 - Math.exp(-0.2 * k1)) * (1 - Math.exp(-0.15 * k2)),
    1.5 * k1 + 1.2 * k2,
    by.cost + within.cost + 0.2 * first! + 0.1 * second!,
  ];
}

const METALS = [
  { density: 7.85, modulus: 210, cost: 1 },
  { density: 2.7, modulus: 70, cost: 3 },
  { density: 4.43, modulus: 114, cost: 12 },
];

/** A cantilever of a metal: mass, deflection, cost. */
function cantilever([metal, width, height]: readonly number[]): number[] {
  const { density, modulus, cost } = METALS[metal!]!;
  const mass = (density * width! * height!) / 10;
  return [mass, 4e5 / (modulus * width! * height! ** 3), mass * cost];
}

/** A pump that cuts off: no flow below its pressure, no more than its capacity above. */
function pump([speed, valve, diameter]: readonly number[]): number[] {
  const pressure = 0.02 * speed! ** 2 - 40 / diameter! ** 2;
  const flow = Math.min(60, Math.max(0, pressure * valve!));
  return [flow, 0.01 * speed! ** 2 + 0.2 * flow];
}

/** A line of machines: parts per hour are whole numbers, and the slowest machine decides. */
function line([saws, drills, painters]: readonly number[]): number[] {
  return [Math.floor(Math.min(11 * saws!, 7.5 * drills!, 16 * painters!)), 3 * saws! + 2 * drills! + 5 * painters!];
}

const PROBLEMS: readonly FirstProblem[] = [
  {
    name: 'constant output',
    variables: floats(2, 0, 10),
    start: [1, 2],
    evaluate: () => [5],
    inReach: null,
    beyond: within([7], 0.1),
  },
  {
    name: 'one constant of two',
    variables: floats(3, 0, 10),
    start: [1, 2, 3],
    evaluate: ([a, b, c]) => [5, a! + b! - c!],
    inReach: null,
    beyond: within([7, 9], 0.1),
  },
  {
    name: 'shop',
    variables: [float(0.5, 20), float(0, 50), float(1, 10)],
    start: [15, 5, 8],
    evaluate: shop,
    inReach: [atLeast(370), atMost(80)],
    beyond: [atLeast(500), atMost(20)],
  },
  {
    name: 'control loop',
    variables: [float(0.1, 20), float(0, 10), float(0, 5)],
    start: [10, 5, 2.5],
    evaluate: ([p, i, d]) => stepResponse(p!, i!, d!),
    inReach: [atMost(5), atMost(2.5), atMost(12)],
    beyond: [atMost(2), atMost(RISE_LIMIT), atMost(8)],
  },
  {
    name: 'cascade',
    variables: [float(20, 120), float(20, 120), category(3), category(2)],
    start: [60, 60, 1, 1],
    evaluate: cascade,
    inReach: [atLeast(30), atMost(14), atMost(60)],
    beyond: [atLeast(95), atMost(5), atMost(60)],
  },
  {
    name: 'cantilever',
    variables: [category(3), float(1, 10), float(1, 20)],
    start: [0, 5, 5],
    evaluate: cantilever,
    inReach: [atMost(12), atMost(2), atMost(40)],
    beyond: [atMost(6), atMost(1), atMost(10)],
  },
  {
    name: 'pump',
    variables: [float(10, 60), float(0, 1), float(0.5, 3)],
    start: [20, 0.2, 1],
    evaluate: pump,
    inReach: [within([45], 0.5)[0]!, atMost(40)],
    beyond: [atLeast(75), atMost(60)],
  },
  {
    name: 'line',
    variables: [integer(1, 12), integer(1, 12), integer(1, 12)],
    start: [3, 3, 3],
    evaluate: line,
    inReach: [atLeast(66), atMost(70)],
    beyond: [atLeast(80), atMost(60)],
  },
];

export type Reach = 'in reach' | 'beyond';

/** A problem of each, of those that have such targets. The start does not meet them. */
export function firstProblems(reach: Reach): readonly Problem[] {
  return PROBLEMS.flatMap(({ inReach, beyond, ...one }) => {
    const objectives = reach === 'in reach' ? inReach : beyond;
    if (objectives === null) return [];
    return [
      {
        ...one,
        name: `${one.name}, ${reach}`,
        family: 'tolerance',
        source: 'Backsolve',
        objectives,
        desiredL1Norm: 0,
        convergence: 1e-6,
        budget: 200,
        known: [],
        noisy: false,
      },
    ];
  });
}
