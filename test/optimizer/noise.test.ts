/** Searches whose runs differ from repeat to repeat. */
import { describe, expect, it } from 'vitest';
import { atLeast, atMost, exactly, float, within } from '../../harness/optimizer-game.ts';
import { type Belief, beliefAt } from '../../src/optimizer/confidence/belief.ts';

import {
  foresight,
  jointExcess,
  makeDraws,
  meanGiven,
  ofMean,
  ofRun,
  ofShare,
} from '../../src/optimizer/confidence/probability.ts';
import { makeModels } from '../../src/optimizer/confidence/standing.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Goal, Noise, Proposal, SuggestRequest, Variable } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { questOf } from '../../src/optimizer/quests/quest-of.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { noiseVariance } from '../../src/optimizer/surrogate/model-choice.ts';

interface NoisyGame {
  readonly variables: readonly Variable[];
  readonly goal: Goal;
  readonly mean: (x: readonly number[]) => readonly number[];
  readonly sds: readonly number[];
  /** In place of normal noise. */
  readonly draw?: (x: readonly number[], normal: () => number) => readonly number[];
  readonly noise: Noise;
  readonly seed?: number;
}

interface NoisyPlay {
  readonly proposals: readonly Proposal[];
  /** The request after the last proposal. */
  readonly request: SuggestRequest;
  readonly end: Extract<Proposal, { kind: 'nothing-new' }> | null;
}

/** Plays designed cases, then at most `limit` suggestions. */
function play({ variables, goal, mean, sds, draw, noise, seed = 1 }: NoisyGame, limit: number): NoisyPlay {
  const space = { variables };
  const [n, m] = [variables.length, sds.length];
  const random = makeRandom(seed, 99);
  const X = Array.from(initialDesign({ space, outputCount: m, caseCount: null, seed }).X);
  const Y: number[] = [];
  const run = (x: readonly number[]) => {
    const normal = () => random.normal();
    Y.push(...(draw?.(x, normal) ?? mean(x).map((y, j) => y + sds[j]! * normal())));
  };
  for (let i = 0; i < X.length; i += n) run(X.slice(i, i + n));
  const firstSuggested = X.length / n;
  const build = (): SuggestRequest => {
    const count = X.length / n;
    const history = { count, X: Float64Array.from(X), Y: Float64Array.from(Y), failed: new Uint8Array(count) };
    return { space, goal, history, firstSuggested, noise, convergence: 1e-6, seed, workLimit: 5000 };
  };
  const proposals: Proposal[] = [];
  while (proposals.length < limit) {
    const request = build();
    const proposal = suggest(request);
    proposals.push(proposal);
    if (proposal.kind === 'nothing-new') return { proposals, request, end: proposal };
    X.push(...proposal.input);
    run(Array.from(proposal.input));
  }
  return { proposals, request: build(), end: null };
}

const bowl: Omit<NoisyGame, 'noise'> = {
  variables: [float(-2, 2), float(-2, 2)],
  goal: { targets: [atMost(1), within(0.5, 0.5)], l1: null },
  mean: ([a, b]) => [(a! - 0.5) ** 2 + (b! + 0.3) ** 2 + 0.5, a! + b!],
  sds: [0.15, 0.15],
};
const sure = (of: 'run' | 'mean', sds: readonly number[] | null = null): Noise => ({
  standardDeviations: sds,
  asked: { kind: 'confidence', least: 0.9, of },
});

/** Share of fresh runs at an input that meet the targets of the bowl. */
function shareOfRuns([a, b]: readonly number[]): number {
  const random = makeRandom(7);
  const [y, z] = bowl.mean([a!, b!]);
  const count = 4000;
  let hits = 0;
  for (let k = 0; k < count; k++) {
    const isHit = y! + 0.15 * random.normal() <= 1 && Math.abs(z! + 0.15 * random.normal() - 0.5) <= 0.5;
    if (isHit) hits++;
  }
  return hits / count;
}

