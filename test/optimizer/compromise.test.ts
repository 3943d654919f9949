import { describe, expect, it } from 'vitest';
import { firstProblems } from '../../bench/problems/first-problems.ts';
import { oscillatingProblems } from '../../bench/problems/oscillating.ts';
import { play } from '../../bench/solvers/play.ts';
import { atLeast, atMost, exactly, float, within } from '../../harness/optimizer-game.ts';
import { explain } from '../../src/optimizer/explain.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Goal, Proposal, SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

interface Ended {
  readonly request: SuggestRequest;
  readonly proposal: Proposal;
  /** Output of the run at which the search ended. */
  readonly y: readonly number[];
}

/** Plays with the stop rule until it ends the search, or for at most `most` suggestions. */
function playToEnd(
  variables: readonly Variable[],
  goal: Goal,
  evaluate: (x: readonly number[]) => readonly number[],
  most = 40,
): Ended {
  const space = { variables };
  const m = goal.targets.length;
  const design = initialDesign({ space, outputCount: m, caseCount: null, seed: 3 });
  const rows = Array.from({ length: design.count }, (_, i) =>
    Array.from(design.X.subarray(i * variables.length, (i + 1) * variables.length)),
  );
  for (;;) {
    const request: SuggestRequest = {
      space,
      goal,
      history: {
        count: rows.length,
        X: Float64Array.from(rows.flat()),
        Y: Float64Array.from(rows.flatMap(evaluate)),
        failed: new Uint8Array(rows.length),
      },
      firstSuggested: design.count,
      convergence: 1e-6,
      seed: 3,
      workLimit: 5000,
      stop: { improvementBelow: 0.005 },
    };
    const proposal = suggest(request);
    if (proposal.kind === 'nothing-new') return { request, proposal, y: evaluate(rows[proposal.bestIndex]!) };
    rows.push([...proposal.input]);
    const isMet = goal.targets.every(({ lower, upper }, j) => {
      const y = evaluate(rows.at(-1)!)[j]!;
      return y >= lower && y <= upper;
    });
    if (isMet || rows.length > design.count + most) return { request, proposal, y: evaluate(rows.at(-1)!) };
  }
}

const unit = float(0, 1);
const all = (...targets: Target[]): Goal => ({ targets, l1: null });
/** One quantity that is wanted to be 0 and 1. */
const twice = ([a, b]: readonly number[]) => [a! + 0.2 * b! * b!, a! + 0.2 * b! * b!];
const wantedTwice = all(within(0, 0.1), within(1, 0.1));
/** Three curved outputs of two inputs; by symmetry the least worst distance from (0, 0, 0) is at a = b. */
const curved = ([a, b]: readonly number[]) => [a! + a! * a! - b! / 4, b! + b! * b! - a! / 4, 2 - a! - b!];

