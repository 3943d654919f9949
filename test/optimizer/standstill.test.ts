import { describe, expect, it } from 'vitest';
import { fewInputs } from '../../bench/badly-posed/known-optima.ts';
import { defineProblems, minimize as minimizeNumber } from '../../bench/problems/problem.ts';
import { playAndRecord } from '../../bench/solvers/play.ts';
import { NO_TARGET } from '../../src/domain/search/objective.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Proposal, StopRule, SuggestRequest, Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';

const square: Variable = { kind: 'float', minimum: -2, maximum: 2 };
const atMost = (upper: number): Target => ({
  lower: Number.NEGATIVE_INFINITY,
  upper,
  lowerOpen: false,
  upperOpen: false,
  direction: 'none',
});
const minimize = (aspiration: number): Target => ({ ...atMost(aspiration), direction: 'minimize' });

/** A bowl of least height 2 under a limit that holds at its bottom. */
const bowl = ([a, b]: readonly number[]) => [2 + (a! - 0.5) ** 2 + 2 * (b! + 0.3) ** 2, a! + b!];

/** Waves of so many per unit, on a bowl of this curvature, moved along the first input. */
const rugged =
  (waves: number, curvature: number, phase: number) =>
  ([a, b]: readonly number[]) => [
    4 + Math.cos(waves * a! + phase) * Math.cos(waves * b! * 0.8) + curvature * (a! * a! + b! * b!),
    a! + b!,
  ];

interface Played {
  readonly requests: readonly SuggestRequest[];
  readonly proposals: readonly Proposal[];
  readonly best: number;
}

function play(stop: StopRule | undefined, targets: readonly Target[], most: number, evaluate = bowl): Played {
  const space = { variables: [square, square] };
  const design = initialDesign({ space, outputCount: 2, caseCount: null, seed: 5 });
  const X = Array.from(design.X);
  const requests: SuggestRequest[] = [];
  const proposals: Proposal[] = [];
  const outputs = () => Array.from({ length: X.length / 2 }, (_, i) => evaluate(X.slice(2 * i, 2 * i + 2)));
  for (let count = design.count; count < design.count + most; count++) {
    const request: SuggestRequest = {
      space,
      goal: { targets, l1: null },
      history: {
        count,
        X: Float64Array.from(X),
        Y: Float64Array.from(outputs().flat()),
        failed: new Uint8Array(count),
      },
      firstSuggested: design.count,
      convergence: 1e-6,
      seed: 5,
      workLimit: 5000,
      ...(stop && { stop }),
    };
    const proposal = suggest(request);
    requests.push(request);
    proposals.push(proposal);
    if (proposal.kind === 'nothing-new') break;
    X.push(...proposal.input);
  }
  const feasible = outputs().filter(([, size]) => size! <= targets[1]!.upper);
  return { requests, proposals, best: Math.min(...feasible.map(([height]) => height!)) };
}

describe('the stop rule of a search', () => {
  const targets = [minimize(0), atMost(1)];

  it('Ends soon after the optimum, and changes no proposal before', () => {
    const ruled = play({ improvementBelow: 0.005 }, targets, 30);
    expect(ruled.proposals.length).toBeLessThan(20);
    expect(ruled.proposals.at(-1)).toMatchObject({ kind: 'nothing-new', reason: 'standstill' });
    expect(ruled.best).toBeLessThan(2.02);
    const free = play(undefined, targets, ruled.proposals.length);
    expect(free.proposals.slice(0, -1)).toEqual(ruled.proposals.slice(0, -1));
    expect(free.proposals.at(-1)!.kind).toBe('candidate');
  });

  it('Says what it knows, and is the same whenever it is asked', () => {
    const { requests, proposals } = play({ improvementBelow: 0.005 }, targets, 30);
    const end = proposals.at(-1)!;
    expect(end.kind === 'nothing-new' && end.standstill!.quiet).toBeGreaterThanOrEqual(5);
    expect(suggest(requests.at(-1)!)).toEqual(end);
  });

  it('Counts a stated patience from the last improvement, and from the first suggestion', () => {
    const { proposals } = play({ patience: 3, improvementBelow: 1e9 }, targets, 30);
    expect(proposals.length).toBeLessThanOrEqual(5);
    expect(proposals.at(-1)).toMatchObject({ standstill: { quiet: 3, expectedGain: null } });
  });

  it('Ends limits out of reach by evidence, unless a patience is stated', () => {
    const limits = [atMost(1), atMost(1)];
    const free = play(undefined, limits, 12);
    const { proposals } = play({ improvementBelow: 0.5 }, limits, 12);
    expect(proposals.slice(0, -1)).toEqual(free.proposals.slice(0, proposals.length - 1));
    expect(proposals.at(-1)).toMatchObject({ reason: 'out-of-reach' });
    expect(play({ improvementBelow: 0.001, patience: 4 }, limits, 30).proposals.at(-1)).toMatchObject({
      reason: 'standstill',
    });
  });

  it('Ends where the other targets are out of reach, with the run that misses them least', () => {
    const unreachable = [minimize(0), atMost(-5)];
    const { proposals } = play({ improvementBelow: 0.005 }, unreachable, 15);
    expect(proposals.at(-1)).toMatchObject({ reason: 'out-of-reach' });
  });

  it('Is not misled by a large offset', () => {
    const { best } = play({ improvementBelow: 0.005 }, [minimize(900), atMost(1)], 30, (x) => [
      1000 + bowl(x)[0]! - 2,
      bowl(x)[1]!,
    ]);
    expect(best).toBeLessThan(1000.05);
  });

  it('Goes on while the models of all cases predict no case left out', () => {
    const { proposals } = play({ improvementBelow: 0.005 }, [minimize(0), atMost(9)], 40, rugged(5, 0.05, 0));
    expect(proposals.every(({ kind }) => kind === 'candidate')).toBe(true);
  });

  it('Goes on in a valley whose bottom is not reached', () => {
    const { proposals } = play({ improvementBelow: 0.005 }, [minimize(0), atMost(9)], 30, rugged(8, 0.5, 1));
    expect(proposals.every(({ kind }) => kind === 'candidate')).toBe(true);
  });

  it('Goes on from a local minimum where no aspiration is stated', () => {
    const known = fewInputs.find(({ name }) => name === 'goldstein-price')!;
    const objectives = [minimizeNumber(NO_TARGET.minimize)];
    const [problem] = defineProblems('minimize-maximize', [{ ...known, objectives, known: [], budget: 60 }]);
    const { evaluations } = playAndRecord(problem!, 9, { stop: { improvementBelow: 0.005 } });
    const bestOf = (runs: typeof evaluations) => Math.min(...runs.map(({ output }) => output![0]!));
    expect(bestOf(evaluations.slice(0, 44))).toBeCloseTo(30, 3);
    expect(bestOf(evaluations)).toBeCloseTo(known.optimum, 1);
  });

  it('Takes runs that failed for no attempts to improve', () => {
    const { requests } = play({ improvementBelow: 0.005 }, targets, 30);
    const last = requests.at(-1)!;
    const { history } = last;
    const failed = history.failed.slice().fill(1, history.count - 5);
    expect(suggest(last).kind).toBe('nothing-new');
    expect(suggest({ ...last, history: { ...history, failed } }).kind).toBe('candidate');
  });
});