describe('a search for an input that holds', () => {
  const inputOf = ({ history }: SuggestRequest, row: number) => Array.from(history.X.subarray(2 * row, 2 * row + 2));
  const withEstimate = play({ ...bowl, noise: sure('run') }, 60);

  it.each([
    ['estimated', withEstimate],
    ['known', play({ ...bowl, noise: sure('run', bowl.sds) }, 60)],
  ])('declares one whose fresh runs meet the targets, with the noise %s', (_, { request, end }) => {
    // bench/solvers/noisy-calibration.ts counts how often such a declaration is wrong.
    expect(end?.reason).toBe('reached');
    expect(shareOfRuns(inputOf(request, end!.bestIndex))).toBeGreaterThanOrEqual(0.9);
  });

  it('declares one whose mean outputs meet the targets', () => {
    const { request, end } = play({ ...bowl, noise: sure('mean') }, 60);
    expect(end?.reason).toBe('reached');
    const [y, z] = bowl.mean(inputOf(request, end!.bestIndex));
    expect(y).toBeLessThanOrEqual(1);
    expect(Math.abs(z! - 0.5)).toBeLessThanOrEqual(0.5);
  });

  it('declares the mean of positive, skewed outputs after five runs, and never against the mean of these runs', () => {
    const limit = 1.2;
    const waits = (seed: number): NoisyGame => ({
      variables: [float(0.1, 2)],
      goal: { targets: [atMost(limit), atLeast(0.5)], l1: null },
      mean: ([x]) => [x!, x!],
      draw: ([x], normal) => [x! * Math.exp(0.9 * normal() - 0.405), x! + 0.05 * normal()],
      sds: [0, 0],
      noise: sure('mean'),
      seed,
    });
    const ends = [1, 2].map((seed) => {
      const { request, end } = play(waits(seed), 60);
      if (end?.reason !== 'reached') return null;
      const { X, Y, count } = request.history;
      const rows = Array.from({ length: count }, (_, i) => i).filter((i) => X[i] === X[end.bestIndex]);
      return {
        runs: rows.length,
        own: rows.reduce((sum, i) => sum + Y[2 * i]! / rows.length, 0),
        truth: X[end.bestIndex]!,
      };
    });
    const declared = ends.filter((one) => one !== null);
    expect(declared.length).toBeGreaterThanOrEqual(1);
    expect(Math.min(...declared.map(({ runs }) => runs))).toBeGreaterThanOrEqual(5);
    expect(Math.max(...declared.map(({ own }) => own))).toBeLessThanOrEqual(limit);
    expect(declared.filter(({ truth }) => truth > limit).length).toBeLessThanOrEqual(1);
  });

  it('declares a run of positive, skewed outputs only after as many hits as show it', () => {
    const { request, end } = play(
      {
        variables: [float(0.1, 2)],
        goal: { targets: [atMost(2), atLeast(0.2)], l1: null },
        mean: ([x]) => [x!, x!],
        draw: ([x], normal) => [x! * Math.exp(0.6 * normal()), x! + 0.05 * normal()],
        sds: [0, 0],
        noise: sure('run'),
      },
      60,
    );
    expect(end?.reason).toBe('reached');
    const { X, Y, count } = request.history;
    const rows = Array.from({ length: count }, (_, i) => i).filter((i) => X[i] === X[end!.bestIndex]);
    const hits = rows.filter((i) => Y[2 * i]! <= 2 && Y[2 * i + 1]! >= 0.2).length;
    expect(rows.length).toBeGreaterThanOrEqual(5);
    expect(hits / rows.length).toBeGreaterThanOrEqual(0.9);
    expect(end!.standing!.run.low).toBeGreaterThanOrEqual(0.9);
  });

  it.each([3, 5])('declares no run after fewer than five, whatever the shape of the noise (seed %i)', (seed) => {
    // Most runs are near the smallest one, and the outputs may be negative.
    const { end } = play(
      {
        variables: [float(0, 1)],
        goal: { targets: [atMost(1), atLeast(-5)], l1: null },
        mean: ([x]) => [x!, x!],
        draw: ([x], normal) => [4 * (x! - 0.5) ** 2 - 1 + (normal() ** 2 + normal() ** 2) / 2, x! + 0.05 * normal()],
        sds: [0, 0],
        noise: { standardDeviations: null, asked: { kind: 'confidence', least: 0.6, of: 'run' } },
        seed,
      },
      40,
    );
    expect(end?.reason).toBe('reached');
    expect(end!.standing!.runs).toBeGreaterThanOrEqual(5);
  });

  it('asks for no more runs where positive outputs scatter little', () => {
    const steady = { ...bowl, sds: [0.05, 0.05], noise: sure('mean') };
    const { request, end } = play(steady, 60);
    expect(end?.reason).toBe('reached');
    const at = inputOf(request, end!.bestIndex).join();
    const runs = Array.from({ length: request.history.count }, (_, row) => inputOf(request, row).join());
    expect(runs.filter((one) => one === at)).toHaveLength(3);
  });

  it('repeats inputs bit for bit, and says which row; it proposes no other input twice', () => {
    const { proposals, request } = withEstimate;
    const candidates = proposals.filter((one) => one.kind === 'candidate');
    const repeats = candidates.filter(({ repeatOf }) => repeatOf !== undefined);
    expect(repeats.length).toBeGreaterThan(0);
    for (const { input, repeatOf } of repeats) expect(Array.from(input)).toEqual(inputOf(request, repeatOf!));
    const distinct = new Set(Array.from({ length: request.history.count }, (_, row) => inputOf(request, row).join()));
    expect(distinct.size).toBe(request.history.count - repeats.length);
  });

  it('answers the same request with the same bytes, and does not change it', () => {
    const { request } = withEstimate;
    const copy = structuredClone(request);
    expect(suggest(request)).toEqual(suggest(copy));
    expect(request).toEqual(copy);
  });

  it.each([
    ['run', sure('run')],
    ['mean', { standardDeviations: null, asked: { kind: 'confirm', runs: 2 } } satisfies Noise],
  ])('neither repeats nor declares an input outside the bounds, such as a known case may be: %s', (_, noise) => {
    const { request, end } = withEstimate;
    const [a] = inputOf(request, end!.bestIndex);
    // The input that was declared is now outside.
    const maximum = a! - 0.01;
    const proposal = suggest({ ...request, noise, space: { variables: [float(-2, maximum), float(-2, 2)] } });
    const row = proposal.kind === 'candidate' ? proposal.repeatOf : proposal.bestIndex;
    if (row !== undefined) expect(inputOf(request, row)[0]).toBeLessThanOrEqual(maximum);
    if (proposal.kind === 'candidate') expect(proposal.input[0]).toBeLessThanOrEqual(maximum);
    expect(proposal.standing!.row).not.toBe(end!.bestIndex);
    expect(inputOf(request, proposal.standing!.row)[0]).toBeLessThanOrEqual(maximum);
  });

  it('needs no repeat where runs are known to be equal', () => {
    const { proposals, end } = play({ ...bowl, sds: [0, 0], noise: sure('run', [0, 0]) }, 40);
    expect(end?.reason).toBe('reached');
    expect(end?.standing?.run).toEqual({ value: 1, low: 1, high: 1 });
    expect(proposals.filter((one) => one.kind === 'candidate' && one.repeatOf !== undefined)).toEqual([]);
  });

  it('runs the inputs of a small space again once it has tried all', () => {
    const variables: Variable[] = [{ kind: 'integer', minimum: 0, maximum: 2 }];
    const goal: Goal = { targets: [atLeast(1.75)], l1: null };
    const game: NoisyGame = { variables, goal, mean: ([x]) => [x!], sds: [0.1], noise: sure('run'), seed: 2 };
    const { request, end } = play(game, 40);
    expect(end?.reason).toBe('reached');
    expect(request.history.X[end!.bestIndex]).toBe(2);
  });

  it('judges exact goals by their L1 norm', () => {
    const goal = exactly([0.5, 0.2], 0.9);
    const { request, end } = play({ ...bowl, goal, sds: [0.1, 0.1], noise: sure('run') }, 60);
    expect(end?.reason).toBe('reached');
    const [y, z] = bowl.mean(inputOf(request, end!.bestIndex));
    expect(Math.abs(y! - 0.5) + Math.abs(z! - 0.2)).toBeLessThan(0.9);
  });

  it('counts pending repeats: runs asked for together go elsewhere once the pending ones decide', () => {
    const confirm: Noise = { standardDeviations: bowl.sds, asked: { kind: 'confirm', runs: 3 } };
    const played = play({ ...bowl, noise: confirm }, 60);
    const first = played.proposals.findIndex((one) => one.kind === 'candidate' && one.repeatOf !== undefined);
    const { request } = play({ ...bowl, noise: confirm }, first);
    const one = suggest(request) as Extract<Proposal, { kind: 'candidate' }>;
    const together = (count: number) => ({
      ...request,
      pending: Float64Array.from(Array.from({ length: count }, () => [...one.input]).flat()),
    });
    expect(suggest(together(1))).toMatchObject({ repeatOf: one.repeatOf });
    expect(suggest(together(2))).not.toMatchObject({ repeatOf: one.repeatOf });
  });
});

