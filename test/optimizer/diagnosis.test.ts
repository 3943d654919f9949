import { describe, expect, it } from 'vitest';
import {
  atLeast,
  atMost,
  exactly,
  float,
  type Game,
  maximize,
  minimize,
  play,
  within,
} from '../../harness/optimizer-game.ts';
import { explain } from '../../src/optimizer/explain.ts';
import { diagnose } from '../../src/optimizer/explanation/diagnosis.ts';
import type { Diagnosis } from '../../src/optimizer/interface/insights.ts';
import type { Goal, SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import type { Prepared } from '../../src/optimizer/search/prepare.ts';
import { Predictor } from '../../src/optimizer/surrogate/predictor.ts';

const integer = (minimum: number, maximum: number): Variable => ({ kind: 'integer', minimum, maximum });
const category = (levels: number): Variable => ({ kind: 'category', minimum: 0, maximum: levels - 1 });
const all = (...targets: Target[]): Goal => ({ targets, l1: null });
const unit = float(0, 1);
const square = float(-1, 1);
const wide = float(-2, 2);

interface Problem extends Game {
  readonly name: string;
}

interface Impossible extends Problem {
  readonly limit?: number;
  /** Outputs out of reach even alone, and pairs out of reach together. */
  readonly alone?: readonly number[];
  readonly conflicts?: readonly (readonly number[])[];
}

function distances({ targets, l1 }: Goal, y: readonly number[]): number[] {
  return y.map((value, j) =>
    l1 ? Math.abs(value - l1.center[j]!) : Math.max(0, targets[j]!.lower - value, value - targets[j]!.upper),
  );
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Grid intervals of a float by the number of floats; and searches, each closer around the best point of the one before. */
const GRID = [100, 30, 12];
const SEARCHES = 4;

/** The least value over the space, by a search of every discrete value and of ever narrower grids of the floats. */
function leastOver(variables: readonly Variable[], of: (x: readonly number[]) => number): number {
  const intervals = GRID[variables.filter(({ kind }) => kind === 'float').length - 1]!;
  const x = variables.map(({ minimum }) => minimum);
  let least = Number.POSITIVE_INFINITY;
  let best = x.slice();
  let ranges = variables;
  const visit = (v: number): void => {
    if (v === x.length) {
      const value = of(x);
      if (value < least) [least, best] = [value, x.slice()];
      return;
    }
    const { kind, minimum, maximum } = ranges[v]!;
    const last = kind === 'float' ? intervals : maximum - minimum;
    for (let k = 0; k <= last; k++) {
      x[v] = minimum + ((maximum - minimum) * k) / last;
      visit(v + 1);
    }
  };
  for (let k = 0; k < SEARCHES; k++) {
    visit(0);
    ranges = ranges.map(({ kind, minimum, maximum }, v) => {
      if (kind !== 'float') return ranges[v]!;
      const reach = (2 * (maximum - minimum)) / intervals;
      return float(Math.max(minimum, best[v]! - reach), Math.min(maximum, best[v]! + reach));
    });
  }
  return least;
}

/**
 * By dense search: the share of the relaxations of a diagnosis that would truly suffice, 1 when none can be smaller. For an
 * exact goal: the true least L1 norm relative to the reported one.
 */
function shareNeeded({ variables, goal, evaluate }: Game, { unmet, l1Norm }: Diagnosis): number {
  const relaxed = goal.targets.map((_, j) => unmet.find(({ output }) => output === j)?.distance ?? 0);
  return leastOver(variables, (x) => {
    const y = evaluate(x);
    if (y === null) return Number.POSITIVE_INFINITY;
    const missed = distances(goal, y);
    if (l1Norm !== null) return sum(missed) / l1Norm;
    return Math.max(...missed.map((one, j) => (one === 0 ? 0 : one / relaxed[j]!)));
  });
}

/** The factor by which the true miss at the nearest input exceeds the reported one. */
function excess({ goal, evaluate }: Game, { nearestInput, unmet, l1Norm }: Diagnosis): number {
  const missed = distances(goal, evaluate(nearestInput)!);
  if (l1Norm !== null) return sum(missed) / l1Norm;
  return Math.max(...unmet.map(({ output, distance }) => missed[output]! / distance));
}

const impossible: Impossible[] = [
  {
    name: 'a line that ends early',
    variables: [unit],
    goal: all(within(3, 0.01)),
    evaluate: ([a]) => [2 * a!],
    alone: [0],
  },
  {
    name: 'one quantity wanted twice',
    variables: [unit, unit],
    goal: all(within(1, 0.01), within(2, 0.01)),
    evaluate: ([a, b]) => [a! + b!, a! + b!],
    conflicts: [[0, 1]],
  },
  {
    name: 'a large sum of a small product',
    variables: [unit, unit],
    goal: all(atLeast(1.5), atMost(0.2)),
    evaluate: ([a, b]) => [a! + b!, a! * b!],
    conflicts: [[0, 1]],
  },
  {
    name: 'less than the minimum of a bowl',
    variables: [wide, wide],
    goal: all(atMost(0.5)),
    evaluate: ([a, b]) => [(a! - 0.3) ** 2 + (b! + 0.2) ** 2 + 1],
    alone: [0],
  },
  {
    name: 'two products that compete',
    variables: [unit, unit],
    goal: all(within(0.9, 0.01), within(0.9, 0.01)),
    evaluate: ([a, b]) => [a! * b!, b! * (1 - a!)],
    conflicts: [[0, 1]],
  },
  {
    name: 'a line beyond a circle',
    variables: [square, square],
    goal: all(within(0.5, 0.01), within(1.6, 0.01)),
    evaluate: ([a, b]) => [a! * a! + b! * b!, a! + b!],
    conflicts: [[0, 1]],
  },
  {
    name: 'more than two waves give',
    variables: [float(0, 3), float(0, 3)],
    goal: all(within(4, 0.01)),
    evaluate: ([a, b]) => [Math.sin(a!) + Math.cos(b!)],
    alone: [0],
  },
  {
    name: 'three outputs of two inputs',
    variables: [square, square],
    goal: all(within(1, 1e-3), within(2, 1e-3), within(0, 1e-3)),
    evaluate: ([a, b]) => [a! + 0.1 * b! * b!, a! - b!, a! + b!],
    conflicts: [[0, 1]],
  },
  {
    name: 'an aspiration below zero of a square',
    variables: [wide, wide],
    goal: all(minimize(-1)),
    evaluate: ([a, b]) => [(a! - 0.3) ** 2 + 2 * (b! + 0.2) ** 2],
    alone: [0],
  },
  {
    name: 'a pair that conflicts beside an output that does not',
    variables: [unit, unit, unit],
    goal: all(within(1, 0.01), within(2, 0.01), within(0.3, 0.01)),
    evaluate: ([a, b, c]) => [a! + b!, a! + b!, c!],
    conflicts: [[0, 1]],
  },
  {
    name: 'less of one and more of another that moves with it',
    variables: [unit, unit],
    goal: all(minimize(0), maximize(2)),
    evaluate: ([a, b]) => [a! * a! + b!, a! + b!],
    limit: 20,
    conflicts: [[0, 1]],
  },
  {
    name: 'more than the best category gives',
    variables: [category(4), unit],
    goal: all(atLeast(5)),
    evaluate: ([c, x]) => [[1, 3, 2, 0][c!]! + x!],
    alone: [0],
  },
  {
    name: 'two things that each need another category',
    variables: [category(3), unit],
    goal: all(atLeast(2.5), atMost(1)),
    evaluate: ([c, x]) => [[1, 2, 3][c!]! + 0.2 * x!, [0.5, 1.5, 2.5][c!]! + x! * x!],
    conflicts: [[0, 1]],
  },
  {
    name: 'one thing that no category gives, and a second that suffers',
    variables: [category(3), unit, unit],
    goal: all(within(4, 0.05), within(0.2, 0.05)),
    evaluate: ([c, x, y]) => [c! + x! + 0.3 * y!, y! - 0.2 * c!],
    alone: [0],
  },
  {
    name: 'an odd number from even ones',
    variables: [integer(0, 20), integer(0, 20)],
    goal: all(within(15, 0.2)),
    evaluate: ([a, b]) => [2 * a! + 4 * b!],
    limit: 25,
    alone: [0],
  },
  {
    name: 'between two values of an integer',
    variables: [integer(0, 40)],
    goal: all(within(3.3, 0.2)),
    evaluate: ([a]) => [(a! * a!) / 4],
    limit: 25,
    alone: [0],
  },
  {
    name: 'between the points of a space that is used up',
    variables: [integer(0, 3), integer(0, 3)],
    goal: all(within(2.5, 0.1)),
    evaluate: ([a, b]) => [a! + 2 * b!],
    limit: 30,
    alone: [0],
  },
  {
    name: 'two things in a space that is used up, some runs of which failed',
    variables: [integer(0, 3), integer(0, 2)],
    goal: all(atLeast(4), atMost(1)),
    evaluate: ([a, b]) => (a === 3 && b === 0 ? null : [a! + b!, a! * b!]),
    limit: 30,
    conflicts: [[0, 1]],
  },
  {
    name: 'an exact vector out of reach',
    variables: [unit, unit],
    goal: exactly([3, 1, 0], 0.05),
    evaluate: ([a, b]) => [a! + b!, a! - b!, a! * b!],
    alone: [0],
  },
  {
    name: 'an exact vector beside a curve',
    variables: [square, square],
    goal: exactly([1, 2], 0.01),
    evaluate: ([a, b]) => [a! * a! + b!, a! + b! * b!],
    limit: 30,
    conflicts: [[0, 1]],
  },
  {
    name: 'what an exact vector misses in a space that is used up',
    variables: [integer(0, 3), integer(0, 3)],
    goal: exactly([2.5, 2], 0.1),
    evaluate: ([a, b]) => [a! + 2 * b!, a! - b!],
    limit: 30,
    alone: [0],
  },
  {
    name: 'too much where a quarter of the runs fail',
    variables: [unit, unit],
    goal: all(within(4, 0.01)),
    evaluate: ([a, b]) => (a! > 0.5 && b! < 0.5 ? null : [a! + 2 * b!]),
    limit: 20,
    alone: [0],
  },
];

/** Hartman 1973: minus the sum of four peaks in six inputs; its minimum is -3.32. */
function hartman(x: readonly number[]): number {
  const widths = [
    [10, 3, 17, 3.5, 1.7, 8],
    [0.05, 10, 17, 0.1, 8, 14],
    [3, 3.5, 1.7, 10, 17, 8],
    [17, 8, 0.05, 10, 0.1, 14],
  ];
  const centers = [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
  ];
  const squares = widths.map((row, k) => sum(row.map((width, v) => width * (x[v]! - centers[k]![v]!) ** 2)));
  return -sum([1, 1.2, 3, 3.2].map((height, k) => height * Math.exp(-squares[k]!)));
}

describe('the diagnosis', () => {
  it.each(impossible)('names the objectives and is within five percent of the truth for $name', (problem) => {
    const { request } = play({ seed: 3, ...problem }, problem.limit ?? 12);
    const { diagnosis } = explain(request);
    expect(diagnosis).not.toBeNull();
    expect(diagnosis!.unmet.length).toBeGreaterThan(0);
    expect(shareNeeded(problem, diagnosis!)).toBeGreaterThan(0.95);
    expect(excess(problem, diagnosis!)).toBeLessThan(1.05);
    expect(diagnosis!.unmet.filter((one) => one.isOutOfReachAlone).map((one) => one.output)).toEqual(
      problem.alone ?? [],
    );
    expect(diagnosis!.conflicts).toEqual(problem.conflicts ?? []);
    problem.variables.forEach(({ minimum, maximum }, v) => {
      expect(diagnosis!.nearestInput[v]).toBeGreaterThanOrEqual(minimum);
      expect(diagnosis!.nearestInput[v]).toBeLessThanOrEqual(maximum);
    });
  });

  it('The diagnosis takes an output that never varied for out of reach after many runs, and for a constant only from 50 cases on', () => {
    const withCases = (count: number): SuggestRequest => {
      const X = Float64Array.from({ length: 2 * count }, (_, k) => ((k + 1) * (k % 2 ? 0.618034 : 0.414214)) % 1);
      const Y = Float64Array.from({ length: 2 * count }, (_, k) => (k % 2 ? 3 : X[k]!));
      return {
        space: { variables: [unit, unit] },
        goal: all(within(X[0]!, 0.01), within(5, 0.01)),
        history: { count, X, Y, failed: new Uint8Array(count) },
        firstSuggested: 10,
        convergence: 1e-6,
        seed: 3,
        workLimit: 5000,
      };
    };
    const unmetAfter = (count: number) => explain(withCases(count)).diagnosis?.unmet;
    const unmet = { output: 1, distance: expect.closeTo(1.99) };
    expect(unmetAfter(40)).toBeUndefined();
    expect(unmetAfter(49)).toEqual([{ ...unmet, isOutOfReachAlone: false }]);
    expect(unmetAfter(50)).toEqual([{ ...unmet, isOutOfReachAlone: true }]);
  });

  it('shows the best value that the limits leave when only the aspiration is out of reach', () => {
    const problem: Problem = {
      name: 'a bowl under a limit',
      variables: [wide, wide, category(2)],
      goal: all(minimize(0), atLeast(2)),
      evaluate: ([a, b, c]) => [1 + c! + (a! - 0.3) ** 2 + (b! + 0.2) ** 2, a! + b! - 0.5 * c!],
    };
    const { request } = play({ ...problem, seed: 3 }, 25);
    const { diagnosis } = explain(request);
    expect(diagnosis!.unmet.map(({ output }) => output)).toEqual([0]);
    // By Lagrange: both inputs move by (2 - 0.1) / 2 from the bottom.
    const least = 1 + 2 * 0.95 ** 2;
    const [attainable] = diagnosis!.attainable!;
    expect(attainable!.output).toBe(0);
    expect(attainable!.value).toBeGreaterThan(0.99 * least);
    expect(attainable!.value).toBeLessThan(1.03 * least);
  });

  it('claims nothing before the fifth suggestion, however clear the designed cases are', () => {
    const X = Float64Array.from([1, 0, 0.2, 0.8, 0.5, 0.9, 0.1, 0.3, 0.7, 0.6]);
    const withSuggestions = (suggestions: number): SuggestRequest => ({
      space: { variables: [unit] },
      goal: all(within(3, 0.01)),
      history: { count: X.length, X, Y: X.map((x) => 2 * x), failed: new Uint8Array(X.length) },
      firstSuggested: X.length - suggestions,
      convergence: 1e-6,
      seed: 3,
      workLimit: 5000,
    });
    expect(explain(withSuggestions(4)).diagnosis).toBeNull();
    expect(explain(withSuggestions(5)).diagnosis).not.toBeNull();
  });

  const possible: Problem[] = [
    {
      name: 'a corner',
      variables: [float(0, 2), float(0, 2)],
      goal: all(within(Math.exp(3), 0.01), within(0, 0.01)),
      evaluate: ([a, b]) => [Math.exp(a! + b! / 2), b! - a!],
    },
    {
      name: 'a linear system',
      variables: [unit, unit],
      goal: all(within(1.2, 1e-6), within(0.2, 1e-6)),
      evaluate: ([a, b]) => [a! + b!, a! - b!],
    },
    {
      name: 'the Rosenbrock residuals',
      variables: [wide, wide],
      goal: all(within(0, 1e-6), within(0, 1e-6)),
      evaluate: ([a, b]) => [10 * (b! - a! * a!), 1 - a!],
    },
    {
      name: 'a product at its end',
      variables: [unit, unit],
      goal: all(atLeast(0.99)),
      evaluate: ([a, b]) => [a! * b!],
    },
    {
      name: 'a narrow wave',
      variables: [unit],
      goal: all(atLeast(0.99)),
      evaluate: ([a]) => [Math.exp(-200 * (a! - 0.83) ** 2)],
    },
    {
      name: 'a minimum in a valley',
      variables: [wide, wide],
      goal: all(minimize(1e-3)),
      evaluate: ([a, b]) => [100 * (b! - a! * a!) ** 2 + (1 - a!) ** 2],
    },
    {
      name: 'a product of three',
      variables: [unit, unit, unit],
      goal: all(within(0.5, 0.01)),
      evaluate: ([a, b, c]) => [a! * b! * c!],
    },
    {
      name: 'a step',
      variables: [unit, unit],
      goal: all(within(1, 0.1)),
      evaluate: ([a, b]) => [a! + b! > 1.6 ? 1 : 0],
    },
    {
      name: 'a wave of many periods',
      variables: [unit, unit],
      goal: all(atLeast(0.95)),
      evaluate: ([a, b]) => [Math.sin(20 * a!) * Math.cos(13 * b!)],
    },
    {
      name: 'three waves',
      variables: [unit, unit, unit],
      goal: all(within(0.8, 0.02), within(0.1, 0.02)),
      evaluate: ([a, b, c]) => [Math.sin(a! * b!) + c! * c!, Math.cos(3 * a!) * c!],
    },
    {
      name: 'one category of three, at the end of a float',
      variables: [category(3), unit],
      goal: all(within(2.69, 0.005)),
      evaluate: ([c, x]) => [[1, 0, 2][c!]! + 0.7 * Math.sin(1.5 * x!)],
    },
    {
      name: 'one of many pairs of integers',
      variables: [integer(0, 15), integer(0, 15)],
      goal: all(within(119, 0.1)),
      evaluate: ([a, b]) => [a! * a! - 3 * b! + 4],
    },
    {
      name: 'a ratio of teeth',
      variables: [integer(12, 60), integer(12, 60), integer(12, 60)],
      goal: all(within(0.3712121, 1e-5)),
      evaluate: ([a, b, c]) => [(a! * b!) / (c! * 60)],
    },
    {
      name: 'an exact vector, all of whose error may fall on one output',
      variables: [square, square],
      goal: exactly([1.4, 0, 0, 0], 0.41),
      evaluate: ([a, b]) => [a! * a!, b! * b!, a! * b!, b!],
    },
    {
      name: 'an exact vector, one output of which is a step',
      variables: [unit, unit],
      goal: exactly([0.5, 1], 0.05),
      evaluate: ([a, b]) => [a!, a! > 0.4 && b! > 0.85 ? 1 : 0],
    },
    {
      name: 'the highest of several peaks',
      variables: [unit, unit, unit, unit, unit, unit],
      goal: all(minimize(-3.22)),
      evaluate: (x) => [hartman(x)],
    },
    {
      name: 'to be met, if at all, where runs fail',
      variables: [unit, unit],
      goal: all(within(3, 0.01)),
      evaluate: ([a, b]) => (a! + b! > 1.5 ? null : [a! + 2 * b!]),
    },
    {
      name: 'a value beside failing runs',
      variables: [unit, unit],
      goal: all(within(1.2, 0.001)),
      evaluate: ([a, b]) => (a! > 0.8 ? null : [Math.sin(3 * a!) + b! * 0.4]),
    },
  ];

  it.each(possible)('claims nothing at any suggestion while the goal is $name', (problem) => {
    // bench/insight/diagnoses.ts plays many more.
    play({ ...problem, seed: 3, watch: (prepared) => expect(diagnosisOf(prepared)).toBeNull() }, 15);
  });
});

/** The diagnosis of `explain` without its insight, from the fit of the suggestion. */
function diagnosisOf(prepared: Prepared): Diagnosis | null {
  const work = { spent: 0, limit: prepared.request.workLimit };
  const surrogate = prepared.fitGlobally(work);
  return diagnose(prepared, surrogate, new Predictor(surrogate, work), work);
}
