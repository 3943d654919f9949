/**
 * Problems with constraints among their inputs: runs to the goal, the worst violation of any designed or suggested input, and
 * the processor time of a suggestion beside that of the same problem without its constraints, at equal histories, one after
 * the other in one process.
 *
 *   npx node bench/solvers/constraints.ts [--seeds 2] [--budget 60] [--problem NAME]
 *
 * Ends with 1 when an inequality does not hold to the last bit, or an equation to a few.
 * Sources: hs... of Hock and Schittkowski, Test Examples for Nonlinear Programming Codes (1981); g01 of Floudas and Pardalos, A
 * Collection of Test Problems for Constrained Global Optimization Algorithms (1990); g08 and g24 of Liang and others, Problem
 * definitions for the CEC 2006 session on constrained optimization; the spring and the vessel of Arora, Introduction to Optimum
 * Design (1989), and Sandgren, Nonlinear integer and discrete programming, J. Mech. Design 112 (1990). The others are made up here.
 */
import { parseArgs } from 'node:util';
import { parseCondition } from '../../src/domain/problem/expression.ts';
import { termsOf } from '../../src/numbers/conditions.ts';
import { Program } from '../../src/optimizer/constraints/program.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Condition, SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { float, floats, integer } from '../problems/problem.ts';
import { quantile } from '../quantile.ts';
import { WORK_LIMIT } from './play.ts';

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2' },
    budget: { type: 'string', default: '60' },
    problem: { type: 'string' },
  },
});
const budget = Number(options.budget);
/** By how much an equation may be missed, as a share of its terms. */
const ROUNDINGS = 2 ** -51;

interface Constrained {
  readonly name: string;
  readonly variables: readonly Variable[];
  readonly constraints: readonly string[];
  readonly evaluate: (x: readonly number[]) => readonly number[];
  readonly targets: readonly Target[];
}

const interval = (lower: number, upper: number): Target => ({
  lower,
  upper,
  lowerOpen: false,
  upperOpen: false,
  direction: 'none',
});
const within = (center: number, share: number) =>
  interval(center - Math.abs(center) * share, center + Math.abs(center) * share);
const atMost = (upper: number) => interval(Number.NEGATIVE_INFINITY, upper);
const sumOf = (count: number) => Array.from({ length: count }, (_, i) => `x${i + 1}`).join(' + ');

/** Smooth responses of inputs that are scaled to [0, 1]; `known` meets them to 0.5 percent. */
function responses({
  name,
  variables,
  constraints,
  outputs,
  known,
}: Pick<Constrained, 'name' | 'variables' | 'constraints'> & {
  outputs: number;
  known: readonly number[];
}): Constrained {
  const shareOf = (one: number, v: number) =>
    (one - variables[v]!.minimum) / (variables[v]!.maximum - variables[v]!.minimum);
  const evaluate = (x: readonly number[]) =>
    Array.from({ length: outputs }, (_, j) =>
      x.reduce((sum, one, v) => sum + Math.sin(2 * shareOf(one, v) + v * (j + 1)) + 0.3 * shareOf(one, v) ** 2, 2),
    );
  return { name, variables, constraints, evaluate, targets: evaluate(known).map((value) => within(value, 0.005)) };
}

/** Shares that sum to 1, with responses that `known` reaches to 0.5 percent, or to another share of them. */
function mixture(
  count: number,
  outputs: number,
  known: readonly number[],
  more: readonly string[] = ['x1 - 0.5*x2 <= 0.4'],
  share = 0.005,
): Constrained {
  const response = (x: readonly number[], j: number) =>
    x.reduce((sum, one, i) => sum + Math.sin(one * (1 + 0.4 * j) * 2 + i) + (j + 1) * one * one * ((i % 3) - 0.5), 0);
  const evaluate = (x: readonly number[]) => Array.from({ length: outputs }, (_, j) => response(x, j));
  return {
    name: `mixture of ${count}`,
    variables: floats(count, 0, 1),
    constraints: [`${sumOf(count)} = 1`, ...more],
    evaluate,
    targets: evaluate(known).map((value) => within(value, share)),
  };
}