describe('a mean of several runs', () => {
  const confirm: Noise = { standardDeviations: null, asked: { kind: 'confirm', runs: 3 } };

  it('ends the search when it meets the targets', () => {
    const { request, end } = play({ ...bowl, noise: confirm }, 60);
    expect(end?.reason).toBe('reached');
    const { X, Y, count } = request.history;
    const rows = Array.from({ length: count }, (_, i) => i).filter(
      (i) => X[2 * i] === X[2 * end!.bestIndex] && X[2 * i + 1] === X[2 * end!.bestIndex + 1],
    );
    expect(rows.length).toBeGreaterThanOrEqual(3);
    const mean = (j: number) => rows.reduce((sum, i) => sum + Y[2 * i + j]! / rows.length, 0);
    expect(mean(0)).toBeLessThanOrEqual(1);
    expect(Math.abs(mean(1) - 0.5)).toBeLessThanOrEqual(0.5);
  });

  it('is given up once it will hardly meet them', () => {
    const X = Float64Array.of(-1, 0, 1, 0.2, 0.2);
    const Y = Float64Array.of(0, 1, 2, 1.25, 0.5);
    const request: SuggestRequest = {
      space: { variables: [float(-1, 1)] },
      goal: { targets: [within(1.2, 0.1)], l1: null },
      history: { count: 5, X, Y, failed: new Uint8Array(5) },
      firstSuggested: 3,
      noise: { standardDeviations: [0.2], asked: { kind: 'confirm', runs: 3 } },
      convergence: 1e-6,
      seed: 1,
      workLimit: 5000,
    };
    const lucky = { ...request.history, Y: Float64Array.of(0, 1, 2, 1.25, 1.2) };
    expect(suggest(request)).not.toHaveProperty('repeatOf');
    expect(suggest({ ...request, history: lucky })).toHaveProperty('repeatOf', 3);
  });
});