describe('targets that cannot all be met', () => {
  it('The search ends with the least worst miss in tolerances', () => {
    const { proposal, y } = playToEnd([unit, unit], all(within(0, 0.1), within(0, 0.1), within(0, 0.2)), curved);
    expect(proposal).toMatchObject({ kind: 'nothing-new', reason: 'out-of-reach' });
    // 0.75 a + a^2 = (2 - 2 a) / 2 in units of the tolerances: a = 0.4538.
    expect(Math.max(y[0]! / 0.1, y[1]! / 0.1, y[2]! / 0.2)).toBeLessThan(5.462 * 1.01);
  });

  it('The end is seen while inputs are pending as well, so that several machines come to it', () => {
    const { request } = playToEnd([unit, unit], wantedTwice, twice);
    const asked = { ...request, pending: Float64Array.of(0.1, 0.9, 0.9, 0.2) };
    expect(suggest(asked)).toMatchObject({ kind: 'nothing-new', reason: 'out-of-reach' });
  });

  it('Weights move the compromise towards the outputs that count more', () => {
    const { proposal, y } = playToEnd([unit, unit], { ...wantedTwice, weights: [3, 1] }, twice);
    expect(proposal).toMatchObject({ reason: 'out-of-reach' });
    expect(y[0]).toBeCloseTo(0.3, 2);
  });

  it('An output of the first priority is met where it can be', () => {
    const { y } = playToEnd([unit, unit], { ...wantedTwice, priorities: [1, 2] }, twice);
    expect(y[0]).toBeLessThanOrEqual(0.1);
    expect(y[0]).toBeGreaterThan(0.08);
  });

  it('An exact goal ends at the least L1 norm', () => {
    const { proposal, y } = playToEnd([unit, unit], exactly([0, 0, 0], 0.1), ([a, b]) => [a! - 0.5, b! - 0.5, a! + b!]);
    expect(proposal).toMatchObject({ reason: 'out-of-reach' });
    expect(y.reduce((sum, one) => sum + Math.abs(one), 0)).toBeLessThan(1.01);
  });

  it('The diagnosis at the end names the same run and what each target costs', () => {
    const { request, proposal, y } = playToEnd([unit, unit], wantedTwice, twice);
    const { diagnosis } = explain(request);
    expect(proposal).toMatchObject({ reason: 'out-of-reach' });
    expect(diagnosis).toMatchObject({ nearestIs: 'evaluated', nearestOutput: y });
    const { worstMiss, of } = diagnosis!.costs!;
    expect(worstMiss).toBeCloseTo(4, 1);
    expect(of.map(({ output }) => output)).toEqual([0, 1]);
    for (const { without, relaxed } of of) {
      expect(without).toBe(0);
      expect(relaxed).toBeCloseTo(3.5, 1);
    }
  });

  it('Limits that cannot be had together end where the two worst misses are equal', () => {
    const { proposal, y } = playToEnd([unit, unit], all(atLeast(9), atMost(0.6), atMost(0.9)), ([a, b]) => [
      5 * a! + 3 * b! - a! * b!,
      a! * a! + 0.2 * b!,
      a! + b!,
    ]);
    expect(proposal).toMatchObject({ kind: 'nothing-new', reason: 'out-of-reach' });
    const [worst, second] = [(9 - y[0]!) / 0.09, (y[1]! - 0.6) / 0.006, (y[2]! - 0.9) / 0.009].sort((a, b) => b - a);
    expect(second! / worst!).toBeGreaterThan(0.98);
  });

  it('Targets that can be met are met', () => {
    const { proposal } = playToEnd(
      [unit, unit],
      all(within(0.34, 0.01), within(0.165, 0.01), within(1.5, 0.01)),
      curved,
    );
    expect(proposal.kind).toBe('candidate');
  });
});

describe('targets of outputs that oscillate', () => {
  it('Models that do not predict the outputs hold up no search by a compromise', () => {
    const runs = (['layers-7', 'dim-layers-1'] as const).map((name, i) => {
      const problem = oscillatingProblems.find((one) => one.name === name)!;
      return play({ ...problem, budget: 40 }, [2, 1][i]!).runs;
    });
    // With every global suggestion at a compromise: 44 and 24.
    expect(runs).toEqual([17, 13]);
  });
});

describe('targets out of reach that no model can prove', () => {
  const evidence = { stop: { improvementBelow: 0.005 } };
  const problemOf = (name: string, reach: 'in reach' | 'beyond') =>
    firstProblems(reach).find((one) => one.name === `${name}, ${reach}`)!;

  it('A constant output ends the search once so many runs came no nearer', () => {
    expect(play(problemOf('constant output', 'beyond'), 1, evidence)).toMatchObject({ end: 'out-of-reach', runs: 38 });
  });

  it('A constant output beside one that is met is looked for all over the box', () => {
    const inputs: number[][] = [];
    play(problemOf('one constant of two', 'beyond'), 1, {
      ...evidence,
      watch: (_, proposal) => {
        if (proposal.kind === 'candidate') inputs.push([...proposal.input]);
      },
    });
    const eighths = new Set(inputs.map((x) => x.map((value) => Math.floor(value / 5)).join()));
    expect(eighths.size).toBeGreaterThan(6);
  });

  it('A choice among materials ends, with a diagnosis of its best run', () => {
    let last: SuggestRequest | undefined;
    const { end, runs } = play(problemOf('cantilever', 'beyond'), 1, {
      ...evidence,
      watch: (request) => {
        last = request;
      },
    });
    expect(end).toBe('out-of-reach');
    expect(runs).toBeLessThan(90);
    const { diagnosis } = explain(last!);
    expect(diagnosis!.nearestIs).toBe('evaluated');
    expect(diagnosis!.unmet.length).toBeGreaterThan(0);
  });

  it('Outputs that most runs cut off, such as a time limit, neither end a search early nor set aside the runs that stay below', () => {
    const problem = problemOf('control loop', 'in reach');
    const advised = new Set<string>();
    const { end } = play(problem, 3, {
      ...evidence,
      watch: (request) => {
        for (const { kind } of request.history.count % 8 === 0 ? (explain(request).advice ?? []) : [])
          advised.add(kind);
      },
    });
    expect(end).toBe('satisfied');
    expect(advised).not.toContain('wrong-run');
  });
});