const HS112 = [-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179];
const volume = ([a, b, c]: readonly number[]) => [-a! * b! * c!];
const wholeNumbers = (x: readonly number[]) => [
  x.reduce((sum, one, i) => sum + one * (i + 1) ** 2, 0),
  Math.sin(x[0]!) + x[1]! * x[2]!,
];
const disc = ([a, b]: readonly number[]) => [Math.exp(a!) + b! ** 3, Math.sin(3 * a!) - b!];

const problems: readonly Constrained[] = [
  mixture(5, 3, [0.3, 0.3, 0.1, 0.1, 0.2]),
  mixture(10, 4, [0.3, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05]),
  mixture(
    50,
    5,
    Array.from({ length: 50 }, (_, i) => (i < 5 ? 0.1 : 0.5 / 45)),
  ),
  {
    name: 'hs36',
    variables: [float(0, 20), float(0, 11), float(0, 42)],
    constraints: ['x1 + 2*x2 + 2*x3 <= 72'],
    evaluate: volume,
    targets: [atMost(-3300 * 0.999)],
  },
  {
    name: 'hs37',
    variables: floats(3, 0, 42),
    constraints: ['x1 + 2*x2 + 2*x3 <= 72', 'x1 + 2*x2 + 2*x3 >= 0'],
    evaluate: volume,
    targets: [atMost(-3456 * 0.999)],
  },
  {
    name: 'hs112',
    variables: floats(10, 1e-6, 2),
    constraints: ['x1 + 2*x2 + 2*x3 + x6 + x10 = 2', 'x4 + 2*x5 + x6 + x7 = 1', 'x3 + x7 + x8 + 2*x9 + x10 = 1'],
    evaluate: (x) => {
      const sum = x.reduce((total, one) => total + one, 0);
      return [x.reduce((total, one, i) => total + one * (HS112[i]! + Math.log(one / sum)), 0)];
    },
    targets: [atMost(-47.76 * 0.995)],
  },
  {
    name: 'g01',
    variables: [...floats(9, 0, 1), ...floats(3, 0, 100), float(0, 1)],
    constraints: [
      '2*x1 + 2*x2 + x10 + x11 <= 10',
      '2*x1 + 2*x3 + x10 + x12 <= 10',
      '2*x2 + 2*x3 + x11 + x12 <= 10',
      ...[1, 2, 3].map((i) => `x${9 + i} <= 8*x${i}`),
      ...[1, 2, 3].map((i) => `x${9 + i} <= 2*x${2 + 2 * i} + x${3 + 2 * i}`),
    ],
    evaluate: (x) => {
      const sum = (from: number, to: number) => x.slice(from, to).reduce((total, one) => total + one, 0);
      return [5 * sum(0, 4) - 5 * x.slice(0, 4).reduce((total, one) => total + one * one, 0) - sum(4, 13)];
    },
    targets: [atMost(-15 * 0.99)],
  },
  {
    name: 'whole numbers',
    variables: Array.from({ length: 6 }, () => integer(0, 10)),
    constraints: [`${sumOf(6)} = 15`],
    evaluate: wholeNumbers,
    targets: wholeNumbers([2, 3, 1, 4, 3, 2]).map((value) => within(value, 0.01)),
  },
  {
    name: 'disc and hyperbola',
    variables: floats(2, -2, 2),
    constraints: ['x1^2 + x2^2 <= 1', 'x1*x2 >= 0.2'],
    evaluate: disc,
    targets: disc([0.4, 0.6]).map((value, j) => within(value, j === 0 ? 0.002 : 0.01)),
  },
  mixture(
    20,
    4,
    Array.from({ length: 20 }, (_, i) => (i < 4 ? 0.15 : 0.4 / 16)),
    Array.from({ length: 3 }, (_, k) => [`x${k + 1} + x${k + 4} >= 0.05`, `x${k + 1} + x${k + 4} <= 0.6`]).flat(),
  ),
  {
    ...mixture(3, 2, [0.25, 0.35, 0.4], [], 0.05),
    name: 'mixture of 3 in steps of 0.05',
    variables: floats(3, 0, 1).map((one) => ({ ...one, step: 0.05 })),
  },
  {
    ...mixture(6, 3, [0.3, 0.2, 0.2, 0.1, 0.1, 0.1], ['x1*x2 >= 0.02', 'x3^2 + x4^2 <= 0.2']),
    name: 'mixture of 6 with products',
  },
  {
    name: 'hs28',
    variables: floats(3, -5, 5),
    constraints: ['x1 + 2*x2 + 3*x3 = 1'],
    evaluate: ([a, b, c]) => [(a! + b!) ** 2 + (b! + c!) ** 2],
    targets: [atMost(0.01)],
  },
  {
    name: 'hs48',
    variables: floats(5, -5, 5),
    constraints: [`${sumOf(5)} = 5`, 'x3 - 2*(x4 + x5) = -3'],
    evaluate: ([a, b, c, d, e]) => [(a! - 1) ** 2 + (b! - c!) ** 2 + (d! - e!) ** 2],
    targets: [atMost(0.01)],
  },
  responses({
    name: 'two mixtures of 3',
    variables: floats(6, 0, 1),
    constraints: ['x1 + x2 + x3 = 1', 'x4 + x5 + x6 = 1', 'x1 - x4 >= 0.1'],
    outputs: 3,
    known: [0.5, 0.3, 0.2, 0.2, 0.3, 0.5],
  }),
  responses({
    name: 'five mixtures of 10',
    variables: floats(50, 0, 1),
    constraints: Array.from(
      { length: 5 },
      (_, k) => `${Array.from({ length: 10 }, (_, i) => `x${10 * k + i + 1}`).join(' + ')} = 1`,
    ),
    outputs: 4,
    known: Array.from({ length: 50 }, (_, i) => (i % 10 < 2 ? 0.3 : 0.05)),
  }),
  responses({
    name: 'flows of a network',
    variables: floats(9, 0, 10),
    constraints: ['x1 = x2 + x3', 'x2 + x4 = x5', 'x3 = x4 + x6', 'x5 + x6 = x7', 'x8 + x9 <= x7', 'x8 >= 2*x9'],
    outputs: 3,
    known: [6, 2, 4, 1, 3, 3, 6, 3, 1],
  }),
  {
    name: 'hs21',
    variables: [float(2, 50), float(-50, 50)],
    constraints: ['10*x1 - x2 >= 10'],
    evaluate: ([a, b]) => [0.01 * a! * a! + b! * b! - 100],
    targets: [atMost(-99.9)],
  },
  {
    name: 'hs24',
    variables: floats(2, 0, 6),
    constraints: ['x1 / sqrt(3) >= x2', 'x1 + sqrt(3)*x2 >= 0', 'x1 + sqrt(3)*x2 <= 6'],
    evaluate: ([a, b]) => [(((a! - 3) ** 2 - 9) * b! ** 3) / (27 * Math.sqrt(3))],
    targets: [atMost(-0.995)],
  },
  {
    name: 'hs35',
    variables: floats(3, 0, 3),
    constraints: ['x1 + x2 + 2*x3 <= 3'],
    evaluate: ([a, b, c]) => [
      9 - 8 * a! - 6 * b! - 4 * c! + 2 * a! ** 2 + 2 * b! ** 2 + c! ** 2 + 2 * a! * b! + 2 * a! * c!,
    ],
    targets: [atMost(1 / 9 + 0.005)],
  },
  {
    name: 'hs44',
    variables: floats(4, 0, 8),
    constraints: [
      'x1 + 2*x2 <= 8',
      '4*x1 + x2 <= 12',
      '3*x1 + 4*x2 <= 12',
      '2*x3 + x4 <= 8',
      'x3 + 2*x4 <= 8',
      'x3 + x4 <= 5',
    ],
    evaluate: ([a, b, c, d]) => [a! - b! - c! - a! * c! + a! * d! + b! * c! - b! * d!],
    targets: [atMost(-14.9)],
  },
  {
    name: 'hs76',
    variables: floats(4, 0, 5),
    constraints: ['x1 + 2*x2 + x3 + x4 <= 5', '3*x1 + x2 + 2*x3 - x4 <= 4', 'x2 + 4*x3 >= 1.5'],
    evaluate: ([a, b, c, d]) => [
      a! ** 2 + b! ** 2 / 2 + c! ** 2 + d! ** 2 / 2 - a! * c! + c! * d! - a! - 3 * b! + c! - d!,
    ],
    targets: [atMost(-4.65)],
  },
  responses({
    name: 'rising profile of 30',
    variables: floats(30, 0, 1),
    constraints: Array.from({ length: 29 }, (_, i) => `x${i + 1} <= x${i + 2}`),
    outputs: 4,
    known: Array.from({ length: 30 }, (_, i) => (i / 29) ** 2),
  }),
  responses({
    name: '50 inputs of widths 1 to 1,000, 20 budgets',
    variables: Array.from({ length: 50 }, (_, i) => float(0, 10 ** (3 * (i / 49)))),
    constraints: Array.from({ length: 20 }, (_, k) => {
      const terms = Array.from({ length: 10 }, (_, i) => (7 * k + 3 * i) % 50);
      return `${terms.map((v) => `x${v + 1} / ${10 ** (3 * (v / 49))}`).join(' + ')} <= ${3 + (k % 3)}`;
    }),
    outputs: 4,
    known: Array.from({ length: 50 }, (_, i) => 0.25 * 10 ** (3 * (i / 49))),
  }),
  {
    ...responses({
      name: 'knapsack: 6 whole numbers, 2 floats',
      variables: [...Array.from({ length: 6 }, () => integer(0, 20)), ...floats(2, 0, 5)],
      constraints: ['3*x1 + 5*x2 + 2*x3 + 7*x4 + 4*x5 + x6 + x7 <= 60', 'x1 + x2 + x8 >= 4'],
      outputs: 2,
      known: [3, 2, 5, 1, 2, 8, 1.5, 2],
    }),
  },
  {
    name: 'g24',
    variables: [float(0, 3), float(0, 4)],
    constraints: ['x2 <= 2*x1^4 - 8*x1^3 + 8*x1^2 + 2', 'x2 <= 4*x1^4 - 32*x1^3 + 88*x1^2 - 96*x1 + 36'],
    evaluate: ([a, b]) => [-a! - b!],
    targets: [atMost(-5.508 * 0.998)],
  },
  {
    name: 'g08',
    variables: floats(2, 0, 10),
    constraints: ['x1^2 - x2 + 1 <= 0', '1 - x1 + (x2 - 4)^2 <= 0'],
    evaluate: ([a, b]) => [
      (-(Math.sin(2 * Math.PI * a!) ** 3) * Math.sin(2 * Math.PI * b!)) / (Math.max(a!, 1e-3) ** 3 * (a! + b!)),
    ],
    targets: [atMost(-0.0958 * 0.99)],
  },
  {
    name: 'spring',
    variables: [float(0.05, 2), float(0.25, 1.3), float(2, 15)],
    constraints: [
      'x2^3 * x3 >= 71785 * x1^4',
      '(4*x2^2 - x1*x2) / (12566 * (x2*x1^3 - x1^4)) + 1 / (5108 * x1^2) <= 1',
      '140.45 * x1 <= x2^2 * x3',
      'x1 + x2 <= 1.5',
    ],
    evaluate: ([wire, coil, turns]) => [(turns! + 2) * coil! * wire! ** 2],
    targets: [atMost(0.0135)],
  },
  {
    name: 'vessel in plates of 1/16',
    variables: [...floats(2, 0.0625, 6.1875).map((one) => ({ ...one, step: 0.0625 })), ...floats(2, 10, 200)],
    constraints: ['x1 >= 0.0193*x3', 'x2 >= 0.00954*x3', '3.14159265*x3^2*x4 + 4/3*3.14159265*x3^3 >= 1296000'],
    evaluate: ([a, b, r, l]) => [
      0.6224 * a! * r! * l! + 1.7781 * b! * r! ** 2 + 3.1661 * a! ** 2 * l! + 19.84 * a! ** 2 * r!,
    ],
    targets: [atMost(6400)],
  },
  responses({
    name: 'ball in 10 dimensions',
    variables: floats(10, -1, 1),
    constraints: [`${Array.from({ length: 10 }, (_, i) => `x${i + 1}^2`).join(' + ')} <= 1`],
    outputs: 3,
    known: Array.from({ length: 10 }, (_, i) => 0.3 * (i % 2 === 0 ? 1 : -1)),
  }),
];