describe('the models of noisy runs', () => {
  const { request } = play({ ...bowl, noise: sure('run', bowl.sds) }, 8);

  it('take a known noise as it is stated', () => {
    const { surrogate } = makeModels(prepare(request), { spent: 0, limit: 5000 });
    surrogate.outputs.forEach(({ fitted }, j) => {
      if (fitted?.warp.kind !== 'identity') return;
      expect(Math.sqrt(noiseVariance(surrogate, j)) * fitted.warp.unit).toBeCloseTo(0.15, 6);
    });
    expect(surrogate.outputs.some(({ fitted }) => fitted?.warp.kind === 'identity')).toBe(true);
  });

  it('and the runs at an input, taken apart and put together again, are what they said before', () => {
    const prepared = prepare(request);
    const models = { ...makeModels(prepared, { spent: 0, limit: 5000 }), doubt: 1 };
    const u = prepared.cases.U.slice(0, 2);
    const { outputs, runs } = beliefAt(
      { ...models, cases: { ...models.cases, noise: undefined } },
      u,
      { members: [0], hits: 0, failures: 0 },
      'models',
    );
    models.predictor.predict(u);
    outputs.forEach((output, j) => {
      const { fitted } = models.surrogate.outputs[j]!;
      const calibration = fitted!.sigma ** 2 / fitted!.conditioned.variance;
      const apart = { ...output, variance: output.variance / calibration };
      const together = meanGiven(apart, runs, noiseVariance(models.surrogate, j));
      expect(together.mean).toBeCloseTo(models.predictor.mean[j]!, 6);
      expect(together.variance).toBeCloseTo(models.predictor.sigma[j]! ** 2 / calibration, 6);
    });
  });

  it('say of the best input how surely it meets the targets', () => {
    const standing = questOf(request).standing(prepare(request))!;
    expect(standing).toEqual((suggest(request) as { standing?: unknown }).standing);
    for (const { value, low, high } of [standing.run, standing.mean]) {
      expect(low).toBeGreaterThanOrEqual(0);
      expect(low).toBeLessThanOrEqual(value);
      expect(value).toBeLessThanOrEqual(high + 1e-9);
      expect(high).toBeLessThanOrEqual(1);
    }
  });
});

