/**
 * Problems that no input solves: aspirations a fifth beyond the optimum of problems of the collection, and sized designs whose
 * limits contradict each other, with integers, booleans and categories. The latter are made up for this purpose;
 * test/bench/infeasible.test.ts shows by a dense search that no input meets their limits.
 */
import {
  atLeast,
  atMost,
  boolean,
  category,
  defineProblems,
  float,
  integer,
  maximize,
  minimize,
  type Problem,
} from '../problems/problem.ts';
import { getProblemOfAnySet } from '../problems/sets.ts';

const BEYOND = 0.2;

/** The optima of problems whose first output is to be minimized or maximized. */
const OPTIMA: readonly (readonly [name: string, optimum: number])[] = [
  ['g04-himmelblau', -30665.54],
  ['welded-beam-cost', 1.724852],
  ['pressure-vessel-cost', 5804.376],
  ['spring-weight', 0.01266523],
  ['speed-reducer-weight', 2994.471],
  ['alkylation-profit', 1161.337],
  ['pressure-vessel-plates', 6059.714],
  ['speed-reducer-teeth', 2994.471],
  ['concrete-beam', 359.208],
  ['welded-beam-materials', 1.933609],
];

const aspiring = OPTIMA.map(([name, optimum]): Problem => {
  const problem = getProblemOfAnySet(name);
  const first = problem.objectives[0]!;
  const target = optimum + (first.type === 'maximize' ? 1 : -1) * BEYOND * Math.abs(optimum);
  return { ...problem, objectives: [{ ...first, target }, ...problem.objectives.slice(1)] };
});

const densities = [7.8, 2.7, 4.5, 1.6];
const strengths = [250, 150, 400, 120];
const conductivities = [16, 55, 380];
const efficiencies = [0.62, 0.7, 0.55, 0.75];

export const contradicting = defineProblems('mixed', [
  {
    name: 'bracket',
    source: 'bending of a plate; material as category, thickness in whole millimetres',
    variables: [category(4), integer(2, 12), float(10, 60)],
    objectives: [atMost(60), atLeast(2.5)],
    start: [0, 6, 30],
    known: [],
    evaluate: ([material, thickness, width]) => [
      densities[material!]! * thickness! * width! * 0.1,
      (strengths[material!]! * width! * thickness! ** 2) / 4e5,
    ],
  },
  {
    name: 'gearbox',
    source: 'ratio and size of one or two equal stages of whole teeth',
    variables: [integer(12, 40), integer(12, 60), boolean()],
    objectives: [atLeast(15), atMost(95)],
    start: [20, 30, 0],
    known: [],
    evaluate: ([pinion, wheel, second]) => [
      (wheel! / pinion!) ** (1 + second!),
      (pinion! + wheel!) * (1 + 0.8 * second!),
    ],
  },
  {
    name: 'stirred tank',
    source: 'power and mixing time of three impellers, with and without baffles',
    variables: [category(3), boolean(), float(50, 300), float(0.2, 0.6)],
    objectives: [atMost(250), atMost(5.2)],
    start: [0, 0, 150, 0.4],
    known: [],
    evaluate: ([impeller, baffles, speed, size]) => {
      const number = [5, 1.3, 0.4][impeller!]! * (baffles! ? 1 : 0.5);
      const turns = speed! / 60;
      return [
        1000 * number * turns ** 3 * size! ** 5,
        (baffles! ? 20 : 35) / (turns * size! ** 2 * 9 * (1 + 0.3 * impeller!)) + 4,
      ];
    },
  },
  {
    name: 'spans of a bridge',
    source: 'deflection and cost by the number of spans and the depth of the girder',
    variables: [integer(1, 8), float(0.4, 3)],
    objectives: [atMost(5), atMost(260)],
    start: [3, 1.5],
    known: [],
    evaluate: ([spans, depth]) => [(4000 / spans! ** 3 / depth! ** 2) * 0.5 + 1, 90 * depth! + 55 * spans!],
  },
  {
    name: 'bundle of tubes',
    source: 'duty, pressure drop and cost of a bundle of whole tubes of three metals',
    variables: [category(3), integer(10, 80), float(1, 6)],
    objectives: [atLeast(400), atMost(20), atMost(150)],
    start: [1, 40, 3],
    known: [],
    evaluate: ([metal, tubes, length]) => {
      const transfer = 1 / (0.4 + 4 / conductivities[metal!]!);
      return [
        transfer * tubes! * length! * 0.9,
        (900 * length!) / tubes!,
        tubes! * length! * [0.5, 0.7, 1.3][metal!]! + 20,
      ];
    },
  },
  {
    name: 'laminate',
    source: 'mass to be minimized under a stiffness that the thickest laminate does not have',
    variables: [integer(4, 40), float(0, 90)],
    objectives: [minimize(2), atLeast(900), atLeast(5)],
    start: [20, 45],
    known: [],
    evaluate: ([plies, angle]) => {
      const along = Math.cos((angle! * Math.PI) / 180) ** 2;
      return [0.2 * plies!, plies! * (2 + 15 * along), (plies! * plies! * (1.2 - along)) / 50];
    },
  },
  {
    name: 'cooling loop',
    source: 'energy to be minimized under a temperature that no pump reaches',
    variables: [category(4), boolean(), float(0.5, 4)],
    objectives: [minimize(1), atMost(28)],
    start: [0, 0, 2],
    known: [],
    evaluate: ([pump, insulation, flow]) => [
      (0.4 * flow! ** 2) / efficiencies[pump!]! + 0.3,
      24 + 18 / (1 + flow!) + (insulation! ? 2 : 5) + 2 * (1 - efficiencies[pump!]!),
    ],
  },
  {
    name: 'blend of three',
    source: 'profit to be maximized under two qualities that conflict',
    variables: [float(0, 1), float(0, 1), float(0, 1)],
    objectives: [maximize(20), atLeast(1.4), atMost(0.5)],
    start: [0.5, 0.5, 0.5],
    known: [],
    evaluate: ([a, b, c]) => [
      5 * a! + 3 * b! - 2 * c! + a! * b!,
      a! + 0.6 * b! + 0.2 * c!,
      a! * a! + 0.4 * b! + 0.1 * c!,
    ],
  },
  {
    name: 'wire rope',
    source: 'cost to be minimized under a strength that no grade has at the largest diameter',
    variables: [category(5), float(4, 12)],
    objectives: [minimize(3), atLeast(200)],
    start: [2, 8],
    known: [],
    evaluate: ([grade, diameter]) => [
      (1 + 0.3 * grade!) * 0.1 * diameter! ** 2,
      [0.9, 1, 1.05, 1.12, 1.2][grade!]! * diameter! ** 2,
    ],
  },
  {
    name: 'shifts and machines',
    source: 'throughput, staff and waiting by whole machines, shifts and buffers',
    variables: [integer(1, 12), integer(1, 3), integer(0, 12)],
    objectives: [atLeast(90), atMost(14), atMost(3)],
    start: [5, 2, 5],
    known: [],
    evaluate: ([machines, shifts, buffers]) => [
      5 * machines! * shifts! * (buffers! / (buffers! + 3)),
      machines! * shifts! + 2,
      0.3 * buffers! + 6 / machines!,
    ],
  },
]);

export const infeasible: readonly Problem[] = [...aspiring, ...contradicting];