warmUp();
play(problems[0]!, parse(problems[0]!), 0);
const total = { problems: 0, withEquations: 0, plays: 0, solved: 0, worstViolation: 0 };
const ratios: { readonly problem: string; readonly ratio: number }[] = [];
const wide: number[] = [];
for (const problem of problems) {
  if (options.problem !== undefined && !problem.name.includes(options.problem)) continue;
  const conditions = parse(problem);
  const spent = { constrained: 0, free: 0 };
  for (let seed = 1; seed <= Number(options.seeds); seed++) {
    const { times, ...played } = play(problem, conditions, seed);
    const ms = { constrained: quantile(times.constrained, 0.5), free: quantile(times.free, 0.5) };
    console.log(JSON.stringify({ problem: problem.name, seed, ...played, ms }));
    total.plays++;
    if (played.solved) total.solved++;
    total.worstViolation = Math.max(total.worstViolation, played.violation);
    for (const kind of ['constrained', 'free'] as const) spent[kind] += times[kind].reduce((sum, one) => sum + one, 0);
    if (problem.variables.length === 50) wide.push(...times.constrained);
  }
  total.problems++;
  if (conditions.some(({ relation }) => relation === '=')) total.withEquations++;
  if (spent.free > 0) ratios.push({ problem: problem.name, ratio: spent.constrained / spent.free });
}
ratios.sort((a, b) => b.ratio - a.ratio);
const meanRatio = Math.exp(ratios.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / ratios.length);
const p95 = quantile(wide, 0.95);
console.log(JSON.stringify({ ...total, meanRatio, largestRatios: ratios.slice(0, 5), p95MsOf50Inputs: p95 }, null, 2));
process.exitCode = total.worstViolation <= 0 ? 0 : 1;