describe('a probability', () => {
  const known = { variance: 0.04, noise: 0.09, freedom: Number.POSITIVE_INFINITY, squares: 0, skew: 0, relative: 0 };
  const belief: Belief = {
    runs: 2,
    failures: 0,
    hits: 2,
    trust: 1,
    least: 0.9,
    outputs: [
      { ...known, mean: 0.2, observed: 0.4, lower: Number.NEGATIVE_INFINITY, upper: 0.6 },
      { ...known, mean: 0, observed: -0.1, lower: -0.7, upper: 0.7 },
    ],
  };

  it('is that of draws of the mean and the noise', () => {
    const random = makeRandom(3);
    const draws = 50_000;
    let [run, mean] = [0, 0];
    for (let k = 0; k < draws; k++) {
      const thetas = belief.outputs.map((output) => {
        const given = meanGiven(output, 2, output.noise);
        return given.mean + Math.sqrt(given.variance) * random.normal();
      });
      const isInside = (values: readonly number[]) =>
        values.every((y, j) => y >= belief.outputs[j]!.lower && y <= belief.outputs[j]!.upper);
      if (isInside(thetas)) mean++;
      if (isInside(thetas.map((theta) => theta + 0.3 * random.normal()))) run++;
    }
    const table = makeDraws(512, 2);
    expect(ofRun(belief, null, table).value).toBeCloseTo(run / draws, 2);
    expect(ofMean(belief, null, table).value).toBeCloseTo(mean / draws, 2);
    const l1 = { center: [0, 0], threshold: 50 };
    expect(ofRun(belief, l1, table).value).toBe(1);
  });

  it('of the mean of a lognormal output counts the rare large values', () => {
    const random = makeRandom(5);
    const draws = 50_000;
    const output = {
      ...known,
      mean: 0.2,
      observed: 0.4,
      lower: Number.NEGATIVE_INFINITY,
      upper: Math.log(1.6),
      skew: 1 / 2,
    };
    const { mean, variance } = meanGiven(output, 2, output.noise);
    let hits = 0;
    for (let k = 0; k < draws; k++) {
      const theta = mean + Math.sqrt(variance) * random.normal();
      if (Math.exp(theta + output.noise / 2) <= 1.6) hits++;
    }
    const skewed: Belief = { ...belief, outputs: [output] };
    expect(ofMean(skewed, null, makeDraws(512, 1)).value).toBeCloseTo(hits / draws, 2);
  });

  describe('where the noise is estimated', () => {
    /** Models that are sure of hits and, without the runs at the input, expect them with about one half. */
    const estimated = {
      ...known,
      variance: 25,
      noise: 0.01,
      freedom: 4,
      squares: 0.01,
      mean: 0,
      lower: Number.NEGATIVE_INFINITY,
    };
    const at = (hits: number, runs = hits, rest: Partial<Belief> = {}): Belief => ({
      ...belief,
      runs,
      hits,
      outputs: [{ ...estimated, observed: -3, upper: 0 }],
      ...rest,
    });
    const table = makeDraws(512, 1);
    const share = (one: Belief) => ofShare(one, null, table);

    it('is that of the share of hits where models are not trusted: uniform at 0.9, and doubtful below', () => {
      // After k hits without a miss, P(share < p) = p^(k + 1).
      expect(share(at(21, 21, { trust: 0 })).low).toBeCloseTo(0.1 ** (1 / 22), 6);
      expect(share(at(21, 21, { trust: 0 })).value).toBeCloseTo(22 / 23, 6);
      // Beta(2, 2) has the cumulative distribution 3 p^2 - 2 p^3; a failed run is a miss.
      const { low } = share(at(1, 1, { trust: 0, failures: 1 }));
      expect(3 * low ** 2 - 2 * low ** 3).toBeCloseTo(0.1, 6);
      // Five hits do not show 0.6 where one input in ten is that good, seven do: 0.9 / 0.6 q : 0.1 / 0.4 (1 - q) with q = 0.6^(k + 1).
      const doubtful = { trust: 0, least: 0.6 };
      expect(share(at(5, 5, doubtful)).low).toBeLessThan(0.6);
      expect(share(at(7, 7, doubtful)).low).toBeGreaterThanOrEqual(0.6);
    });

    it('takes more hits than the few runs that happen to be near each other', () => {
      expect(ofRun(at(4), null, table).low).toBeGreaterThan(0.99);
      expect(share(at(4)).low).toBeLessThan(0.9);
      expect(share(at(15)).low).toBeGreaterThanOrEqual(0.9);
    });

    it('is believed of the models less after a miss that they did not expect, and where they misjudged other inputs', () => {
      expect(share(at(14, 15)).low).toBeLessThan(0.9);
      expect(share(at(10, 10, { trust: 4 })).low).toBeGreaterThan(share(at(10)).low);
      expect(share(at(10, 10, { trust: 0.1 })).low).toBeLessThan(share(at(10)).low);
      const sure = { outputs: [{ ...estimated, mean: -3, variance: 0.01, observed: -3, upper: 0 }] };
      expect(foresight(at(4, 4, sure), null, table)).toBeGreaterThan(1);
      expect(foresight(at(2, 4, sure), null, table)).toBeLessThan(0.1);
    });
  });

  it('falls with failed runs at the input', () => {
    const table = makeDraws(64, 2);
    const failed = { ...belief, failures: 2 };
    expect(ofRun(failed, null, table).value).toBeCloseTo(ofRun(belief, null, table).value / 2, 9);
  });

  it('is larger where the outputs go together', () => {
    const half = { ...known, mean: 0, observed: 0, lower: Number.NEGATIVE_INFINITY, upper: 0 };
    const pair: Belief = { ...belief, runs: 1, hits: 1, outputs: [half, half] };
    const { forMean } = makeDraws(50_000, 2);
    const correlated = (r: number) => Float64Array.of(1, 0, r, Math.sqrt(1 - r * r));
    // Sheppard 1899: two medians are not exceeded together with the probability 1/4 + asin(r) / 2 pi.
    for (const r of [-0.9, 0, 0.5, 1]) {
      expect(jointExcess(pair, correlated(r), forMean)).toBeCloseTo(Math.asin(r) / (2 * Math.PI), 2);
    }
  });

  it('is less sure where the noise is less known', () => {
    const table = makeDraws(512, 2);
    const vague = { ...belief, outputs: belief.outputs.map((one) => ({ ...one, freedom: 3, squares: 0.09 })) };
    const [sure, unsure] = [ofRun(belief, null, table), ofRun(vague, null, table)];
    expect(unsure.high - unsure.low).toBeGreaterThan(sure.high - sure.low);
  });
});
