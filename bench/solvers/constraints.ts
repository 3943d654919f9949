/**
 * Problems with constraints among their inputs: runs to the goal, the worst violation of any designed or suggested input, and
 * the processor time of a suggestion beside that of the same problem without its constraints, at equal histories.
 *
 *   npx node bench/solvers/constraints.ts [--seeds 2] [--budget 60]
 *
 * Ends with 1 when a violation exceeds 1e-9 of the largest term.
 * Sources: hs36, hs37, hs112 of Hock and Schittkowski, Test Examples for Nonlinear Programming Codes (1981); g01 of Floudas and
 * Pardalos, A Collection of Test Problems for Constrained Global Optimization Algorithms (1990). The others are made up here.
 */
import { parseArgs } from 'node:util';
import { parseCondition } from '../../src/domain/expression.ts';
import { violationOf } from '../../src/optimizer/constraints/conditions.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Condition, SuggestRequest, Target, Variable } from '../../src/optimizer/problem.ts';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { float, floats, integer } from '../problems/problem.ts';
import { WORK_LIMIT } from './play.ts';

const { values: options } = parseArgs({
  options: { seeds: { type: 'string', default: '2' }, budget: { type: 'string', default: '60' } },
});
const budget = Number(options.budget);

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

/** Shares that sum to 1, with responses that `known` reaches to 0.5 percent. */
function mixture(count: number, outputs: number, known: readonly number[]): Constrained {
  const response = (x: readonly number[], j: number) =>
    x.reduce((sum, one, i) => sum + Math.sin(one * (1 + 0.4 * j) * 2 + i) + (j + 1) * one * one * ((i % 3) - 0.5), 0);
  const evaluate = (x: readonly number[]) => Array.from({ length: outputs }, (_, j) => response(x, j));
  return {
    name: `mixture of ${count}`,
    variables: floats(count, 0, 1),
    constraints: [`${sumOf(count)} = 1`, 'x1 - 0.5*x2 <= 0.4'],
    evaluate,
    targets: evaluate(known).map((value) => within(value, 0.005)),
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
];

warmUp();
let worst = 0;
for (const problem of problems) {
  const conditions = parse(problem);
  for (let seed = 1; seed <= Number(options.seeds); seed++) {
    const played = play(problem, conditions, seed);
    worst = Math.max(worst, played.violation);
    console.log(JSON.stringify({ problem: problem.name, seed, ...played }));
  }
}
console.log(JSON.stringify({ worstViolation: worst }));
process.exitCode = worst <= 1e-9 ? 0 : 1;

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
    const started = process.cpuUsage().user;
    const proposal = suggest(request(true));
    const constrainedAt = process.cpuUsage().user;
    suggest(request(false));
    times.constrained.push((constrainedAt - started) / 1_000);
    times.free.push((process.cpuUsage().user - constrainedAt) / 1_000);
    if (proposal.kind !== 'candidate') break;
    rows.push(Array.from(proposal.input));
    outputs.push(evaluate(rows.at(-1)!));
  }
  const violation = Math.max(
    ...rows.flatMap((x) => conditions.map((condition) => violationOf(condition, Float64Array.from(x)))),
    0,
  );
  const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1] ?? 0;
  const [ms, freeMs] = [median(times.constrained), median(times.free)];
  return { runs: rows.length, solved: outputs.some(isMet), violation, ms, freeMs };
}