function parse({ variables, constraints }: Constrained): readonly Condition[] {
  const names = new Map(variables.map((_, i) => [`x${i + 1}`, i]));
  return constraints.map((text) => {
    const parsed = parseCondition(text, names);
    if (parsed.kind === 'refused') throw new Error(`${text}: ${parsed.fault.message}`);
    return parsed.condition;
  });
}

function play({ variables, evaluate, targets }: Constrained, conditions: readonly Condition[], seed: number) {
  const space = { variables, conditions };
  const design = initialDesign({ space, outputCount: targets.length, caseCount: null, seed });
  const rows = Array.from({ length: design.count }, (_, i) =>
    Array.from(design.X.subarray(i * variables.length, (i + 1) * variables.length)),
  );
  const outputs = rows.map(evaluate);
  const isMet = (output: readonly number[]) =>
    targets.every(({ lower, upper }, j) => output[j]! >= lower && output[j]! <= upper);
  const request = (withConditions: boolean): SuggestRequest => ({
    space: withConditions ? space : { variables },
    goal: { targets, l1: null },
    history: {
      count: rows.length,
      X: Float64Array.from(rows.flat()),
      Y: Float64Array.from(outputs.flat()),
      failed: new Uint8Array(rows.length),
    },
    firstSuggested: design.count,
    convergence: 1e-6,
    seed,
    workLimit: WORK_LIMIT,
  });
  const times: { constrained: number[]; free: number[] } = { constrained: [], free: [] };
  while (rows.length < budget && !outputs.some(isMet)) {
    const started = processorMs();
    const proposal = suggest(request(true));
    const constrainedAt = processorMs();
    suggest(request(false));
    times.constrained.push(constrainedAt - started);
    times.free.push(processorMs() - constrainedAt);
    if (proposal.kind !== 'candidate') break;
    rows.push(Array.from(proposal.input));
    outputs.push(evaluate(rows.at(-1)!));
  }
  const violation = Math.max(
    ...rows.flatMap((x) => conditions.map((one) => violationAt(one, Float64Array.from(x)))),
    0,
  );
  return { runs: rows.length, solved: outputs.some(isMet), violation, times };
}

/** By how much x breaks a condition in the order in which it is written: of an inequality as such, of an equation in roundings of its terms. */
function violationAt(condition: Condition, x: Float64Array): number {
  const [left, right] = [condition.left, condition.right].map((side) => new Program(side).at(x)) as [number, number];
  if (condition.relation === '=') return Math.max(0, Math.abs(left - right) - ROUNDINGS * termsOf(condition, x));
  return condition.relation === '<=' ? left - right : right - left;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
